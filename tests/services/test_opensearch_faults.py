"""OpenSearch that refuses, is full, is blocked, is somebody else's or does half: never a wrong answer, nothing lost."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

import numpy as np
import pytest

from adapters.opensearch.client import OpenSearchClient
from adapters.opensearch.index import OpenSearchIndex
from adapters.opensearch.index_writer import OpenSearchIndexWriter, Patience
from rag_core.errors import Unavailable
from rag_core.ports import IndexQuery
from tests.fakes.documents import Section, make_version, make_write
from tests.fakes.indexes import (
    DIMENSIONS,
    EMBEDDER,
    PUBLIC,
    IndexPair,
    chunk_ids,
    in_batches,
    one_chunk,
    opensearch_client,
    pipelines,
    query,
    terms,
    vectorised,
)
from tests.fakes.opensearch_front import OpenSearchFront, error, front_of, hang, queries_with, refusing_items, when
from tests.fakes.services import address_of

pytestmark = pytest.mark.services

BEER = one_chunk("acme_beer", "beer ads")
WINE = one_chunk("acme_wine", "wine ads")
OFTEN = Patience(first_wait=0.02, longest_wait=0.1)


@dataclass(frozen=True, slots=True)
class Troubled:
    """A pair that reaches the cluster through the front, and a client that reaches it directly."""

    pair: IndexPair
    front: OpenSearchFront
    direct: OpenSearchClient
    alias: str


@asynccontextmanager
async def troubled(
    model: str = EMBEDDER.model, dimensions: int = DIMENSIONS, patience: Patience = OFTEN
) -> AsyncIterator[Troubled]:
    async with opensearch_client() as direct, front_of(address_of("opensearch")) as front:
        prefix = direct.settings.prefix
        async with opensearch_client(front.url, prefix=prefix, seconds=20.0) as client:
            index = OpenSearchIndex(client, model=model, dimensions=dimensions)
            writer = OpenSearchIndexWriter(client, model=model, dimensions=dimensions, patience=patience)
            yield Troubled(IndexPair(index, writer), front, direct, f"{prefix}-chunks")
            front.trouble = None


@pytest.fixture
async def it() -> AsyncIterator[Troubled]:
    async with troubled() as made:
        await made.pair.writer.rebuild(in_batches([BEER, WINE]))
        yield made


@pytest.mark.parametrize(
    ("leg", "kind", "others"), [("vector", "knn", [BEER]), ("keyword", "match_phrase", [BEER, WINE])]
)
@pytest.mark.parametrize("status", [400, 500])
async def test_one_leg_that_fails_leaves_the_other(
    it: Troubled, leg: str, kind: str, others: list[object], status: int
) -> None:
    it.front.trouble = when(queries_with(kind), lambda: error(status, "query_shard_exception"))
    result = await it.pair.index.search(query("beer"))
    assert result.degraded == (leg,)
    assert [hit.chunk_id for hit in result.hits] == chunk_ids(*others)  # type: ignore[arg-type]
    assert result.hits[0].score == 1.0


async def test_both_legs_that_fail_are_no_answer(it: Troubled) -> None:
    it.front.trouble = when(queries_with("query"), lambda: error(500, "exception"))
    for asked in (query("beer"), replace(query("beer"), vector=None), replace(query("beer"), terms=())):
        with pytest.raises(Unavailable, match="index_failed") as caught:
            await it.pair.index.search(asked)
        assert set(caught.value.details["legs"]) <= {"keyword", "vector"}  # type: ignore[call-overload]


async def test_a_cluster_that_cannot_fuse_is_helped_out(it: Troubled) -> None:
    whole = [hit.chunk_id for hit in await it.pair.hits("beer ads")]
    it.front.trouble = when(queries_with("hybrid"), lambda: error(400, "parsing_exception"))
    result = await it.pair.index.search(query("beer ads"))
    assert (result.degraded, [hit.chunk_id for hit in result.hits]) == ((), whole)


async def test_a_question_whose_vector_is_no_number_leaves_the_words(it: Troubled) -> None:
    nothing = np.full(DIMENSIONS, np.nan, dtype=np.float32)
    result = await it.pair.index.search(IndexQuery(terms("beer"), nothing, PUBLIC, 10))
    assert ([hit.chunk_id for hit in result.hits], result.degraded) == (chunk_ids(BEER), ("vector",))
    with pytest.raises(Unavailable, match="index_failed"):
        await it.pair.index.search(IndexQuery((), nothing, PUBLIC, 10))


async def test_an_answer_of_some_shards_is_none(it: Troubled) -> None:
    """Whatever is searched, the cluster is told so: some shards' hits would be a wrong answer."""
    await it.pair.find("beer")
    await it.pair.writer.indexed()
    searches = [each for each in it.front.asked if "/_search?" in each]
    assert len(searches) >= 2
    assert all("allow_partial_search_results=false" in each for each in searches)


