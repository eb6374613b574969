"""What answering needs from outside. Implementations live in `adapters`."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, aclosing
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Protocol

import numpy as np
import numpy.typing as npt

from rag_core.answers import Statement
from rag_core.documents import DocumentVersion, Passage, PolicySource
from rag_core.policy_changes import ChangesWanted, PolicyChange
from rag_core.questions import QueryTerm, Question
from rag_core.regions import GLOBAL

Vector = npt.NDArray[np.float32]
"""Unit length, `Embedder.dimensions` numbers."""


@dataclass(frozen=True, slots=True)
class IndexFilter:
    """Which chunks a search may return; applied inside every leg of it. None or empty means: not restricted.

    `places`: regions whose rules may be shown (membership already expanded: {"uk", "global"}); a chunk passes
    if one of its `regions` is among them and none of its `regions_excluded` is in `excluding`.
    `day`: the chunk must hold on it. `groups`: the asker's; restricted chunks pass only by them.
    `labels_excluded`: values of labels that no document of a hit may have; one without the label passes.
    `without_chunks`: ids of chunks that do not pass, whatever they are.
    Values are stripped and lower-case, but for groups, which are taken by the letter.
    """

    groups: frozenset[str] = frozenset()
    day: date | None = None
    places: frozenset[str] | None = None
    excluding: frozenset[str] = frozenset()
    policy_sources: frozenset[str] = frozenset()
    content_types: frozenset[str] = frozenset()
    sections: frozenset[str] = frozenset()
    labels: Mapping[str, frozenset[str]] = field(default_factory=dict)
    labels_excluded: Mapping[str, frozenset[str]] = field(default_factory=dict)
    without_chunks: frozenset[str] = frozenset()

    def without_global(self) -> "IndexFilter":
        """The same filter for the rules that places have of their own."""
        return replace(self, places=(self.places or frozenset()) - {GLOBAL})

    def for_sources(self, slugs: frozenset[str]) -> "IndexFilter":
        """The same filter for other policy sources (none: as before)."""
        return replace(self, policy_sources=slugs) if slugs else self


@dataclass(frozen=True, slots=True)
class IndexQuery:
    """A hybrid search: `terms` for the keyword leg, `vector` for the vector leg (None: keyword only)."""

    terms: tuple[QueryTerm, ...]
    vector: Vector | None
    filter: IndexFilter
    limit: int
    depth: int = 100


@dataclass(frozen=True, slots=True)
class IndexHit:
    """`score` in [0, 1] after fusion, higher is better; `cosine` in [-1, 1] where the vector leg saw the chunk."""

    chunk_id: str
    score: float
    cosine: float | None = None


@dataclass(frozen=True, slots=True)
class IndexResult:
    """Hits, best first, ties in a fixed order; `degraded` names legs that did not answer ("vector", "keyword")."""

    hits: tuple[IndexHit, ...]
    degraded: tuple[str, ...] = ()


class SearchIndex(Protocol):
    """Ids and scores of the chunks nearest to a query. `limit <= 0` gives no hits. The builder closes it.

    Raises Unavailable; "index_missing" where there is none: silence would be taken for the policies'.
    """

    async def search(self, query: IndexQuery) -> IndexResult: ...

    async def aclose(self) -> None: ...


@dataclass(frozen=True, slots=True)
class VersionText:
    """A whole version: its normal-form text, in which every chunk's offsets count."""

    version: DocumentVersion
    text: str


class PolicyStore(Protocol):
    """The source of truth, read only. Everything is checked again here: audience, status, and day where given.

    What does not exist and what the groups may not see look the same: left out, or None. `supersedes` names only what
    they may see, and nothing in passages. The builder closes it.
    """

    async def passages(
        self, chunk_ids: Sequence[str], groups: frozenset[str], day: date | None
    ) -> list[Passage]: ...  # in the order of `chunk_ids`; ids that fail the checks are left out

    async def section(
        self, doc_id: str, first_index: int, last_index: int, groups: frozenset[str]
    ) -> list[Passage]: ...  # chunks of one version by chunk_index, both ends included, in order

    async def sources(
        self, groups: frozenset[str]
    ) -> list[PolicySource]: ...  # those with documents; by slug; counts and labels are of what may be seen

    async def versions(
        self, groups: frozenset[str], document_id: str | None = None
    ) -> list[DocumentVersion]: ...  # by document_id, effective_from, doc_id

    async def version_text(self, doc_id: str, groups: frozenset[str]) -> VersionText | None: ...


class HiddenDocuments(Protocol):
    """Documents that somebody may not see, for telling him so where he names one himself. Raises Unavailable."""

    async def any_named(self, text: str, groups: frozenset[str]) -> bool:
        """Whether `text` names one (see `rag_core.revealing`) of which the groups may see no version."""
        ...


