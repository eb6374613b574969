"""What every search index keeps to."""

import asyncio
import time
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import date
from pathlib import Path

import numpy as np
import pytest
from blockbuster import blockbuster_ctx

from rag_core.documents import Classification, ContentType
from rag_core.errors import Misconfigured, Unavailable
from rag_core.ports import IndexFilter, IndexQuery, IndexResult
from rag_core.questions import QueryTerm
from tests.fakes.documents import Section, make_version, make_write
from tests.fakes.indexes import (
    DIMENSIONS,
    INDEX_MAKERS,
    INDEX_PARAMS,
    INDEX_PLACES,
    PUBLIC,
    IndexPair,
    chunk_ids,
    one_chunk,
    query,
    terms,
    vector_of,
)

LEGAL = frozenset({"legal"})
RESTRICTED = Classification.RESTRICTED


@pytest.fixture(params=INDEX_PARAMS)
async def pair(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[IndexPair]:
    async with INDEX_MAKERS[request.param](tmp_path / "index") as made:
        yield made


GLOBAL = one_chunk("acme_a", "alcohol ads everywhere")
UK = one_chunk("acme_b", "alcohol ads in Britain", regions=("uk",), content_type=ContentType.VIDEO, heading="Spirits")
NOT_BELGIUM = one_chunk("acme_c", "alcohol ads elsewhere", regions=("eu",), excluded=("be",))
OTHER_SOURCE = one_chunk("zeta_d", "alcohol ads too", labels={"stage": "beta", "variant": "b2b"})
OLD = one_chunk("acme_e", "alcohol ads formerly", date(2025, 1, 1), effective_to=date(2025, 6, 1))
SECRET = one_chunk("acme_f", "alcohol ads inside", classification=RESTRICTED, allowed_groups=LEGAL)
NOBODYS = one_chunk("acme_g", "alcohol ads hidden", classification=RESTRICTED)
ALL = (GLOBAL, UK, NOT_BELGIUM, OTHER_SOURCE, OLD, SECRET, NOBODYS)
OPEN = (GLOBAL, UK, NOT_BELGIUM, OTHER_SOURCE, OLD)
"""What everybody may see."""


def some(*values: str) -> frozenset[str]:
    return frozenset(values)


FILTERS = {
    "nothing": (PUBLIC, OPEN),
    "one place": (IndexFilter(places=some("uk")), (UK,)),
    "places": (IndexFilter(places=some("uk", "global")), (GLOBAL, UK, OTHER_SOURCE, OLD)),
    "unknown place": (IndexFilter(places=some("br")), ()),
    "excluding": (IndexFilter(excluding=some("be")), (GLOBAL, UK, OTHER_SOURCE, OLD)),
    "places and excluding": (
        IndexFilter(places=some("be", "eu", "global"), excluding=some("be")),
        (GLOBAL, OTHER_SOURCE, OLD),
    ),
    "day": (IndexFilter(day=date(2026, 3, 1)), (GLOBAL, UK, NOT_BELGIUM, OTHER_SOURCE)),
    "first day": (IndexFilter(day=date(2025, 1, 1)), (OLD,)),
    "last day": (IndexFilter(day=date(2025, 5, 31)), (OLD,)),
    "the day it ends": (IndexFilter(day=date(2025, 6, 1)), ()),
    "the day before it begins": (IndexFilter(day=date(2024, 12, 31)), ()),
    "source": (IndexFilter(policy_sources=some("zeta")), (OTHER_SOURCE,)),
    "sources": (IndexFilter(policy_sources=some("zeta", "acme")), OPEN),
    "content type": (IndexFilter(content_types=some("video")), (UK,)),
    "section": (IndexFilter(sections=some("spirits")), (UK,)),
    "chunks left out": (IndexFilter(without_chunks=some(*chunk_ids(UK, OLD))), (GLOBAL, NOT_BELGIUM, OTHER_SOURCE)),
    "element of the path": (IndexFilter(sections=some("acme b")), (UK,)),
    "label": (IndexFilter(labels={"stage": some("beta", "alpha")}), (OTHER_SOURCE,)),
    "labels": (IndexFilter(labels={"stage": some("beta"), "variant": some("b2c")}), ()),
    "label shut out": (IndexFilter(labels_excluded={"stage": some("beta")}), (GLOBAL, UK, NOT_BELGIUM, OLD)),
    "other label shut out": (IndexFilter(labels_excluded={"stage": some("live"), "tier": some("beta")}), OPEN),
    "group": (IndexFilter(groups=LEGAL), (*OPEN, SECRET)),
    "other group": (IndexFilter(groups=some("sales")), OPEN),
    "all of it": (
        IndexFilter(
            groups=LEGAL,
            day=date(2026, 3, 1),
            places=some("uk", "global"),
            excluding=some("uk"),
            policy_sources=some("acme"),
            content_types=some("video"),
            sections=some("spirits"),
        ),
        (UK,),
    ),
}


@pytest.mark.parametrize("name", FILTERS)
@pytest.mark.parametrize("leg", ["both", "keyword", "vector"])
async def test_filters_decide_in_every_leg(pair: IndexPair, name: str, leg: str) -> None:
    await pair.fill(*ALL)
    filter_, expected = FILTERS[name]
    whole = query("alcohol ads", filter_, 100)
    asked = {"both": whole, "keyword": replace(whole, vector=None), "vector": replace(whole, terms=())}[leg]
    found = [hit.chunk_id for hit in (await pair.index.search(asked)).hits]
    assert sorted(found) == sorted(chunk_ids(*expected))


async def test_a_version_that_ends_the_day_it_begins_holds_on_no_day(pair: IndexPair) -> None:
    day = date(2026, 2, 2)
    await pair.fill(one_chunk("acme_x", "alcohol", day, effective_to=day))
    for asked in (date(2026, 2, 1), day, date(2026, 2, 3)):
        assert await pair.find("alcohol", IndexFilter(day=asked)) == []


async def test_a_version_with_an_open_start_holds_on_all_days_before_its_end(pair: IndexPair) -> None:
    undated = one_chunk("acme_x", "alcohol", effective_to=date(2026, 3, 1), date_stated=False, open_start=True)
    await pair.fill(undated)
    for asked, found in ((date(2010, 1, 1), True), (date(2026, 2, 28), True), (date(2026, 3, 1), False)):
        assert (await pair.find("alcohol", IndexFilter(day=asked)) == chunk_ids(undated)) is found


async def test_values_of_documents_are_compared_lower_case(pair: IndexPair) -> None:
    version = make_version("acme_x", classification=RESTRICTED, allowed_groups=some("Legal"), labels={"Stage": "Beta"})
    write = make_write(version, [Section("ALCOHOL ", "whisky", regions=("UK",))])
    await pair.fill(write)
    filter_ = IndexFilter(groups=LEGAL, places=some("uk"), sections=some("alcohol"), labels={"stage": some("beta")})
    assert await pair.find("whisky", filter_) == chunk_ids(write)


async def test_a_label_with_a_separator_in_it_is_no_other_label(pair: IndexPair) -> None:
    await pair.fill(one_chunk("acme_x", "alcohol", labels={"a": "b:c", "d=e": "f"}))
    assert await pair.find("alcohol", IndexFilter(labels={"a:b": some("c")})) == []
    assert await pair.find("alcohol", IndexFilter(labels={"d": some("e=f")})) == []
    assert len(await pair.find("alcohol", IndexFilter(labels={"a": some("b:c"), "d=e": some("f")}))) == 1


async def test_a_very_long_section_name_can_be_filtered_by(pair: IndexPair) -> None:
    heading = "Alcohol " * 9000
    write = one_chunk("acme_x", "whisky", heading=heading.strip())
    await pair.fill(write)
    filter_ = IndexFilter(sections=some(heading.strip().lower()))
    for asked in (query("whisky", filter_), replace(query("whisky", filter_), vector=None)):
        assert [hit.chunk_id for hit in (await pair.index.search(asked)).hits] == chunk_ids(write)


async def test_a_strict_filter_still_fills_the_limit(pair: IndexPair) -> None:
    """The wanted chunks match far worse than hundreds of others, so filtering afterwards would find none."""
    crowd = [one_chunk(f"acme_{number}", "alcohol alcohol alcohol") for number in range(300)]
    wanted = [one_chunk(f"zeta_{number}", f"alcohol and {'many other words ' * 8}") for number in range(12)]
    await pair.fill(*crowd, *wanted)
    for asked in (
        query("alcohol", limit=10),
        replace(query("alcohol"), terms=()),
        replace(query("alcohol"), vector=None),
    ):
        strict = replace(asked, filter=IndexFilter(policy_sources=some("zeta")), depth=10)
        hits = (await pair.index.search(strict)).hits
        assert len(hits) == 10
        assert {hit.chunk_id for hit in hits} < set(chunk_ids(*wanted))


@pytest.mark.parametrize(("limit", "expected"), [(-1, 0), (0, 0), (1, 1), (7, 7), (1000, 250)])
async def test_limits(pair: IndexPair, limit: int, expected: int) -> None:
    await pair.fill(*(one_chunk(f"acme_{number}", f"alcohol {number}") for number in range(250)))
    assert len(await pair.hits("alcohol", limit=limit)) == expected


async def test_a_limit_beyond_the_depth_is_filled(pair: IndexPair) -> None:
    await pair.fill(*(one_chunk(f"acme_{number}", f"alcohol {number}") for number in range(40)))
    assert len((await pair.index.search(replace(query("alcohol", limit=30), depth=5))).hits) == 30


def legs_of(whole: IndexQuery) -> list[IndexQuery]:
    """Both together, and each by itself."""
    return [whole, replace(whole, terms=()), replace(whole, vector=None)]


async def test_an_empty_index_finds_nothing(pair: IndexPair) -> None:
    strict = IndexFilter(places=some("uk"), excluding=some("be"), day=date(2026, 3, 1))
    for filter_ in (PUBLIC, strict):
        for asked in legs_of(query("alcohol", filter_, 10)):
            for _ in range(3):
                assert await pair.index.search(asked) == IndexResult(())


async def test_an_index_that_was_emptied_finds_nothing(pair: IndexPair) -> None:
    await pair.fill(GLOBAL, UK)
    for write in (GLOBAL, UK):
        await pair.writer.write(write.version.doc_id, [])
        await pair.writer.commit()
    for asked in legs_of(query("alcohol")):
        assert await pair.index.search(asked) == IndexResult(())


@pytest.mark.parametrize("kind", INDEX_PARAMS)
async def test_where_there_is_no_index_a_search_says_so(kind: str, tmp_path: Path) -> None:
    """Nothing found would be taken for policies that do not say."""
    async with INDEX_PLACES[kind](tmp_path / "index") as nothing:
        for asked in legs_of(query("alcohol")):
            with pytest.raises(Unavailable, match="index_missing"):
                await nothing.index.search(asked)


async def test_scores_fall_and_stay_in_bounds(pair: IndexPair) -> None:
    await pair.fill(*(one_chunk(f"acme_{n}", "alcohol " * (n % 7) + "ads " * (n % 3) + "rule") for n in range(60)))
    scores = [hit.score for hit in await pair.hits("alcohol ads", limit=60)]
    assert scores == sorted(scores, reverse=True)
    assert 0.0 <= scores[-1] <= scores[0] <= 1.0


async def test_ties_go_to_the_deeper_section_then_to_the_smaller_id(pair: IndexPair) -> None:
    levels = [2, 4, 3, 4, 2, 3, 4]
    write = make_write(make_version("acme_x"), [Section("Alcohol", "no ads", level=level) for level in levels])
    await pair.fill(write)
    by_rule = sorted(write.chunks, key=lambda chunk: (-chunk.policy_section_level, chunk.chunk_id))
    expected = [chunk.chunk_id for chunk in by_rule]
    whole = query("alcohol")
    for asked in (whole, replace(whole, terms=()), replace(whole, vector=None)):
        assert [hit.chunk_id for hit in (await pair.index.search(asked)).hits] == expected
        first = await pair.index.search(replace(asked, limit=1))
        assert [hit.chunk_id for hit in first.hits] == expected[:1]
    # Only while the filter keeps few more chunks than are looked for: among many equal vectors a graph (HNSW) does
    # not find them all, and which of them it finds is its own affair
    shallow = await pair.index.search(replace(whole, terms=(), limit=2, depth=2))
    assert [hit.chunk_id for hit in shallow.hits] == expected[:2]


async def test_the_same_question_gives_the_same_answer(pair: IndexPair) -> None:
    await pair.fill(*(one_chunk(f"acme_{n}", f"alcohol ads rule {n % 5}") for n in range(50)))
    first = await pair.hits("alcohol rule", limit=20)
    again = await asyncio.gather(*(pair.hits("alcohol rule", limit=20) for _ in range(8)))
    assert all(hits == first for hits in again)


async def test_words_alone_and_meaning_alone(pair: IndexPair) -> None:
    beer, wine = one_chunk("acme_beer", "beer ads"), one_chunk("acme_wine", "wine ads")
    await pair.fill(beer, wine)
    words = await pair.index.search(IndexQuery(terms("beer"), None, PUBLIC, 5))
    assert [(hit.chunk_id, hit.cosine) for hit in words.hits] == [(chunk_ids(beer)[0], None)]
    meaning = await pair.index.search(IndexQuery((), vector_of(wine.chunks[0].search_text), PUBLIC, 1))
    assert [hit.chunk_id for hit in meaning.hits] == chunk_ids(wine)
    assert meaning.hits[0].cosine == pytest.approx(1.0, abs=1e-5)
    assert words.degraded == meaning.degraded == ()
    assert (await pair.index.search(IndexQuery((), None, PUBLIC, 5))).hits == ()


async def test_a_chunk_found_by_words_only_has_its_cosine_too(pair: IndexPair) -> None:
    crowd = [one_chunk(f"acme_{n}", "lithium export") for n in range(20)]
    rare = one_chunk("acme_rare", "xylophone " + "unrelated filler text " * 10)
    await pair.fill(*crowd, rare)
    vector = vector_of("lithium export")
    hits = (await pair.index.search(IndexQuery(terms("xylophone"), vector, PUBLIC, 21, depth=5))).hits
    found = next(hit for hit in hits if hit.chunk_id == chunk_ids(rare)[0])
    expected = float(vector @ vector_of(rare.chunks[0].search_text))
    assert found.cosine == pytest.approx(expected, abs=1e-5)
    assert all(hit.cosine is not None and -1.0 <= hit.cosine <= 1.0 for hit in hits)


async def found_by(pair: IndexPair, *asked: QueryTerm) -> list[str]:
    return [hit.chunk_id for hit in (await pair.index.search(IndexQuery(asked, None, PUBLIC, 10))).hits]


async def test_words_are_found_in_their_other_forms(pair: IndexPair) -> None:
    write = one_chunk("acme_x", "Advertisers’ promotions of e-cigarettes in the café")
    await pair.fill(write)
    for word in ("advertiser", "advertiser's", "ADVERTISERS", "promotion", "e-cigarette", "cafe", "Café", "café’s"):
        assert await found_by(pair, QueryTerm(word)) == chunk_ids(write), word
    assert await found_by(pair, QueryTerm("cigar")) == []


async def test_synonyms_find_and_count_less_than_the_word(pair: IndexPair) -> None:
    beer, lager = one_chunk("acme_a", "beer ads"), one_chunk("acme_b", "lager ads")
    await pair.fill(beer, lager)
    asked = QueryTerm("beer", ("lager", "pale ale"))
    assert await found_by(pair, asked) == chunk_ids(beer, lager)
    assert await found_by(pair, QueryTerm("lager", ("beer",))) == chunk_ids(lager, beer)
    assert await found_by(pair, QueryTerm("stout", ("lager",))) == chunk_ids(lager)


async def test_a_phrase_is_its_words_side_by_side(pair: IndexPair) -> None:
    page, other = one_chunk("acme_a", "the landing page loads"), one_chunk("acme_b", "landing on a page")
    await pair.fill(page, other)
    assert await found_by(pair, QueryTerm("landing pages")) == chunk_ids(page)
    assert await found_by(pair, QueryTerm("destination", ("landing page",))) == chunk_ids(page)


async def test_rule_numbers_are_found(pair: IndexPair) -> None:
    first, second = one_chunk("acme_a", "about 4 things and 2 more"), one_chunk("acme_b", "words only")
    numbered = replace(second, chunks=(replace(second.chunks[0], rule_number="4.2"),))
    third = one_chunk("acme_c", "as said in rule 4.2 above")
    await pair.fill(first, numbered, third)
    assert await found_by(pair, QueryTerm("4.2")) == chunk_ids(numbered, third)
    assert await found_by(pair, QueryTerm("4.2."), QueryTerm("rule")) != []


HOSTILE = [
    '"unbalanced (quotes',
    "alcohol AND NOT (ads OR text:beer)",
    "text:* facet:audience:*",
    "+alcohol -ads ~2 ^9 /.*/",
    "alcohol\x00\x1b[31m\x7f",
    "\u202ealcohol\u2066",
    "\ud800 alcohol \udfff",
    "酒精广告 алкоголь الكحول",
    "🍺" * 100,
    "\n\t   ",
    "!!! ??? ...",
    "alcohol " * 5_000,
    " ".join(f"word{number}" for number in range(3_000)),
    "x" * 100_000,
]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
async def test_whatever_is_typed_is_only_words(pair: IndexPair, text: str) -> None:
    await pair.fill(one_chunk("acme_a", "alcohol ads"), SECRET)
    words = tuple(QueryTerm(word, (text,)) for word in text.split(" "))
    for asked in ((QueryTerm(text),), words):
        result = await pair.index.search(IndexQuery(asked, vector_of(text), PUBLIC, 10))
        assert result.degraded == ()
        assert not {hit.chunk_id for hit in result.hits} & set(chunk_ids(SECRET))
    assert await pair.find(text, IndexFilter(sections=frozenset({text.strip().lower() or "?"}))) == []


UNICODE = [
    ("Die Größe der Anzeige", "GRÖSSE der", "anzeigen"),
    ("реклама алкоголя", "РЕКЛАМА", "пиво"),
    ("酒精广告 不允许", "酒精广告", "广告酒精"),
    ("विज्ञापन नियम", "विज्ञापन", "नियमों"),
    ("publicité d'alcool 🍺 naïve", "naive", "🍺"),
    ("ﬁne print in ligatures", "fine", "ﬁnest"),
    ("regla nº 4 – «alcohol»", "alcohol", "nada"),
]


@pytest.mark.parametrize(("body", "asked", "other"), UNICODE)
async def test_every_script_is_found_by_its_words(pair: IndexPair, body: str, asked: str, other: str) -> None:
    write = one_chunk("acme_x", body)
    await pair.fill(write, one_chunk("acme_y", "something else"))
    assert await found_by(pair, *terms(*asked.replace("SS", "ß").split())) == chunk_ids(write)
    assert await found_by(pair, QueryTerm(other)) == []


async def test_every_hit_is_a_chunk_that_was_written(pair: IndexPair) -> None:
    writes = [
        make_write(make_version(f"acme_{n}"), [Section(f"Part {m}", f"alcohol rule {n} {m}") for m in range(4)])
        for n in range(10)
    ]
    await pair.fill(*writes)
    found = [hit.chunk_id for hit in await pair.hits("alcohol rule", limit=1000)]
    assert len(found) == len(set(found))
    assert set(found) == set(await pair.writer.indexed()) == set(chunk_ids(*writes))


async def test_the_first_hits_are_those_of_a_longer_list(pair: IndexPair) -> None:
    await pair.fill(*(one_chunk(f"acme_{n}", "alcohol " * (n % 5) + f"ads rule {n % 3}") for n in range(80)))
    whole = query("alcohol ads", limit=80)
    for asked in (whole, replace(whole, terms=()), replace(whole, vector=None)):
        everything = (await pair.index.search(asked)).hits
        for limit in (1, 2, 9, 40):
            # Depth as before: what the legs consider decides how their scores are stretched
            assert (await pair.index.search(replace(asked, limit=limit))).hits == everything[:limit]


async def test_a_search_stays_within_its_time(pair: IndexPair) -> None:
    """Ten times what is measured on two cores that others use as well (1 ms local, 8 ms OpenSearch)."""
    topics = ("alcohol", "tobacco", "weapons", "medicine", "gambling")
    writes = [
        make_write(
            make_version(f"acme_{n}"),
            [Section(f"Part {m}", f"{topics[m % 5]} ads rule {n} {m} for {topics[n % 5]}") for m in range(40)],
        )
        for n in range(50)
    ]
    await pair.fill(*writes)
    asked = [
        query(f"{topic} ads for {other}", IndexFilter(places=some("global"))) for topic in topics for other in topics
    ]

    async def median() -> float:
        times = []
        for each in asked:
            started = time.perf_counter()
            assert len((await pair.index.search(each)).hits) == 10
            times.append(time.perf_counter() - started)
        return sorted(times)[len(times) // 2]

    for _ in range(20):  # the best of many: what else runs is not its fault
        if (taken := await median()) < 0.08:
            break
    assert taken < 0.08


async def test_a_vector_of_the_wrong_size_is_refused_by_name(pair: IndexPair) -> None:
    asked = IndexQuery((), np.zeros(DIMENSIONS + 1, dtype=np.float32), PUBLIC, 10)
    with pytest.raises(Misconfigured, match="wrong_dimensions") as caught:
        await pair.index.search(asked)
    assert caught.value.details["model"] == "fake-bag-of-words"
    assert (caught.value.details["expected"], caught.value.details["got"]) == (DIMENSIONS, [DIMENSIONS + 1])


async def test_the_event_loop_is_not_blocked(pair: IndexPair) -> None:
    await pair.fill(*ALL)
    with blockbuster_ctx():
        assert len(await pair.hits("alcohol")) == len(OPEN)
        await pair.index.aclose()