async def test_a_full_queue_delays_a_search(it: Troubled) -> None:
    it.front.trouble = when(queries_with("hybrid"), lambda: error(429, "rejected_execution_exception"), 3)
    assert await it.pair.find("beer") == [hit.chunk_id for hit in await it.pair.hits("beer")]
    it.front.trouble = when(queries_with("hybrid"), lambda: error(429, "rejected_execution_exception"))
    async with opensearch_client(it.front.url, prefix=it.direct.settings.prefix, seconds=3.0) as client:
        index = OpenSearchIndex(client, model=EMBEDDER.model, dimensions=DIMENSIONS)
        with pytest.raises(Unavailable, match="index_overloaded"):
            await index.search(query("beer"))


@pytest.mark.parametrize("status", [502, 503])
async def test_a_cluster_that_is_down_is_asked_once(it: Troubled, status: int) -> None:
    it.front.trouble = when(queries_with("query"), lambda: error(status, "no_master"))
    before = len(it.front.seen)
    with pytest.raises(Unavailable, match="index_down"):
        await it.pair.find("beer")
    assert len(it.front.seen) == before + 1


async def test_pipelines_that_are_gone_are_made_again(it: Troubled) -> None:
    await it.pair.find("beer")
    before = await it.pair.hits("beer ads")
    for name in await pipelines(it.direct):
        if name.startswith(it.direct.settings.prefix):
            await it.direct.call("DELETE", f"/_search/pipeline/{name}")
    assert await it.pair.hits("beer ads") == before
    assert any(
        f"PUT /_search/pipeline/{it.direct.settings.prefix}-minmax-500000-500000" == each for each in it.front.seen
    )


async def test_items_that_find_no_room_are_sent_again_and_only_they(it: Troubled) -> None:
    bulks = []
    refuse = refusing_items(
        lambda document: document["doc_id"].startswith("acme_1"), 429, "rejected_execution_exception"
    )
    left = [2]

    async def trouble(request: object, body: bytes) -> object:
        if not request.path.endswith("/_bulk"):  # type: ignore[attr-defined]
            return None
        bulks.append(body.count(b'{"index"'))
        left[0] -= 1
        return await it.front.partly(request, body, refuse) if left[0] >= 0 else None  # type: ignore[arg-type]

    it.front.trouble = trouble  # type: ignore[assignment]
    writes = [one_chunk(f"acme_{n}", f"alcohol rule {n}") for n in range(4)]
    await it.pair.fill(*writes)
    assert bulks == [4, 1, 1]
    assert set(chunk_ids(*writes)) <= set(await it.pair.writer.indexed())


async def test_a_queue_that_stays_full_ends_the_commit_and_nothing_is_lost() -> None:
    whisky = one_chunk("acme_whisky", "whisky ads")
    async with troubled(patience=replace(OFTEN, seconds=4.0)) as it:  # for each request: the others are to be answered
        await it.pair.writer.rebuild(in_batches([BEER, WINE]))
        it.front.trouble = when(lambda request, _: request.path.endswith("/_bulk"), lambda: error(429, "full"))
        with pytest.raises(Unavailable, match="index_overloaded"):
            await it.pair.fill(whisky)
        it.front.trouble = None
        await it.pair.fill(whisky)
        assert chunk_ids(whisky)[0] in await it.pair.writer.indexed()


async def test_a_refused_chunk_takes_its_version_along_and_no_other(it: Troubled) -> None:
    version = make_version("acme_drinks")
    before = make_write(version, [Section("Beer", "stout ads"), Section("Cider", "cider ads")])
    await it.pair.fill(before)
    after = make_write(
        version, [Section("Beer", "stout ads"), Section("Perry", "perry ads"), Section("Bad", "bad ads")]
    )
    broken = replace(after, chunks=(*after.chunks[:2], replace(after.chunks[2], policy_section_level=70_000)))
    whisky = one_chunk("acme_whisky", "whisky ads")
    for write in (broken, whisky):
        await it.pair.writer.write(write.version.doc_id, vectorised(write))
    refused = await it.pair.writer.commit()
    assert list(refused) == [version.doc_id]
    assert "level" in refused[version.doc_id]
    assert sorted(await it.pair.writer.indexed()) == sorted(chunk_ids(BEER, WINE, whisky))
    assert await it.pair.writer.commit() == {}
    await it.pair.fill(after)
    assert set(chunk_ids(after)) <= set(await it.pair.writer.indexed())


async def test_a_rebuild_leaves_out_what_is_refused_and_says_so(it: Troubled) -> None:
    version = make_version("acme_drinks")
    write = make_write(version, [Section("Beer", "stout ads"), Section("Cider", "cider ads")])
    broken = replace(write, chunks=(write.chunks[0], replace(write.chunks[1], policy_section_level=70_000)))
    refused = await it.pair.writer.rebuild(in_batches([BEER, broken, WINE]))
    assert list(refused) == [version.doc_id]
    assert sorted(await it.pair.writer.indexed()) == sorted(chunk_ids(BEER, WINE))


