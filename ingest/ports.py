"""What ingesting needs from outside. Implementations live in `adapters`, sources in `ingest.sources`."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Protocol

from rag_core.documents import Classification, ContentType, DocumentVersion, Passage, PolicyChunk, PolicySource
from rag_core.ports import Vector


@dataclass(frozen=True, slots=True)
class SourceDefaults:
    """What holds for every document of a source unless the document says otherwise.

    `guessed`: the policy source was made up from a folder's name; only then a document's own wins.
    """

    policy_source: PolicySource
    region: str = "global"
    content_type: ContentType = ContentType.GENERAL
    classification: Classification = Classification.PUBLIC
    allowed_groups: frozenset[str] = frozenset()
    labels: Mapping[str, str] = field(default_factory=dict)
    guessed: bool = False


@dataclass(frozen=True, slots=True)
class Discovered:
    """Something a source has: `origin` is stable for one document file or page over time."""

    origin: str
    file_name: str


@dataclass(frozen=True, slots=True)
class RawDocument:
    """Bytes as fetched. `url` is the public address, if there is one."""

    origin: str
    file_name: str
    content: bytes
    mime_type: str
    url: str | None = None


class Source(Protocol):
    """Where documents come from. Fetching raises Rejected for what can never be read, Unavailable for "try again"."""

    @property
    def source_id(self) -> str: ...

    @property
    def defaults(self) -> SourceDefaults: ...

    async def discover(self) -> Sequence[Discovered]: ...

    async def fetch(self, item: Discovered) -> RawDocument: ...

    async def aclose(self) -> None: ...


@dataclass(frozen=True, slots=True)
class VersionWrite:
    """One version to store with all that belongs to it; one transaction. `text` is in normal form."""

    version: DocumentVersion
    source_id: str
    text: str
    chunks: tuple[PolicyChunk, ...]


@dataclass(frozen=True, slots=True)
class VersionUpdate:
    """New bounds or status of a version that is stored already; its chunks follow."""

    doc_id: str
    effective_to: date | None
    status: str
    supersedes: str | None


@dataclass(frozen=True, slots=True)
class OutboxItem:
    """A version whose chunks the index does not show as the store has them yet."""

    item_id: int
    doc_id: str


class VersionStore(Protocol):
    """The canonical store, for writing. A stored doc_id is never overwritten: Rejected("doc_id_exists")."""

    async def declare(self, source: PolicySource) -> None:
        """Make a policy source known, or change its names."""
        ...

    async def stored(self, source_id: str) -> list[DocumentVersion]:
        """Every version that came from this source, by document_id, effective_from, doc_id."""
        ...

    async def save(self, writes: Sequence[VersionWrite], updates: Sequence[VersionUpdate]) -> None:
        """All of it in one transaction, together with an outbox item for each version touched."""
        ...

    async def checked(self, doc_ids: Sequence[str], at: datetime) -> None:
        """The source was looked at, and these versions are still what it holds."""
        ...


class EmbeddingStore(Protocol):
    """Embeddings keyed by content hash and model, so that nothing is embedded twice."""

    async def known(self, model: str, content_hashes: Sequence[str]) -> dict[str, Vector]: ...

    async def keep(self, model: str, vectors: Mapping[str, Vector]) -> None: ...


@dataclass(frozen=True, slots=True)
class OutboxLag:
    """How far the index is behind the store: items that wait, those of them that failed before, and since when the
    oldest waits (None: nothing waits)."""

    waiting: int
    failing: int
    oldest: datetime | None
    last_reason: str | None = None


class Outbox(Protocol):
    """What the index still has to learn. An item stays until it is done, whatever dies in between."""

    async def pending(self, limit: int) -> list[OutboxItem]: ...

    async def chunks(self, doc_id: str) -> list[Passage]:
        """The chunks of a version as they are to be indexed; none if it is shown for no day."""
        ...

    async def done(self, item_ids: Sequence[int]) -> None: ...

    async def failed(self, item_id: int, reason: str) -> None: ...

    def all_passages(self) -> AsyncIterator[list[Passage]]:
        """Every chunk that belongs in an index, in batches: for a rebuild and for `doctor`."""
        ...


class OutboxState(Protocol):
    """What an operator asks of the outbox. Implemented by the same class."""

    async def lag(self) -> OutboxLag: ...

    async def waiting(self) -> list[OutboxItem]:
        """All items there are, failing ones too: what a rebuild that begins now makes needless.

        Items and not a bound: one whose transaction is still open may get a smaller id than one that is seen.
        """
        ...


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """A chunk to index, with what filters need of its version."""

    passage: Passage
    vector: Vector


@dataclass(frozen=True, slots=True)
class IndexedChunk:
    """What an index has of a chunk: its version, and `ingest.fingerprints.fingerprint` as it was when indexed."""

    doc_id: str
    fingerprint: str


class IndexWriter(Protocol):
    """The searchable copy. Writing is idempotent: entries replace those of the same chunk id."""

    async def write(self, doc_id: str, entries: Sequence[IndexEntry]) -> None:
        """Make these all the chunks that the index has of this version (none: the version is removed)."""
        ...

    async def commit(self) -> Mapping[str, str]:
        """Make what was written visible, to every process.

        Versions that the index refuses are left out and given back with the reason (doc_id -> reason); the others
        are committed. Raises Unavailable when nothing, or not everything else, could be committed: what was written
        is forgotten then, as it may be out of date before the next commit, so write it again;
        Unavailable("index_missing") where there is no index: rebuild, because one with this in it alone would be wrong.
        """
        ...

    async def rebuild(self, entries: AsyncIterator[Sequence[IndexEntry]]) -> Mapping[str, str]:
        """A new index beside the live one, swapped in when complete; a failure leaves the live one as it was.

        Each batch holds whole versions. Those that the index refuses are left out and given back with the reason
        (doc_id -> reason).
        """
        ...

    async def indexed(self) -> Mapping[str, IndexedChunk]:
        """Everything in the index, by chunk id."""
        ...

    async def is_current(self) -> bool:
        """Whether there is an index of the shape this code writes, with vectors of its model; if not: rebuild."""
        ...


class LeaderLease(Protocol):
    """Keeps two processes from the same work. What a dead process held is free again at once or soon."""

    def hold(self, work: str, wait_seconds: float) -> AbstractAsyncContextManager[bool]:
        """True: ours until the end of the block. False: somebody else kept it for all of `wait_seconds`.

        Raises Unavailable when nobody can tell.
        """
        ...
