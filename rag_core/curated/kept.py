"""Answers that a person approved, for a family of questions in a place; with citations that must still hold."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum
from typing import Protocol

from rag_core.answers import Verdict
from rag_core.documents import ContentType, Passage, VersionStatus
from rag_core.ports import Vector
from rag_core.questions import Filters


class CuratedState(StrEnum):
    """DRAFT: not shown yet. SUSPENDED: a rule that it cites has changed; it is shown again only once its citations are
    renewed and somebody approves it again. RETIRED: for good."""

    DRAFT = "draft"
    APPROVED = "approved"
    SUSPENDED = "suspended"
    RETIRED = "retired"


@dataclass(frozen=True, slots=True)
class CuratedCitation:
    """What a person's statement stands on: `quote` is verbatim text of the chunk, whose content had this hash."""

    chunk_id: str
    doc_id: str
    document_id: str
    section_path: str
    content_hash: str
    quote: str


@dataclass(frozen=True, slots=True)
class CuratedStatement:
    """A person's words; `citations` count from 1 in the answer's citations."""

    text: str
    citations: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class CuratedScope:
    """What it holds for. No `regions`: worldwide. No `policy_sources`: for questions that name no platform.

    `labels`: variants of documents, as in Scope.
    """

    regions: tuple[str, ...] = ()
    policy_sources: tuple[str, ...] = ()
    content_types: tuple[ContentType, ...] = ()
    labels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def filters(self) -> Filters:
        """The scope as somebody would fix it who asks."""
        types = tuple(str(each) for each in self.content_types)
        return Filters(self.policy_sources, self.regions, types, (), self.labels)


@dataclass(frozen=True, slots=True)
class Owner:
    """Who is told when it is suspended: a channel or a person, by the platform's ids. Nothing set: nobody."""

    platform: str = ""
    workspace: str = ""
    channel: str = ""


@dataclass(frozen=True, slots=True)
class Approval:
    """`by`: the name that readers see. `person`: the same as a pseudonym, by which it is forgotten."""

    by: str
    person: str
    at: datetime


@dataclass(frozen=True, slots=True)
class CuratedAnswer:
    """`key`: the name of its family, by which it is imported and exported. `revision` grows with every change.

    `groups`: of the restricted documents that it cites, so that lists can tell; who may see it is looked up when it is
    shown. `suspended_because`: codes of `rag_core.curated.kept`, by the number of the citation.
    """

    curated_id: str
    key: str
    revision: int
    state: CuratedState
    wordings: tuple[str, ...]
    scope: CuratedScope
    verdict: Verdict | None
    statements: tuple[CuratedStatement, ...]
    citations: tuple[CuratedCitation, ...]
    changed_at: datetime
    groups: frozenset[str] = frozenset()
    owner: Owner = field(default_factory=Owner)
    approval: Approval | None = None
    suspended_because: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_shown(self) -> bool:
        return self.state is CuratedState.APPROVED and self.approval is not None


class CuratedAnswers(Protocol):
    """Approved answers as asking reads them. Raises Unavailable."""

    async def approved(self) -> Mapping[str, int]:
        """The revision of each, by id: a question looks here first, and reads again only what is new."""
        ...

    async def some(self, curated_ids: Sequence[str]) -> tuple[CuratedAnswer, ...]:
        """By id; one that is not there is left out."""
        ...


class WordingVectors(Protocol):
    """Vectors of wordings by the hash of the text, for one model. Raises Unavailable."""

    async def known(self, model: str, content_hashes: Sequence[str]) -> Mapping[str, Vector]: ...

    async def keep(self, model: str, vectors: Mapping[str, Vector]) -> None: ...


class Fallen(StrEnum):
    """Why a citation does not hold any more. MISSING: the chunk is not there. CHANGED: it says something else.
    WITHDRAWN: its version is not live. SUPERSEDED: another version holds today. NOT_YET: it holds from a later day."""

    MISSING = "missing"
    CHANGED = "changed"
    WITHDRAWN = "withdrawn"
    SUPERSEDED = "superseded"
    NOT_YET = "not_yet"


def fallen(answer: CuratedAnswer, passages: Mapping[str, Passage], today: date) -> dict[str, str]:
    """What holds no longer, by the number of the citation; empty: everything stands. `passages`: all that is stored of
    the cited chunks, whoever may see them."""
    told = {str(number): _fallen(each, passages, today) for number, each in enumerate(answer.citations, start=1)}
    return {number: why.value for number, why in told.items() if why is not None}


def stands_on(answer: CuratedAnswer, visible: Sequence[Passage], today: date) -> dict[str, Passage] | None:
    """The cited chunks, by id, if all of them are among what the audience may see and each stands; None otherwise.

    An answer without citations stands on nothing.
    """
    found = {each.chunk.chunk_id: each for each in visible}
    return None if not answer.citations or fallen(answer, found, today) else found


def _fallen(citation: CuratedCitation, passages: Mapping[str, Passage], today: date) -> Fallen | None:
    passage = passages.get(citation.chunk_id)
    if passage is None:
        return Fallen.MISSING
    chunk, version = passage.chunk, passage.version
    if not passage.is_intact or chunk.content_hash != citation.content_hash or citation.quote not in chunk.chunk_text:
        return Fallen.CHANGED
    if version.status is not VersionStatus.LIVE:
        return Fallen.WITHDRAWN
    if version.effective_from > today or chunk.effective_from > today:
        return Fallen.NOT_YET
    ended = chunk.effective_to is not None and chunk.effective_to <= today
    return Fallen.SUPERSEDED if ended or not version.holds_on(today) else None
