"""Ranked passages: index hits, checked against the store, refilled when the check drops some."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from ingest.ports import VersionWrite
from rag_core.deadlines import within
from rag_core.documents import Classification, VersionStatus
from rag_core.errors import Rejected, Unavailable
from rag_core.ports import IndexQuery, IndexResult, Vector
from rag_core.questions import Filters
from rag_core.retrieval import search as searching
from rag_core.retrieval.found import SearchFound
from rag_core.retrieval.search import MAX_LIMIT, PolicySearch
from tests.fakes.copies import FailingStore, FakeCopies
from tests.fakes.documents import Section, make_version, make_write
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.policies import Desk, FakePolicyStore, FakeSearchIndex, SilentEmbedder, SilentIndex, open_desk

TODAY = date(2026, 6, 1)
HIDDEN: dict[str, Any] = {"classification": Classification.RESTRICTED, "allowed_groups": frozenset({"legal"})}


def toys(
    number: int, body: str = "Ads for kites may run.", regions: tuple[str, ...] = ("global",), **changes: Any
) -> VersionWrite:
    return make_write(make_version(f"acme_toys{number:03}", **changes), [Section("Kites", body, regions)])


async def search(desk: Desk | PolicySearch, query: str = "kites", limit: int = 10, **changes: Any) -> SearchFound:
    fields: dict[str, Any] = {"filters": Filters(), "today": TODAY, "as_of": None, "groups": frozenset()} | changes
    return await (desk.search if isinstance(desk, Desk) else desk).search(query, limit=limit, **fields)


def documents(found: SearchFound) -> list[str]:
    return sorted(each.passage.version.document_id for each in found.results)


@pytest.mark.parametrize("limit", [0, -1])
async def test_no_results_wanted_asks_nobody(limit: int) -> None:
    desk = open_desk(toys(1))
    assert (await search(desk, limit=limit)).results == ()
    assert desk.index.queries == []


@pytest.mark.parametrize(("limit", "results"), [(1, 1), (7, 7), (40, 40), (MAX_LIMIT, 40), (MAX_LIMIT * 9, 40)])
async def test_as_many_as_wanted_and_no_more_than_the_most(limit: int, results: int) -> None:
    desk = open_desk(*(toys(number) for number in range(40)))
    assert len((await search(desk, limit=limit)).results) == results
    assert max(query.limit for query in desk.index.queries) <= MAX_LIMIT + 10


async def test_best_first_with_scores_in_bounds_and_timings() -> None:
    desk = open_desk(toys(1, "Darts hit the board."), toys(2, "Kites and darts."), toys(3))
    found = await search(desk, "kites darts")
    scores = [each.score for each in found.results]
    assert found.results[0].passage.version.document_id == "acme_toys002"
    assert scores == sorted(scores, reverse=True)
    assert all(each.cosine is not None for each in found.results)
    assert found.timings_ms["retrieve"] >= 0


@pytest.mark.parametrize(
    "stale",
    [
        {"status": VersionStatus.HELD},
        {"status": VersionStatus.FAILED},
        HIDDEN,
        {"classification": Classification.RESTRICTED},
        {"effective_to": date(2026, 5, 1)},
    ],
)
async def test_what_the_store_no_longer_shows_is_dropped_and_others_take_its_place(stale: dict[str, Any]) -> None:
    indexed = [toys(number) for number in range(60)]
    gone = [replace(write, version=replace(write.version, **stale)) for write in indexed[:50]]
    desk = open_desk(*indexed, store=FakePolicyStore(*gone, *indexed[50:]))
    assert documents(await search(desk, limit=10)) == [f"acme_toys{number:03}" for number in range(50, 60)]


class StretchingIndex(FakeSearchIndex):
    """Stretches its scores over [0, 1], as fusion does."""

    async def search(self, query: IndexQuery) -> IndexResult:
        result = await super().search(query)
        best = max((each.score for each in result.hits), default=1.0)
        return replace(result, hits=tuple(replace(each, score=each.score / best) for each in result.hits))


async def test_what_the_store_does_not_show_has_no_part_in_the_scores_of_others() -> None:
    shown = [toys(1, "Ads for kites and boats may run."), toys(2, "Boats may run.")]
    hidden = toys(3, "Kites.")
    found = []
    for indexed in ([*shown, hidden], shown):
        embedder, store = FakeEmbedder(), FakePolicyStore(*shown)
        policies = PolicySearch(StretchingIndex(*indexed, embedder=embedder), store, embedder)
        results = (await search(policies, "kites")).results
        found.append([(each.passage.chunk.chunk_id, each.score) for each in results])
    assert found[0] == found[1]
    assert found[0][0][1] == 1.0


async def test_refilling_ends() -> None:
    indexed = [toys(number) for number in range(300)]
    desk = open_desk(*indexed, store=FakePolicyStore(toys(999)))
    assert (await search(desk, limit=1)).results == ()
    first, *wider = [query.limit for query in desk.index.queries]
    assert first > 1
    assert wider == [first * 4, first * 16]


async def test_an_index_that_has_no_more_is_not_asked_again() -> None:
    desk = open_desk(toys(1), toys(2))
    assert len((await search(desk)).results) == 2
    assert len(desk.index.queries) == 1


async def test_restricted_passages_show_to_their_group_only() -> None:
    desk = open_desk(toys(1), toys(2, **HIDDEN))
    assert documents(await search(desk)) == ["acme_toys001"]
    assert documents(await search(desk, groups=frozenset({"sales"}))) == ["acme_toys001"]
    assert documents(await search(desk, groups=frozenset({"legal", "sales"}))) == ["acme_toys001", "acme_toys002"]


async def test_the_name_of_a_source_that_is_hidden_is_unknown() -> None:
    desk = open_desk(toys(1), make_write(make_version("secret_rules", **HIDDEN)))
    with pytest.raises(Rejected, match="unknown_policy_source") as caught:
        await search(desk, filters=Filters(policy_sources=("secret",)))
    assert caught.value.details["known"] == "acme"


async def test_the_day_picks_the_version() -> None:
    old = toys(1, "Kites are banned.", effective_from=date(2025, 1, 1), effective_to=date(2026, 5, 1))
    desk = open_desk(old, toys(1, effective_from=date(2026, 5, 1)))
    days = {day: await search(desk, as_of=day) for day in (None, date(2026, 4, 30), date(2024, 1, 1))}
    starts = {day: [each.passage.version.effective_from for each in found.results] for day, found in days.items()}
    assert starts == {None: [date(2026, 5, 1)], date(2026, 4, 30): [date(2025, 1, 1)], date(2024, 1, 1): []}


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (Filters(regions=("UK",)), ["acme_toys001", "acme_toys002"]),
        (Filters(regions=("be",)), ["acme_toys001", "acme_toys003"]),
        (Filters(policy_sources=("ACME ",)), ["acme_toys001", "acme_toys002", "acme_toys003"]),
        (Filters(policy_sources=("brim",)), ["brim_toys"]),
        (Filters(sections=("Kites",)), ["acme_toys001", "acme_toys002", "acme_toys003"]),
        (Filters(content_types=("video",)), []),
        (Filters(labels={"stage": ("beta",)}), ["brim_toys"]),
    ],
)
async def test_filters_narrow(filters: Filters, expected: list[str]) -> None:
    other = make_write(make_version("brim_toys", labels={"stage": "beta"}), [Section("Toys", "Kites fly.", ("fr",))])
    desk = open_desk(toys(1), toys(2, regions=("uk",)), toys(3, regions=("be",)), other)
    assert documents(await search(desk, filters=filters)) == expected


async def test_a_silent_embedder_costs_the_vector_leg_only() -> None:
    desk = open_desk(toys(1), embedder=SilentEmbedder())
    found = await search(desk)
    assert documents(found) == ["acme_toys001"]
    assert found.degraded == ("embedder",)
    assert desk.index.queries[0].vector is None
    assert found.results[0].cosine is None


async def test_what_the_index_lacks_is_handed_on_once() -> None:
    embedder, store = FakeEmbedder(), FakePolicyStore(toys(1))
    index = FakeSearchIndex(*(toys(number) for number in range(30)), embedder=embedder, degraded=("vector",))
    assert (await search(PolicySearch(index, store, embedder))).degraded == ("vector",)


async def test_a_silent_index_is_an_error() -> None:
    embedder, store = FakeEmbedder(), FakePolicyStore(toys(1))
    with pytest.raises(Unavailable, match="index_silent"):
        await search(PolicySearch(SilentIndex(embedder=embedder), store, embedder))


@pytest.mark.parametrize(("query", "code"), [("", "question_empty"), ("a" * 9000, "question_too_long")])
async def test_a_query_that_cannot_work_is_refused(query: str, code: str) -> None:
    with pytest.raises(Rejected, match=code):
        await search(open_desk(toys(1)), query)


async def test_specific_sections_come_first_where_wanted() -> None:
    desk = open_desk(toys(1), toys(2, regions=("uk",)))
    found = await search(desk, prefer_specific=True)
    assert [each.passage.chunk.regions for each in found.results] == [("uk",), ("global",)]


async def test_several_searches_share_one_check_and_repeat_nothing() -> None:
    desk = open_desk(toys(1), toys(2, regions=("uk",)))
    query = (await search(desk), desk.index.queries[0])[1]
    desk.store.asked.clear()
    embedded = await desk.search.embed("kites")
    narrow = replace(query.filter, places=frozenset({"uk"}))
    found = await desk.search.find_each(query.terms, embedded, [(query.filter, 1), (narrow, 1)])
    assert len(desk.store.asked) == 1
    assert len(desk.store.asked[0]) == len(set(desk.store.asked[0])) == 2
    assert len(found.results) == len({each.passage.chunk.chunk_id for each in found.results})


class HangingEmbedder(FakeEmbedder):
    """A model that never comes back."""

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        await asyncio.Event().wait()
        return []


async def test_an_embedder_that_hangs_costs_the_vector_leg_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searching, "EMBED_SECONDS", 0.02)
    found = await search(open_desk(toys(1), embedder=HangingEmbedder()))
    assert (documents(found), found.degraded) == (["acme_toys001"], ("embedder",))


async def test_an_embedder_that_hangs_leaves_time_for_the_search_by_words() -> None:
    async with within(0.2):
        found = await search(open_desk(toys(1), embedder=HangingEmbedder()))
    assert (documents(found), found.degraded) == (["acme_toys001"], ("embedder",))


async def outage(*copied: VersionWrite, groups: frozenset[str] = frozenset()) -> SearchFound:
    """What is found when the store falls silent after the sources were known."""
    embedder, store = FakeEmbedder(), FailingStore(*copied)
    policies = PolicySearch(FakeSearchIndex(*copied, embedder=embedder), store, embedder, FakeCopies(*copied))
    await search(policies, groups=groups)
    store.is_down = True
    return await search(policies, groups=groups)


async def test_a_silent_store_leaves_the_copies_of_public_documents() -> None:
    found = await outage(toys(1), toys(2, **HIDDEN), groups=frozenset({"legal"}))
    assert (documents(found), found.degraded) == (["acme_toys001"], ("store",))


async def test_sources_that_are_only_remembered_are_told() -> None:
    embedder, store = FakeEmbedder(), FailingStore(toys(1))
    policies = PolicySearch(FakeSearchIndex(toys(1), embedder=embedder), store, embedder, FakeCopies(toys(1)))
    await search(policies)
    policies._sources._now = lambda: float("inf")
    store.sources_are_down = True
    assert (await search(policies)).degraded == ("store",)


async def test_what_copies_do_not_show_is_refilled() -> None:
    hidden = [toys(number, "Kites kites kites.", **HIDDEN) for number in range(20)]
    shown = [toys(100 + number) for number in range(10)]
    found = await outage(*hidden, *shown, groups=frozenset({"legal"}))
    assert documents(found) == [f"acme_toys{100 + number}" for number in range(10)]


async def test_a_silent_store_without_copies_is_an_error() -> None:
    embedder, store = FakeEmbedder(), FailingStore(toys(1))
    policies = PolicySearch(FakeSearchIndex(toys(1), embedder=embedder), store, embedder)
    await search(policies)
    store.is_down = True
    with pytest.raises(Unavailable, match="store_down"):
        await search(policies)
