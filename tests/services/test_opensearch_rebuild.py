"""A new index beside the live one: no search fails or sees half, and nothing is left lying about."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from blockbuster import blockbuster_ctx

from adapters.opensearch.client import OpenSearchClient
from adapters.opensearch.index import OpenSearchIndex
from adapters.opensearch.index_writer import OpenSearchIndexWriter
from ingest.ports import IndexEntry, VersionWrite
from rag_core.errors import Misconfigured, Unavailable
from tests.fakes.indexes import (
    DIMENSIONS,
    EMBEDDER,
    IndexPair,
    chunk_ids,
    in_batches,
    one_chunk,
    opensearch_client,
    query,
    vectorised,
)
from tests.fakes.opensearch_front import error, front_of, when
from tests.fakes.services import address_of

pytestmark = pytest.mark.services

BEER = one_chunk("acme_beer", "beer ads")
WINE = one_chunk("acme_wine", "wine ads")
NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)


@pytest.fixture
async def client() -> AsyncIterator[OpenSearchClient]:
    async with opensearch_client() as opened:
        yield opened


def pair_of(client: OpenSearchClient, now: datetime = NOON) -> IndexPair:
    index = OpenSearchIndex(client, model=EMBEDDER.model, dimensions=DIMENSIONS)
    writer = OpenSearchIndexWriter(client, model=EMBEDDER.model, dimensions=DIMENSIONS, now=lambda: now)
    return IndexPair(index, writer)


async def filled(client: OpenSearchClient, *writes: VersionWrite) -> IndexPair:
    """A pair whose index was built with these versions."""
    pair = pair_of(client)
    await pair.writer.rebuild(in_batches(writes))
    return pair


async def indexes(client: OpenSearchClient) -> list[str]:
    return sorted(await client.call("GET", f"/{client.settings.prefix}-chunks-*/_alias"))


async def live(client: OpenSearchClient) -> list[str]:
    return sorted(await client.call("GET", f"/_alias/{client.settings.prefix}-chunks"))


async def settings_of(client: OpenSearchClient, name: str) -> dict[str, str]:
    found = await client.call("GET", f"/{name}/_settings", params={"flat_settings": "true"})
    settings: dict[str, str] = found[name]["settings"]
    return settings


async def test_no_search_fails_while_indexes_are_swapped(client: OpenSearchClient) -> None:
    """Each of them sees one whole state, although the index that it searches is removed under its hands."""
    writes = [one_chunk(f"acme_{number}", f"alcohol rule {number}") for number in range(30)]
    pair = await filled(client, *writes)
    everything = sorted(chunk_ids(*writes))
    done = asyncio.Event()
    seen = [0]

    async def search() -> None:
        while not done.is_set():
            result = await pair.index.search(query("alcohol rule", limit=100))
            assert result.degraded == ()
            assert sorted(hit.chunk_id for hit in result.hits) == everything
            seen[0] += 1

    async def rebuild() -> None:
        try:
            for _ in range(8):
                await pair.writer.rebuild(in_batches(writes))
        finally:
            done.set()

    await asyncio.gather(*(search() for _ in range(4)), rebuild())
    assert seen[0] > 20
    assert len(await indexes(client)) == 1


@pytest.mark.parametrize("answer", ["index_not_found_exception", "no_such_index"])
async def test_a_search_that_meets_a_removed_index_is_repeated(client: OpenSearchClient, answer: str) -> None:
    await filled(client, BEER)
    async with (
        front_of(address_of("opensearch")) as front,
        opensearch_client(front.url, prefix=client.settings.prefix) as other,
    ):
        front.trouble = when(
            lambda request, _: request.path.endswith("/_search"),
            lambda: error(404, answer, index=f"{client.settings.prefix}-chunks-1-old"),
            2,
        )
        assert await pair_of(other).find("beer") == chunk_ids(BEER)


async def test_the_swap_is_one_call(client: OpenSearchClient) -> None:
    async with (
        front_of(address_of("opensearch")) as front,
        opensearch_client(front.url, prefix=client.settings.prefix) as other,
    ):
        pair = await filled(other, BEER)
        front.seen.clear()
        await pair.writer.rebuild(in_batches([WINE]))
        assert front.seen.count("POST /_aliases") == 1


async def test_an_index_is_loaded_without_copies_and_refreshes_and_gets_its_copies_before_it_is_live(
    client: OpenSearchClient,
) -> None:
    seen: list[dict[str, str]] = []

    async def batches() -> AsyncIterator[Sequence[IndexEntry]]:
        for write in (BEER, WINE):
            (new,) = set(await indexes(client)) - set(await live(client))
            seen.append(await settings_of(client, new))
            yield vectorised(write)

    pair = await filled(client, BEER)
    await pair.writer.rebuild(batches())
    assert {each["index.number_of_replicas"] for each in seen} == {"0"}
    assert {each["index.refresh_interval"] for each in seen} == {"-1"}
    (name,) = await live(client)
    assert (await settings_of(client, name))["index.auto_expand_replicas"] == "0-1"


async def test_what_is_written_at_once_is_sent_in_parts(client: OpenSearchClient) -> None:
    """Ten megabytes: no request of more than five, none of more than 500 chunks, and none blocks the event loop."""
    async with (
        front_of(address_of("opensearch")) as front,
        opensearch_client(front.url, prefix=client.settings.prefix) as other,
    ):
        pair = await filled(other)
        front.bodies.clear()
        small = [one_chunk(f"acme_{n}", f"beer rule {n}") for n in range(501)]
        large = [one_chunk(f"zeta_{n}", f"wine rule {n} " * 20_000) for n in range(16)]
        with blockbuster_ctx():
            await pair.fill(*small, *large)
        bulks = [body for body in front.bodies if body.startswith(b'{"index"')]
        assert len(bulks) >= 3
        assert max(map(len, bulks)) <= 5_000_000
        assert max(body.count(b'{"index"') for body in bulks) <= 500
        assert len(await pair.writer.indexed()) == 517


async def test_shards_and_copies_are_as_set() -> None:
    async with opensearch_client(shards=3, replicas=2) as client:
        pair = pair_of(client)
        writes = [one_chunk(f"acme_{n}", f"alcohol {n}") for n in range(20)]
        for _ in range(2):
            await pair.writer.rebuild(in_batches(writes))
            (name,) = await live(client)
            settings = await settings_of(client, name)
            assert settings["index.number_of_shards"] == "3"
            assert settings["index.number_of_replicas"] == "2"
        assert sorted(await pair.writer.indexed()) == sorted(chunk_ids(*writes))
        assert sorted(await pair.find("alcohol", limit=100)) == sorted(chunk_ids(*writes))


async def cancelled(pair: IndexPair) -> None:
    started = asyncio.Event()

    async def endless() -> AsyncIterator[list[IndexEntry]]:
        yield vectorised(WINE)
        started.set()
        await asyncio.Event().wait()

    rebuild = asyncio.create_task(pair.writer.rebuild(endless()))
    await started.wait()
    rebuild.cancel()
    with pytest.raises(asyncio.CancelledError):
        await rebuild


async def wrong(pair: IndexPair) -> None:
    async def wrong_vector() -> AsyncIterator[list[IndexEntry]]:
        yield vectorised(WINE)
        (entry,) = vectorised(BEER)
        yield [replace(entry, vector=entry.vector[:3])]

    with pytest.raises(Misconfigured, match="wrong_dimensions"):
        await pair.writer.rebuild(wrong_vector())


@pytest.mark.parametrize("end", [cancelled, wrong])
async def test_a_rebuild_that_fails_leaves_no_trace(client: OpenSearchClient, end: object) -> None:
    pair = await filled(client, BEER)
    before = await indexes(client)
    await end(pair)  # type: ignore[operator]
    assert await indexes(client) == await live(client) == before
    assert await pair.find("beer") == chunk_ids(BEER)


@pytest.mark.parametrize("step", ["/_bulk", "/_refresh", "/_aliases"])
async def test_a_cluster_that_goes_away_in_a_rebuild_leaves_the_live_index(client: OpenSearchClient, step: str) -> None:
    await filled(client, BEER)
    before = await live(client)
    async with (
        front_of(address_of("opensearch")) as front,
        opensearch_client(front.url, prefix=client.settings.prefix) as other,
    ):
        front.trouble = when(lambda request, _: request.path.endswith(step), lambda: error(503, "gone"))
        pair = pair_of(other)
        with pytest.raises(Unavailable):
            await pair.writer.rebuild(in_batches([WINE]))
        assert await live(client) == await indexes(client) == before
        assert await pair.find("beer") == chunk_ids(BEER)


async def test_what_a_dead_rebuild_left_is_removed_and_what_a_living_one_builds_is_not(
    client: OpenSearchClient,
) -> None:
    """A rebuild gives a sign every minute; none for a quarter of an hour, and clocks may differ by five minutes."""
    async with (
        front_of(address_of("opensearch")) as front,
        opensearch_client(front.url, prefix=client.settings.prefix) as dying,
    ):
        front.trouble = when(lambda request, _: request.method == "DELETE", lambda: error(503, "gone"))
        await wrong(pair_of(dying))  # it cannot even tidy up
        (left,) = await indexes(client)
        await pair_of(client, NOON + timedelta(minutes=5)).writer.rebuild(in_batches([BEER]))
        assert left in await indexes(client)
        await pair_of(client, NOON + timedelta(minutes=16)).writer.rebuild(in_batches([BEER]))
        assert await indexes(client) == await live(client)


async def test_a_rebuild_says_that_it_lives(client: OpenSearchClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("adapters.opensearch.index_writer._SIGN_OF_LIFE_SECONDS", 0.02)
    times = [NOON]
    writer = OpenSearchIndexWriter(client, model=EMBEDDER.model, dimensions=DIMENSIONS, now=lambda: times[0])

    async def slowly() -> AsyncIterator[list[IndexEntry]]:
        yield vectorised(BEER)
        times[0] = NOON + timedelta(hours=1)
        for _ in range(500):
            await asyncio.sleep(0.02)
            if "13:00" in str(await client.call("GET", f"/{client.settings.prefix}-*/_mapping")):
                break
        other = pair_of(client, NOON + timedelta(minutes=70))
        await other.writer.rebuild(in_batches([WINE]))

    await writer.rebuild(slowly())
    assert list(await writer.indexed()) == chunk_ids(BEER)


async def test_indexes_of_others_are_left_alone(client: OpenSearchClient) -> None:
    theirs = f"{client.settings.prefix}-chunks-notes"
    await client.call("PUT", f"/{theirs}", {"mappings": {"_meta": {"x": 1}}})
    await pair_of(client, NOON).writer.rebuild(in_batches([BEER]))
    await pair_of(client, NOON + timedelta(days=1)).writer.rebuild(in_batches([BEER]))
    assert theirs in await indexes(client)


async def test_without_an_index_nothing_is_found_or_written_as_if_there_were_one(client: OpenSearchClient) -> None:
    pair = pair_of(client)
    assert not await pair.writer.is_current()
    for attempt in (pair.find("beer"), pair.fill(BEER)):
        with pytest.raises(Unavailable, match="index_missing"):
            await attempt
    assert await indexes(client) == []
    await pair.writer.rebuild(in_batches([WINE]))
    assert await pair.writer.commit() == {}
    assert await pair.find("beer ads") == chunk_ids(WINE)


async def test_an_index_that_is_lost_is_missing(client: OpenSearchClient) -> None:
    pair = await filled(client, BEER)
    assert await pair.find("beer") != []
    (name,) = await live(client)
    await client.call("DELETE", f"/{name}")
    for asked in (query("beer"), replace(query("beer"), vector=None), replace(query("beer"), terms=())):
        with pytest.raises(Unavailable, match="index_missing"):
            await pair.index.search(asked)
    assert not await pair.writer.is_current()


async def test_an_index_where_the_alias_should_be_is_for_the_operator(client: OpenSearchClient) -> None:
    await client.call("PUT", f"/{client.settings.prefix}-chunks", {})
    pair = pair_of(client)
    with pytest.raises(Misconfigured, match="index_name_taken"):
        await pair.writer.rebuild(in_batches([BEER]))
    assert await indexes(client) == []
    with pytest.raises(Unavailable, match="index_missing"):
        await pair.find("beer")


async def test_writing_never_makes_an_index_by_itself(client: OpenSearchClient) -> None:
    """Most clusters make a missing index when something is written to it, with whatever fields they guess."""
    async with (
        front_of(address_of("opensearch")) as front,
        opensearch_client(front.url, prefix=client.settings.prefix) as other,
    ):
        pair = await filled(other, BEER)
        front.asked.clear()
        await pair.fill(WINE)
        assert all("require_alias=true" in each for each in front.asked if "_bulk" in each)