async def test_an_index_that_may_not_be_written_says_so_and_comes_back_by_itself(it: Troubled) -> None:
    name = next(iter(await it.direct.call("GET", f"/_alias/{it.alias}")))
    await it.direct.call("PUT", f"/{name}/_settings", {"index.blocks.write": True})
    whisky = one_chunk("acme_whisky", "whisky ads")
    with pytest.raises(Unavailable, match="index_read_only"):
        await it.pair.fill(whisky)
    assert await it.pair.find("beer") != []
    await it.direct.call("PUT", f"/{name}/_settings", {"index.blocks.write": False})
    await it.pair.fill(whisky)
    assert chunk_ids(whisky)[0] in await it.pair.writer.indexed()


async def test_a_full_disk_is_an_index_that_may_not_be_written(it: Troubled) -> None:
    name = next(iter(await it.direct.call("GET", f"/_alias/{it.alias}")))
    await it.direct.call("PUT", f"/{name}/_settings", {"index.blocks.read_only_allow_delete": True})
    whisky = one_chunk("acme_whisky", "whisky ads")
    with pytest.raises(Unavailable, match="index_read_only"):
        await it.pair.fill(whisky)
    await it.direct.call("PUT", f"/{name}/_settings", {"index.blocks.read_only_allow_delete": None})
    await it.pair.fill(whisky)
    assert chunk_ids(whisky)[0] in await it.pair.writer.indexed()


async def test_an_index_of_another_model_never_answers_and_is_rebuilt(it: Troubled) -> None:
    prefix = it.direct.settings.prefix
    async with opensearch_client(prefix=prefix) as client:
        index = OpenSearchIndex(client, model="other", dimensions=DIMENSIONS)
        writer = OpenSearchIndexWriter(client, model="other", dimensions=DIMENSIONS)
        assert not await writer.is_current()
        await writer.write(BEER.version.doc_id, vectorised(BEER))
        missed = query("nothing like it", replace(PUBLIC, policy_sources=frozenset({"nobody"})))
        for attempt in (index.search(query("beer")), index.search(missed), writer.commit(), writer.indexed()):
            with pytest.raises(Unavailable, match="index_outdated"):
                await attempt
        await writer.rebuild(in_batches([BEER]))
        assert await writer.is_current()
        assert [hit.chunk_id for hit in (await index.search(query("beer"))).hits] == chunk_ids(BEER)
        with pytest.raises(Unavailable, match="index_outdated"):
            await it.pair.find("beer")


@pytest.mark.parametrize(
    "mappings",
    [
        {"properties": {"text": {"type": "keyword"}}},
        {"dynamic": "strict", "_meta": {"schema": 0, "model": EMBEDDER.model, "dimensions": DIMENSIONS}},
        {"_meta": {"schema": 1, "model": EMBEDDER.model, "dimensions": DIMENSIONS + 1}},
    ],
    ids=["somebody else's", "an older version's", "other vectors"],
)
async def test_an_index_of_another_shape_never_answers_and_is_rebuilt(mappings: dict[str, object]) -> None:
    async with troubled() as it:
        await it.direct.call("PUT", f"/{it.alias}-0-abc", {"mappings": mappings, "aliases": {it.alias: {}}})
        assert not await it.pair.writer.is_current()
        with pytest.raises(Unavailable, match="index_outdated"):
            await it.pair.find("beer")
        with pytest.raises(Unavailable, match="index_outdated"):
            await it.pair.fill(BEER)
        await it.pair.writer.rebuild(in_batches([BEER]))
        assert await it.pair.writer.is_current()
        assert await it.pair.find("beer") == chunk_ids(BEER)
        assert await it.pair.writer.commit() == {}


async def test_a_search_that_hangs_ends_with_the_time_it_was_given(it: Troubled) -> None:
    it.front.trouble = hang
    async with opensearch_client(it.front.url, prefix=it.direct.settings.prefix, seconds=0.4) as client:
        index = OpenSearchIndex(client, model=EMBEDDER.model, dimensions=DIMENSIONS)
        async with asyncio.timeout(20):
            with pytest.raises(Unavailable, match="index_down"):
                await index.search(query("beer"))


async def test_a_killed_commit_shows_nothing_of_itself_and_is_finished_by_the_next(it: Troubled) -> None:
    version = make_version("acme_drinks")
    before = make_write(version, [Section("Beer", "stout ads"), Section("Cider", "cider ads")])
    after = make_write(version, [Section("Beer", "stout ads"), Section("Perry", "perry ads")])
    await it.pair.fill(before)
    it.front.trouble = when(
        lambda request, _: (
            request.path.endswith("/_refresh") and "POST" in it.front.seen[-2] and "_bulk" in it.front.seen[-2]
        ),
        lambda: error(503, "gone"),
    )
    await it.pair.writer.write(version.doc_id, vectorised(after))
    with pytest.raises(Unavailable, match="index_down"):
        await it.pair.writer.commit()
    assert sorted(await it.pair.writer.indexed()) == sorted(chunk_ids(BEER, WINE, before))
    it.front.trouble = None
    async with opensearch_client(prefix=it.direct.settings.prefix) as client:  # another process, after a restart
        writer = OpenSearchIndexWriter(client, model=EMBEDDER.model, dimensions=DIMENSIONS)
        await writer.write(version.doc_id, vectorised(after))
        await writer.commit()
        assert sorted(await writer.indexed()) == sorted(chunk_ids(BEER, WINE, after))
