"""What the index keeps of passages: all of public ones, nothing readable of restricted ones."""

import json
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, date, datetime

import pytest

from adapters.opensearch.client import OpenSearchClient
from adapters.opensearch.copies import OpenSearchCopies
from adapters.opensearch.index import OpenSearchIndex
from adapters.opensearch.index_writer import OpenSearchIndexWriter
from rag_core.documents import Classification, VersionStatus
from rag_core.errors import Unavailable
from tests.fakes.documents import Section, make_version, make_write, passages_of
from tests.fakes.indexes import DIMENSIONS, EMBEDDER, IndexPair, chunk_ids, in_batches, one_chunk, opensearch_client
from tests.fakes.opensearch_front import error, front_of, when
from tests.fakes.services import address_of

pytestmark = pytest.mark.services

VERSION = make_version(
    "acme_drinks",
    labels={"stage": "beta", "größe": "b2b"},
    author="policy team",
    posted_at=datetime(2026, 1, 2, 3, 4, 5, 678, tzinfo=UTC),
    pages=3,
)
DRINKS = make_write(
    VERSION,
    [
        Section("Beer", "beer ads – “quoted” 🍺", ("uk", "global"), excluded=("be",)),
        Section("Cider", "cider ads"),
        Section("Wine", "wine ads"),
    ],
)
OLD = one_chunk("acme_old", "beer ads formerly", date(2025, 1, 1), effective_to=date(2025, 6, 1))
SECRET = one_chunk(
    "acme_secret", "launch of unicorns", classification=Classification.RESTRICTED, allowed_groups=frozenset({"legal"})
)


@pytest.fixture
async def client() -> AsyncIterator[OpenSearchClient]:
    async with opensearch_client() as opened:
        yield opened


@pytest.fixture
async def pair(client: OpenSearchClient) -> IndexPair:
    made = IndexPair(
        OpenSearchIndex(client, model=EMBEDDER.model, dimensions=DIMENSIONS),
        OpenSearchIndexWriter(client, model=EMBEDDER.model, dimensions=DIMENSIONS),
    )
    await made.writer.rebuild(in_batches([DRINKS, OLD, SECRET]))
    return made


def copies_of(client: OpenSearchClient) -> OpenSearchCopies:
    return OpenSearchCopies(client, model=EMBEDDER.model, dimensions=DIMENSIONS)


async def test_a_copy_is_the_passage(client: OpenSearchClient, pair: IndexPair) -> None:
    wanted = list(reversed(chunk_ids(DRINKS)))
    assert await copies_of(client).passages([*wanted, "unknown", wanted[0]], None) == list(
        reversed(passages_of(DRINKS))
    )
    assert await copies_of(client).passages([], None) == []


async def test_of_restricted_documents_nothing_can_be_read(client: OpenSearchClient, pair: IndexPair) -> None:
    assert await copies_of(client).passages(chunk_ids(SECRET), None) == []
    assert await copies_of(client).section(SECRET.version.doc_id, 0, 10) == []
    hits = (await client.call("POST", f"/{client.settings.prefix}-chunks/_search", {"size": 100}))["hits"]["hits"]
    kept = {hit["_id"]: hit["_source"] for hit in hits}
    assert kept[chunk_ids(SECRET)[0]] == {"doc_id": SECRET.version.doc_id}
    public = json.dumps(kept[chunk_ids(DRINKS)[0]])
    assert "cider" not in public
    assert "vector" not in public


async def test_a_document_that_becomes_restricted_loses_its_copy(client: OpenSearchClient, pair: IndexPair) -> None:
    restricted = replace(VERSION, classification=Classification.RESTRICTED, allowed_groups=frozenset({"legal"}))
    await pair.fill(replace(DRINKS, version=restricted))
    assert await copies_of(client).passages(chunk_ids(DRINKS), None) == []


async def test_the_day_is_checked(client: OpenSearchClient, pair: IndexPair) -> None:
    copies = copies_of(client)
    for day, expected in (
        (date(2025, 5, 31), chunk_ids(OLD)),
        (date(2025, 6, 1), []),
        (date(2026, 1, 1), chunk_ids(DRINKS)),
    ):
        found = await copies.passages(chunk_ids(DRINKS, OLD), day)
        assert [passage.chunk.chunk_id for passage in found] == expected


@pytest.mark.parametrize("status", [VersionStatus.HELD, VersionStatus.FAILED, VersionStatus.PROCESSING])
async def test_the_status_is_checked(client: OpenSearchClient, pair: IndexPair, status: VersionStatus) -> None:
    await pair.fill(replace(DRINKS, version=replace(VERSION, status=status)))
    assert await copies_of(client).passages(chunk_ids(DRINKS), None) == []
    assert await copies_of(client).section(VERSION.doc_id, 0, 9) == []


async def test_a_section_is_in_order(client: OpenSearchClient, pair: IndexPair) -> None:
    copies = copies_of(client)
    assert await copies.section(VERSION.doc_id, 1, 2) == passages_of(DRINKS)[1:]
    assert await copies.section(VERSION.doc_id, 2, 1) == []
    assert await copies.section("unknown", 0, 9) == []


async def test_without_an_index_there_are_no_copies_and_it_says_so(client: OpenSearchClient) -> None:
    for attempt in (copies_of(client).passages(["x"], None), copies_of(client).section("x", 0, 9)):
        with pytest.raises(Unavailable, match="index_missing"):
            await attempt


async def test_copies_of_another_version_of_this_code_are_none(client: OpenSearchClient, pair: IndexPair) -> None:
    other = OpenSearchCopies(client, model="other", dimensions=DIMENSIONS)
    with pytest.raises(Unavailable, match="index_outdated"):
        await other.passages(chunk_ids(DRINKS), None)
    async with (
        front_of(address_of("opensearch")) as front,
        opensearch_client(front.url, prefix=client.settings.prefix) as behind,
    ):
        front.trouble = when(lambda request, _: request.path.endswith("/_search"), lambda: error(503, "gone"))
        with pytest.raises(Unavailable, match="index_down"):
            await copies_of(behind).passages(chunk_ids(DRINKS), None)
