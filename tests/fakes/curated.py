"""Approved answers in memory, and the sets of questions they are held against."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from pathlib import Path

from rag_core.answers import AskTrace, Refusal, RefusalReason, Reply, Verdict
from rag_core.curated.kept import (
    Approval,
    CuratedAnswer,
    CuratedCitation,
    CuratedScope,
    CuratedState,
    CuratedStatement,
)
from rag_core.documents import Passage, PolicySource
from rag_core.errors import Unavailable
from rag_core.ports import Vector, Watching
from rag_core.questions import AskRequest, Intent, Question, Scope

TODAY = date(2026, 11, 20)
NOON = datetime(2026, 11, 1, 12, tzinfo=UTC)
SETS = Path("tests/golden/curated")

SOURCES = (
    PolicySource("quillmoor", "Quillmoor Ads", ("Quillmoor", "Plumegate"), 3),
    PolicySource("google", "Google Ads", ("Google",), 3),
    PolicySource("meta", "Meta", ("Facebook", "Instagram"), 3),
    PolicySource("x", "X", ("Twitter",), 3),
    *(PolicySource(slug, slug.title(), (), 3) for slug in ("reddit", "tiktok", "snapchat", "pinterest", "linkedin")),
)


@dataclass(frozen=True, slots=True)
class Family:
    """`same`: questions that mean it; `others`: kind and question of those that do not."""

    name: str
    scope: CuratedScope
    wordings: tuple[str, ...]
    same: tuple[str, ...]
    others: tuple[tuple[str, str], ...]


def families(name: str) -> list[Family]:
    """The sets of `tests/golden/curated/NAME.txt`, whose head says how a line is read."""
    found = []
    for part in (SETS / f"{name}.txt").read_text().split("\n= ")[1:]:
        head, *lines = part.splitlines()
        family, places, platforms = (each.split() for each in head.split("|"))
        others = tuple(tuple(line[2:].split(": ", 1)) for line in lines if line.startswith("- "))
        found.append(
            Family(
                family[0],
                CuratedScope(tuple(places), tuple(platforms)),
                tuple(line[2:] for line in lines if line.startswith("w ")),
                tuple(line[2:] for line in lines if line.startswith("+ ")),
                others,  # type: ignore[arg-type]
            )
        )
    return found


def curated(
    key: str = "alcohol",
    *,
    wordings: Sequence[str] = ("Can I advertise alcohol in the UK?",),
    scope: CuratedScope | None = None,
    cites: Sequence[Passage] = (),
    verdict: Verdict | None = None,
    state: CuratedState = CuratedState.APPROVED,
    revision: int = 1,
) -> CuratedAnswer:
    """An answer that cites the first words of each passage, approved if it is shown or was."""
    citations = tuple(
        CuratedCitation(
            each.chunk.chunk_id,
            each.chunk.doc_id,
            each.version.document_id,
            each.chunk.policy_path,
            each.chunk.content_hash,
            each.chunk.chunk_text[:40],
        )
        for each in cites
    )
    groups = frozenset(group for each in cites for group in each.version.allowed_groups)
    numbers = tuple(range(1, len(citations) + 1))
    approved = state in (CuratedState.APPROVED, CuratedState.SUSPENDED)
    return CuratedAnswer(
        curated_id=f"id-{key}",
        key=key,
        revision=revision,
        state=state,
        wordings=tuple(wordings),
        scope=scope or CuratedScope(("uk",), ()),
        verdict=verdict,
        statements=(CuratedStatement("Ask the desk before it runs.", numbers),),
        citations=citations,
        changed_at=NOON,
        groups=groups,
        approval=Approval("Legal desk", "p1:approver", NOON) if approved else None,
    )


@dataclass(slots=True)
class FakeCurated:
    """`CuratedAnswers`; `down`: does not answer. `read` remembers which answers were read."""

    answers: list[CuratedAnswer] = field(default_factory=list)
    down: bool = False
    read: list[str] = field(default_factory=list)

    async def approved(self) -> Mapping[str, int]:
        if self.down:
            raise Unavailable("database_down")
        return {each.curated_id: each.revision for each in self.answers if each.state is CuratedState.APPROVED}

    async def some(self, curated_ids: Sequence[str]) -> tuple[CuratedAnswer, ...]:
        self.read += curated_ids
        return tuple(each for each in self.answers if each.curated_id in curated_ids)


@dataclass(slots=True)
class FakeVectors:
    """`WordingVectors`."""

    kept: dict[tuple[str, str], Vector] = field(default_factory=dict)

    async def known(self, model: str, content_hashes: Sequence[str]) -> Mapping[str, Vector]:
        return {each: self.kept[model, each] for each in content_hashes if (model, each) in self.kept}

    async def keep(self, model: str, vectors: Mapping[str, Vector]) -> None:
        self.kept.update({(model, hash_): vector for hash_, vector in vectors.items()})


@dataclass(slots=True)
class ScriptedAsker:
    """The policies' own answer: always the same, a refusal unless another is given; `asked` counts."""

    reply: Reply | None = None
    asked: int = 0

    async def ask(self, request: AskRequest, watching: Watching | None = None) -> tuple[Reply, AskTrace]:
        self.asked += 1
        scope = Scope(request.today)
        reply = self.reply or Refusal(scope, RefusalReason.NOT_COVERED)
        return reply, AskTrace(Question(request.text, scope, Intent.PERMISSION, ()))
