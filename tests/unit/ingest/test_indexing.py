"""The store brought into the index, on hand-written fakes that refuse and fail as a test says."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import pytest

from ingest.indexing import drain, follow, rebuild_index
from ingest.model.fingerprints import fingerprint
from ingest.ports import IndexedChunk, IndexEntry, OutboxItem, OutboxLag, VersionWrite
from rag_core.documents import Passage
from rag_core.errors import Rejected, Unavailable
from rag_core.ports import Vector
from tests.fakes.documents import Section, make_version, make_write, passages_of
from tests.fakes.embedder import FakeEmbedder

POISON = "poison"


class PickyEmbedder(FakeEmbedder):
    """Refuses a batch with a poisoned text in it, as a model does; stops answering on `down`."""

    down = False

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        if self.down:
            raise Unavailable("embedder_failed")
        if any(POISON in text for text in texts):
            raise Rejected("text_too_long")
        return await super().embed(texts)


class KeptEmbeddings:
    def __init__(self) -> None:
        self.kept: dict[str, Vector] = {}

    async def known(self, model: str, content_hashes: Sequence[str]) -> dict[str, Vector]:
        return {each: self.kept[each] for each in content_hashes if each in self.kept}

    async def keep(self, model: str, vectors: Mapping[str, Vector]) -> None:
        self.kept.update(vectors)


@dataclass
class ListedOutbox:
    """What the store has, given in batches of `at_a_time` chunks, and the items that wait."""

    writes: dict[str, VersionWrite]
    items: list[OutboxItem]
    at_a_time: int = 500
    reasons: dict[int, str] = field(default_factory=dict)

    async def pending(self, limit: int) -> list[OutboxItem]:
        return [item for item in self.items if item.item_id not in self.reasons][:limit]

    async def chunks(self, doc_id: str) -> list[Passage]:
        return passages_of(self.writes[doc_id]) if doc_id in self.writes else []

    async def done(self, item_ids: Sequence[int]) -> None:
        self.items = [item for item in self.items if item.item_id not in item_ids]

    async def failed(self, item_id: int, reason: str) -> None:
        self.reasons[item_id] = reason

    async def all_passages(self) -> AsyncIterator[list[Passage]]:
        everything = [each for write in self.writes.values() for each in passages_of(write)]
        for start in range(0, len(everything), self.at_a_time):
            yield everything[start : start + self.at_a_time]

    async def lag(self) -> OutboxLag:
        return OutboxLag(len(self.items), len(self.reasons), None)

    async def waiting(self) -> list[OutboxItem]:
        return list(self.items)


@dataclass
class ListedWriter:
    """An index in a dictionary; None: there is none. `refuses` when written, `leaves_out` when committed."""

    chunks: dict[str, IndexedChunk] | None = None
    refuses: frozenset[str] = frozenset()
    leaves_out: frozenset[str] = frozenset()
    down: bool = False
    batches: list[list[str]] = field(default_factory=list)
    written: dict[str, Sequence[IndexEntry]] = field(default_factory=dict)

    async def write(self, doc_id: str, entries: Sequence[IndexEntry]) -> None:
        if doc_id in self.refuses:
            raise Rejected("vector_not_finite")
        self.written[doc_id] = entries

    async def commit(self) -> Mapping[str, str]:
        written, self.written = self.written, {}
        if self.down:
            raise Unavailable("index_down")
        if self.chunks is None:
            raise Unavailable("index_missing")
        for doc_id, entries in written.items():
            self.chunks = {key: chunk for key, chunk in self.chunks.items() if chunk.doc_id != doc_id}
            self._add(entries)
        return {doc_id: "mapping_refused" for doc_id in written if doc_id in self.leaves_out}

    async def rebuild(self, entries: AsyncIterator[Sequence[IndexEntry]]) -> Mapping[str, str]:
        before, self.chunks = self.chunks, {}
        try:
            async for batch in entries:
                self.batches.append([each.passage.chunk.doc_id for each in batch])
                self._add(batch)
        except Unavailable:
            self.chunks = before
            raise
        seen = {doc_id for batch in self.batches for doc_id in batch}
        return dict.fromkeys(seen & (self.refuses | self.leaves_out), "mapping_refused")

    async def indexed(self) -> Mapping[str, IndexedChunk]:
        return self.chunks or {}

    async def is_current(self) -> bool:
        return self.chunks is not None

    def _add(self, entries: Sequence[IndexEntry]) -> None:
        assert self.chunks is not None
        for each in entries:
            chunk = each.passage.chunk
            if chunk.doc_id not in self.refuses | self.leaves_out:
                self.chunks[chunk.chunk_id] = IndexedChunk(chunk.doc_id, fingerprint(each.passage))


@dataclass
class Desk:
    """All that indexing needs, around a store with these versions; the first item of each version waits."""

    outbox: ListedOutbox
    writer: ListedWriter = field(default_factory=ListedWriter)
    embeddings: KeptEmbeddings = field(default_factory=KeptEmbeddings)
    embedder: PickyEmbedder = field(default_factory=PickyEmbedder)

    async def drain(self) -> int:
        return await drain(self.outbox, self.embeddings, self.writer, self.embedder)

    async def rebuild(self) -> None:
        await rebuild_index(self.outbox, self.embeddings, self.writer, self.embedder)

    async def follow(self) -> None:
        await follow(self.outbox, self.embeddings, self.writer, self.embedder)

    @property
    def waiting(self) -> list[str]:
        return [item.doc_id for item in self.outbox.items]


def version(name: str, *bodies: str) -> VersionWrite:
    return make_write(make_version(f"acme_{name}"), [Section(f"Part {n}", body) for n, body in enumerate(bodies)])


BEER = version("beer", "beer ads", "more on beer")
CIDER = version("cider", "cider ads", f"cider and {POISON}", "more on cider")
WINE = version("wine", "wine ads", "more on wine")
ALL = (BEER, CIDER, WINE)
CIDERS = CIDER.version.doc_id


def desk(*writes: VersionWrite, waiting: Sequence[VersionWrite] | None = None, at_a_time: int = 500) -> Desk:
    """`waiting`: the versions that have an item; None: all."""
    items = [OutboxItem(n, each.version.doc_id) for n, each in enumerate(writes if waiting is None else waiting)]
    return Desk(ListedOutbox({each.version.doc_id: each for each in writes}, items, at_a_time))


def indexed(*writes: VersionWrite) -> dict[str, IndexedChunk]:
    return {
        each.chunk.chunk_id: IndexedChunk(each.chunk.doc_id, fingerprint(each))
        for write in writes
        for each in passages_of(write)
    }


@pytest.mark.parametrize("at_a_time", [1, 2, 3, 4, 5, 6, 7, 500])
async def test_a_rebuild_leaves_out_the_whole_version_that_the_model_refuses(at_a_time: int) -> None:
    """The poisoned chunk is in the middle of a batch, at its edges, or alone in one."""
    it = desk(*ALL, at_a_time=at_a_time)
    await it.rebuild()
    assert it.writer.chunks == indexed(BEER, WINE)
    assert it.waiting == [CIDERS]
    assert it.outbox.reasons == {1: "text_too_long"}


@pytest.mark.parametrize("at_a_time", [1, 3, 500])
async def test_a_rebuild_is_given_whole_versions(at_a_time: int) -> None:
    harmless = [BEER, replace(WINE), version("ale", *(f"ale rule {n}" for n in range(9)))]
    it = desk(*harmless, at_a_time=at_a_time)
    await it.rebuild()
    assert it.writer.chunks == indexed(*harmless)
    batches = [set(batch) for batch in it.writer.batches]
    assert sum(map(len, batches)) == len(harmless)


async def test_a_rebuild_of_a_store_without_chunks_makes_an_index() -> None:
    it = desk()
    await it.rebuild()
    assert (it.writer.chunks, it.writer.batches) == ({}, [])


async def test_a_refused_version_without_an_item_is_left_out_all_the_same() -> None:
    it = desk(*ALL, waiting=[WINE])
    await it.rebuild()
    assert it.writer.chunks == indexed(BEER, WINE)
    assert (it.waiting, it.outbox.reasons) == ([], {})


async def test_what_the_index_refuses_in_a_rebuild_waits_with_the_reason() -> None:
    it = desk(BEER, WINE)
    it.writer.refuses = frozenset({WINE.version.doc_id})
    await it.rebuild()
    assert it.writer.chunks == indexed(BEER)
    assert it.waiting == [WINE.version.doc_id]
    assert it.outbox.reasons == {1: "mapping_refused"}


async def test_what_comes_in_during_a_rebuild_stays_in_the_outbox() -> None:
    it = desk(BEER)

    class Busy(ListedOutbox):
        async def all_passages(self) -> AsyncIterator[list[Passage]]:
            async for batch in super().all_passages():
                self.items.append(OutboxItem(7, BEER.version.doc_id))
                yield batch

    it.outbox = Busy(it.outbox.writes, it.outbox.items)
    await it.rebuild()
    assert [item.item_id for item in it.outbox.items] == [7]


async def test_a_model_that_is_down_leaves_the_index_and_the_outbox_as_they_were() -> None:
    it = desk(BEER, WINE)
    it.writer.chunks = indexed(BEER)
    it.embedder.down = True
    for attempt in (it.rebuild(), it.drain()):
        with pytest.raises(Unavailable, match="embedder_failed"):
            await attempt
    assert it.writer.chunks == indexed(BEER)
    assert it.waiting == [BEER.version.doc_id, WINE.version.doc_id]
    assert it.outbox.reasons == {}


async def test_a_rebuild_embeds_only_what_the_store_lacks() -> None:
    it = desk(BEER, WINE)
    await it.rebuild()
    it.embedder.embedded.clear()
    await it.rebuild()
    assert it.embedder.embedded == []


async def test_draining_leaves_out_what_model_or_index_refuse_and_does_the_rest() -> None:
    ale, mead = version("ale", "ale ads"), version("mead", "mead ads")
    it = desk(*ALL, ale, mead)
    it.writer.chunks = {}
    it.writer.refuses = frozenset({ale.version.doc_id})
    it.writer.leaves_out = frozenset({mead.version.doc_id})
    assert await it.drain() == 2
    assert it.writer.chunks == indexed(BEER, WINE)
    assert it.outbox.reasons == {1: "text_too_long", 3: "vector_not_finite", 4: "mapping_refused"}
    assert it.waiting == [CIDERS, ale.version.doc_id, mead.version.doc_id]


async def test_draining_into_no_index_loses_nothing() -> None:
    it = desk(BEER)
    with pytest.raises(Unavailable, match="index_missing"):
        await it.drain()
    assert it.waiting == [BEER.version.doc_id]
    assert it.outbox.reasons == {}


async def test_nothing_is_written_that_is_not_committed_at_once() -> None:
    """It would go in with a later commit, when it is perhaps out of date."""
    it = desk(BEER, WINE)
    it.writer.chunks = {}
    await it.embeddings.keep("m", {each.content_hash: it.embedder.vector("x") for each in BEER.chunks})
    it.embedder.down = True
    with pytest.raises(Unavailable, match="embedder_failed"):
        await it.drain()
    assert it.writer.written == {}


async def test_a_version_with_several_items_is_settled_with_all_of_them() -> None:
    it = desk(BEER, waiting=[BEER, BEER, BEER])
    it.writer.chunks = {}
    assert await it.drain() == 1
    assert it.waiting == []


async def test_following_drains_into_an_index_and_builds_one_where_there_is_none() -> None:
    it = desk(BEER, WINE, waiting=[WINE])
    it.writer.chunks = {}
    await it.follow()
    assert it.writer.chunks == indexed(WINE)
    it.writer = ListedWriter()
    await it.follow()
    assert it.writer.chunks == indexed(BEER, WINE)
    assert it.waiting == []


async def test_a_version_that_is_shown_no_more_leaves_the_index() -> None:
    it = desk(BEER, WINE)
    await it.rebuild()
    del it.outbox.writes[WINE.version.doc_id]
    it.outbox.items = [OutboxItem(5, WINE.version.doc_id)]
    await it.follow()
    assert it.writer.chunks == indexed(BEER)
    assert it.waiting == []
