"""What ingesting needs from outside. Implementations live in `adapters`, sources in `ingest.sources`."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum
from typing import Protocol

from rag_core.documents import Classification, ContentType, DocumentVersion, Passage, PolicyChunk, PolicySource
from rag_core.ports import Vector


@dataclass(frozen=True, slots=True)
class SourceDefaults:
    """What holds for every document of a source unless the document says otherwise.

    `guessed`: the policy source was made up from a folder's name; only then a document's own wins. `misses`: how often
    in a row a document must be missing before it is retired (a website may lose a page for an hour).
    `suspicious_shrink`: the share of its text, 0 to 1, that a new version may lose without being held for review.
    `chunker`: a name that `ingest.chunkers.factory.chunker_of` knows. `same_pages_once`: a document with the very bytes
    of another one is that one, under a second address.
    """

    policy_source: PolicySource
    region: str = "global"
    content_type: ContentType = ContentType.GENERAL
    classification: Classification = Classification.PUBLIC
    allowed_groups: frozenset[str] = frozenset()
    labels: Mapping[str, str] = field(default_factory=dict)
    guessed: bool = False
    misses: int = 1
    chunker: str = "sections"
    suspicious_shrink: float = 0.8
    same_pages_once: bool = False


@dataclass(frozen=True, slots=True)
class Discovered:
    """Something a source has: `origin` is stable for one document file or page over time (for one dated version of it
    where the source keeps history).

    `revision`: what the source says about its state (an ETag, a commit, a count of posts); None where it says nothing.
    As long as it stays the same, the document is not fetched. `is_read` False: a document of a type that no parser
    reads, to be named and left.
    """

    origin: str
    file_name: str
    revision: str | None = None
    is_read: bool = True


@dataclass(frozen=True, slots=True)
class RawDocument:
    """Bytes as fetched. `url` is the public address, if there is one.

    `facts`: what the source knows of it, in the words of front matter (`ingest.model.facts`): title, document_id,
    effective_from, regions, labels, author, posted_at, post_number, url, classification, allowed_groups ... What the
    document states itself wins. `revision`: of what was fetched, where only fetching tells. `chunked` False: it stays
    one chunk, if the model can read it whole.
    """

    origin: str
    file_name: str
    content: bytes
    mime_type: str
    url: str | None = None
    facts: Mapping[str, object] = field(default_factory=dict)
    revision: str | None = None
    chunked: bool = True


class Source(Protocol):
    """Where documents come from. Fetching raises Rejected for what can never be read, Unavailable for "try again".

    Misconfigured, Rejected or Unavailable out of `discover`: nothing is known about the source now, and nothing that
    is stored of it changes.
    """

    @property
    def source_id(self) -> str: ...

    @property
    def defaults(self) -> SourceDefaults: ...

    async def discover(self) -> Sequence[Discovered]: ...

    async def fetch(self, item: Discovered, known_revision: str | None = None) -> RawDocument | None:
        """The document; None if it still is what it was at `known_revision`."""
        ...

    async def aclose(self) -> None: ...


@dataclass(frozen=True, slots=True)
class ItemState:
    """What is remembered of one item of a source between two runs.

    `misses`: how often in a row the source no longer had it. `failures`: how often in a row fetching or reading it
    failed; `failed_with` is the code of the last one, and before `retry_at` it is not tried again.
    """

    origin: str
    revision: str | None = None
    misses: int = 0
    failures: int = 0
    failed_with: str | None = None
    retry_at: datetime | None = None


class SourceStates(Protocol):
    """What is remembered of the items of each source."""

    async def known(self, source_id: str) -> dict[str, ItemState]:
        """By origin."""
        ...

    async def keep(self, source_id: str, states: Sequence[ItemState]) -> None:
        """Replaces what is remembered of these origins."""
        ...

    async def forget(self, source_id: str, origins: Sequence[str]) -> None: ...


@dataclass(frozen=True, slots=True)
class SourceRun:
    """The last look at a source. `finished_at` None: it is under way, or was broken off.

    `outcome`: "" for a look that could be made, else the code of what stood in its way. `failures`: how often in a row
    something did, or a look was broken off twice and more.
    """

    source_id: str
    started_at: datetime
    finished_at: datetime | None = None
    outcome: str = ""
    failures: int = 0


class SourceRuns(Protocol):
    """When each source was looked at last, for all processes."""

    async def known(self) -> dict[str, SourceRun]:
        """By source id; a source that was never looked at is missing."""
        ...

    async def keep(self, run: SourceRun) -> None:
        """Replaces what is remembered of this source."""
        ...


class RemovalKind(StrEnum):
    DOCUMENT = "document"
    SOURCE = "source"


@dataclass(frozen=True, slots=True)
class Removal:
    """Somebody's decision that a document, or all of a source, is not to be shown from that day on.

    `target`: a document_id or a source_id. `all_days`: nor for any day before. `person`: the account that said so.
    """

    kind: RemovalKind
    target: str
    person: str
    at: datetime
    reason: str = ""
    all_days: bool = False
    removal_id: int = 0
    undone_at: datetime | None = None
    undone_by: str | None = None


class Removals(Protocol):
    """What was removed, by whom and why; nothing recorded here is ever deleted."""

    async def record(self, removal: Removal) -> int:
        """Its new `removal_id` (the one in `removal` counts for nothing). One of the same target and days that is in
        force already stays as it is, and its id comes back."""
        ...

    async def all(self) -> list[Removal]:
        """Oldest first, undone ones too."""
        ...

    async def undo(self, removal_id: int, person: str, at: datetime) -> Removal:
        """As it is then. Raises Rejected("unknown_removal") where there is none, or it is undone already."""
        ...

    async def removable(self) -> dict[str, frozenset[str]]:
        """Everything there is to remove: the document_ids by the source_id that they came from."""
        ...


class RawFiles(Protocol):
    """The bytes of every version, kept once by their SHA-256 (hex)."""

    async def keep(self, sha256: str, content: bytes) -> None: ...

    async def read(self, sha256: str) -> bytes | None: ...


@dataclass(frozen=True, slots=True)
class VersionWrite:
    """One version to store with all that belongs to it; one transaction. `text` is in normal form."""

    version: DocumentVersion
    source_id: str
    text: str
    chunks: tuple[PolicyChunk, ...]


@dataclass(frozen=True, slots=True)
class VersionUpdate:
    """New bounds or status of a version that is stored already; its chunks follow.

    `effective_from`, `open_start`: None where they stay; only a version that was never shown gets another first day.
    """

    doc_id: str
    effective_to: date | None
    status: str
    supersedes: str | None
    effective_from: date | None = None
    open_start: bool | None = None


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

    async def text(self, doc_id: str) -> str | None:
        """The text of a version in normal form, whatever its status; None where there is no such version."""
        ...

    async def held(self) -> list[DocumentVersion]:
        """Every version with the status HELD, from all sources, by document_id, effective_from, doc_id."""
        ...

    async def history(self, document_id: str) -> list[DocumentVersion]:
        """Every version of a document, whatever its status, by effective_from, doc_id."""
        ...

    async def source_of(self, doc_id: str) -> str | None:
        """The source_id of the source that a version came from; None where there is no such version."""
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
    """What an index has of a chunk: its version, and `ingest.model.fingerprints.fingerprint` as it was when indexed."""

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
