"""On every day the version of that day answers, and no other: store and search over the real dated versions."""

from collections.abc import AsyncIterator
from datetime import date, timedelta
from pathlib import Path

import pytest

from adapters.local.index import LocalIndex
from ingest.sources.folder import sources_in
from rag_core.documents import DocumentVersion
from rag_core.questions import Filters
from rag_core.retrieval.search import PolicySearch
from tests.fakes.workshop import Workshop

EVERYBODY: frozenset[str] = frozenset()
TODAY = date(2026, 11, 1)
QUERIES = {
    "pinterest": ("alcohol ads", "online pharmacies in Albania", "shopping ads in France"),
    "reddit": ("trade embargoes", "subliminal techniques", "smoking cessation products", "postal code"),
    "taboola": ("misleading claims", "weapons and ammunition"),
    "telegram": ("language of the channel", "search keywords", "profile image"),
}
APPEARS = [
    # publisher, words, the first day on which they hold, the first day on which they do not any more
    ("reddit", "subliminal", date(2026, 4, 16), None),
    ("reddit", "embargoes", date(2026, 2, 26), date(2026, 2, 27)),
    ("telegram", "Search keywords", date(2026, 7, 28), None),
    ("pinterest", "shamanism", date(2026, 8, 22), None),
    ("pinterest", "Charlatanic", date(2026, 3, 17), None),
    ("taboola", "qqqIn", date(2025, 8, 2), None),
]


@pytest.fixture
async def search(workshop: Workshop, shared_data: Path, tmp_path: Path) -> AsyncIterator[PolicySearch]:
    for name in sorted((shared_data / "ad-policies" / "versions").iterdir()):
        report = await workshop.run(*sources_in(name, name.name.lower(), name.name))
        assert report.failed == []
    embedder = workshop.embedder
    index = LocalIndex(tmp_path / "index", model=embedder.model, dimensions=embedder.dimensions)
    yield PolicySearch(index, workshop.store, embedder)
    await index.aclose()


def days_of(history: list[DocumentVersion]) -> list[tuple[date, DocumentVersion | None]]:
    """The day before the first version, each version's day, and one between each and what follows it."""
    starts = [each.effective_from for each in history]
    days: list[tuple[date, DocumentVersion | None]] = [(starts[0] - timedelta(days=1), None)]
    for version, following in zip(history, [*starts[1:], TODAY], strict=True):
        days.append((version.effective_from, version))
        days.append((version.effective_from + (following - version.effective_from) / 2, version))
        days.append((following - timedelta(days=1), version))
    return days


async def test_each_day_has_its_version(search: PolicySearch, workshop: Workshop) -> None:
    every = await workshop.store.versions(EVERYBODY)
    assert len(every) == 19
    chunk_ids = [passage.chunk.chunk_id for passage in await workshop.passages()]
    for publisher, queries in QUERIES.items():
        history = [each for each in every if each.policy_source == publisher]
        for day, version in days_of(history):
            expected = {version.doc_id} if version else set()
            passages = await workshop.store.passages(chunk_ids, EVERYBODY, day)
            of_day = [each.chunk for each in passages if each.chunk.policy_source == publisher]
            assert {each.doc_id for each in of_day} == expected, day
            assert len(of_day) == (version.chunk_count if version else 0)
            for query in queries:
                found = await search.search(
                    query,
                    filters=Filters(policy_sources=(publisher,)),
                    today=TODAY,
                    as_of=day,
                    groups=EVERYBODY,
                    limit=20,
                )
                assert {each.passage.chunk.doc_id for each in found.results} == expected, (query, day)


async def test_words_are_found_from_the_day_on_which_they_came(search: PolicySearch) -> None:
    for publisher, words, first, gone in APPEARS:
        for day, there in ((first - timedelta(days=1), False), (first, True), (gone or TODAY, gone is None)):
            found = await search.search(
                words,
                filters=Filters(policy_sources=(publisher,)),
                today=TODAY,
                as_of=day,
                groups=EVERYBODY,
                limit=30,
            )
            said = any(words in each.passage.chunk.chunk_text for each in found.results)
            assert said is there, (words, day)