class ChangeReader(Protocol):
    """What changed in policies, for those who may see it. Raises Unavailable. The builder closes it."""

    async def changes(
        self, wanted: ChangesWanted, groups: frozenset[str], limit: int | None = None
    ) -> list[PolicyChange]:
        """In the order of `changed_on` and `change_id`; with `wanted.after` in that of `change_id`; backwards with
        `wanted.newest_first`.

        Somebody who may not see the version before sees a document that is new. An unknown source has no changes.
        """
        ...


class IndexCopies(Protocol):
    """The public documents as the index last learned of them, for while the store does not answer.

    Restricted documents are never among them. May be behind the store, so whoever shows them says so. Raises
    Unavailable. Whoever builds it closes it.
    """

    async def passages(
        self, chunk_ids: Sequence[str], day: date | None
    ) -> list[Passage]: ...  # in the order of `chunk_ids`; ids without a copy are left out

    async def section(
        self, doc_id: str, first_index: int, last_index: int
    ) -> list[Passage]: ...  # chunks of one version by chunk_index, both ends included, in order


class Embedder(Protocol):
    """Text to unit vectors. `max_tokens` is what the model reads, longer text would be cut: never pass it.

    Raises Unavailable when the model does not answer.
    """

    @property
    def model(self) -> str: ...

    @property
    def dimensions(self) -> int: ...

    @property
    def max_tokens(self) -> int: ...

    def count_tokens(self, text: str) -> int: ...

    async def embed(self, texts: Sequence[str]) -> list[Vector]: ...


class Reranker(Protocol):
    """A model that reads a question and a passage together. Raises Unavailable when it does not answer.

    Who waits no longer stops it as soon as it can be stopped. The builder closes it.
    """

    async def score(self, question: str, passages: Sequence[str]) -> list[float]:
        """How well each passage answers the question, in [0, 1]; a passage is read from its start as far as it fits."""
        ...

    async def aclose(self) -> None: ...


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """What a language model is asked. `schema`: the JSON schema that its output follows (None: free text).

    At most `max_tokens` come back.
    """

    system: str
    user: str
    max_tokens: int
    schema: Mapping[str, object] | None = None


@dataclass(frozen=True, slots=True)
class TokenUsage:
    """Tokens read and written; `estimated`: the model did not say how many. `cost` is in the currency of the prices
    that were set, None where none was."""

    prompt: int = 0
    completion: int = 0
    cost: float | None = None
    estimated: bool = False

    def __add__(self, other: "TokenUsage") -> "TokenUsage":
        costs = [each.cost for each in (self, other) if each.cost is not None]
        return TokenUsage(
            self.prompt + other.prompt,
            self.completion + other.completion,
            sum(costs) if costs else None,
            self.estimated or other.estimated,
        )


@dataclass(frozen=True, slots=True)
class ModelPiece:
    """A piece of the text, in order. Only the last piece has `usage`; `cut`: the text ended because of `max_tokens`."""

    text: str
    usage: TokenUsage | None = None
    cut: bool = False


class AnswerModel(Protocol):
    """A language model at temperature 0. `window`: tokens of request and output together, at most.

    What it writes is a draft: nobody shows it before it was verified. Raises Unavailable ("model_busy", "model_slow",
    "model_failed", "model_refused"; "model_declined" and "model_too_long" where it is this one request that does not
    suit); `stream` also in the middle, after pieces that hold. Whoever closes a stream, or is cancelled, stops the
    model. The builder closes it.
    """

    @property
    def name(self) -> str: ...

    @property
    def window(self) -> int: ...

    def count_tokens(self, text: str) -> int: ...

    async def generate(self, request: ModelRequest) -> ModelPiece: ...

    def stream(self, request: ModelRequest) -> AsyncGenerator[ModelPiece, None]: ...


class Breaker(Protocol):
    """Spares a service that does not answer, and those who would wait for it. One for each service, for everybody.

    `guard` goes around one call: it raises Unavailable("circuit_open", dependency=...) at once while the circuit is
    open. Unavailable and TimeoutError inside count as failures and pass through; other errors, a cancelled caller and
    a deadline that left the service no fair time do not count. After a while one call is let through as a probe.
    """

    def guard(self) -> AbstractAsyncContextManager[None]: ...


class Watching(Protocol):
    """Whoever does not wait for the whole answer. Told at once and in order; both calls return quickly and raise
    nothing.

    The statements told are the first ones of the answer, with the numbers that their citations have in it. An answer
    of which none was told, or that ended in an error, is seen as a whole or not at all.
    """

    def understood(self, question: Question) -> None: ...

    def stated(self, statement: Statement) -> None: ...


class NobodyWatching:
    """For those who wait for the whole answer."""

    def understood(self, question: Question) -> None: ...

    def stated(self, statement: Statement) -> None: ...


async def whole(stream: AsyncGenerator[ModelPiece, None]) -> ModelPiece:
    """All pieces of `stream` as one, with the usage and the cut of the last; `stream` is closed however it ends."""
    text, last = "", ModelPiece("")
    async with aclosing(stream) as pieces:
        async for last in pieces:
            text += last.text
    return ModelPiece(text, last.usage, last.cut)
