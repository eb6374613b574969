"""`/api/v1/search`, `/documents`, `/versions`, `/chunks`."""

import asyncio
import json
from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from rag_core.documents import Classification
from rag_core.errors import Rejected, Unavailable
from rag_core.questions import Filters
from tests.fakes.documents import make_version, make_write, passages_of
from tests.fakes.web import TODAY, FakePolicyStore, FakeSearch, Site, make_parts, serving

OLD = make_write(effective_from=date(2025, 1, 1), effective_to=date(2026, 1, 1))
NEW = make_write(effective_from=date(2026, 1, 1), title="Alcohol, new")
SECRET = make_write(
    replace(make_version("acme_secret"), classification=Classification.RESTRICTED, allowed_groups=frozenset({"legal"}))
)
STORE = FakePolicyStore([OLD, NEW, SECRET])


async def test_search_passes_on_what_was_asked_and_shows_what_was_found() -> None:
    search = FakeSearch(passages_of(NEW)[:1])
    body = {
        "query": "alcohol",
        "filters": {"region": "uk"},
        "as_of": "2026-02-01",
        "limit": 3,
        "prefer_specific": False,
    }
    async with serving(make_parts(search=search)) as site:
        status, found = await site.post("/api/v1/search", body)
    assert status == 200
    assert search.calls == [
        {
            "query": "alcohol",
            "filters": Filters(regions=("uk",)),
            "as_of": date(2026, 2, 1),
            "groups": frozenset(),
            "limit": 3,
            "today": TODAY,
            "prefer_specific": False,
        }
    ]
    results = found["results"]
    assert isinstance(results, list)
    (result,) = results
    chunk = NEW.chunks[0]
    assert result["chunk_id"] == chunk.chunk_id
    assert result["doc_id"] == chunk.doc_id
    assert result["chunk_text"] == NEW.text[result["char_start"] : result["char_end"]]
    assert result["score"] == 0.5
    assert result["regions"] == ["global"]
    assert result["policy_path"] == chunk.policy_path
    assert "degraded" not in found


async def test_search_says_which_part_did_not_answer() -> None:
    async with serving(make_parts(search=FakeSearch(degraded=("vector",)))) as site:
        _, found = await site.post("/api/v1/search", {"query": "alcohol"})
    assert found == {"results": [], "degraded": ["vector"]}


async def test_no_limit_no_search() -> None:
    search = FakeSearch(passages_of(NEW))
    async with serving(make_parts(search=search)) as site:
        assert await site.post("/api/v1/search", {"query": "alcohol", "limit": 0}) == (200, {"results": []})
    assert search.calls == []


async def test_search_errors_are_problems() -> None:
    async with serving(make_parts(search=FakeSearch(error=Unavailable("index_down")))) as site:
        assert (await site.post("/api/v1/search", {"query": "x"}))[0] == 503
    async with serving(make_parts(search=FakeSearch(error=Rejected("unknown_content_type", known="video")))) as site:
        status, problem = await site.post("/api/v1/search", {"query": "x", "filters": {"content_type": "smell"}})
    assert (status, problem["known"]) == (422, "video")


async def test_a_search_that_takes_too_long_is_given_up() -> None:
    async with serving(make_parts(search=FakeSearch(wait=asyncio.Event().wait), ask_seconds=0.01)) as site:
        status, problem = await site.post("/api/v1/search", {"query": "x"})
    assert (status, problem["code"]) == (503, "too_slow")


async def test_documents_are_listed_with_the_version_in_force_and_without_hidden_ones() -> None:
    async with serving(make_parts(store=STORE)) as site, site.session.get("/api/v1/documents") as response:
        (document,) = (await response.json())["documents"]
    assert document["document_id"] == "acme_alcohol"
    assert document["title"] == "Alcohol, new"
    assert document["doc_id"] == NEW.version.doc_id
    assert document["versions"] == 2


async def test_a_document_that_holds_no_longer_has_no_version_in_force() -> None:
    store = FakePolicyStore([OLD])
    async with serving(make_parts(store=store)) as site, site.session.get("/api/v1/documents") as response:
        (document,) = (await response.json())["documents"]
    assert (document["doc_id"], document["effective_to"]) == (None, "2026-01-01")


async def test_versions_of_a_document() -> None:
    async with (
        serving(make_parts(store=STORE)) as site,
        site.session.get("/api/v1/documents/acme_alcohol/versions") as response,
    ):
        body = await response.json()
    assert [each["doc_id"] for each in body["versions"]] == [OLD.version.doc_id, NEW.version.doc_id]
    assert [each["in_force"] for each in body["versions"]] == [False, True]


async def test_hidden_and_unknown_documents_look_the_same() -> None:
    async with serving(make_parts(store=STORE)) as site:
        hidden = await site.get("/api/v1/documents/acme_secret/versions")
        unknown = await site.get("/api/v1/documents/acme_nothing/versions")
        strange = await site.get("/api/v1/documents/%00/versions")
        long = await site.get(f"/api/v1/documents/{'x' * 2000}/versions")
    assert hidden == unknown == strange == long
    assert hidden[0] == 404


async def test_a_chunk_with_its_version() -> None:
    chunk = NEW.chunks[1]
    async with (
        serving(make_parts(store=STORE)) as site,
        site.session.get(f"/api/v1/chunks/{chunk.chunk_id}") as response,
    ):
        body = await response.json()
    assert (body["chunk_text"], body["version"]["doc_id"]) == (chunk.chunk_text, chunk.doc_id)
    assert "score" not in body


async def test_a_chunks_version_is_the_one_that_the_store_lists_for_the_caller() -> None:
    """What it supersedes, the store tells of versions, and not of passages."""
    linked = make_write(make_version("acme_linked", supersedes="acme_alcohol_2025"))
    async with (
        serving(make_parts(store=FakePolicyStore([linked]))) as site,
        site.session.get(f"/api/v1/chunks/{linked.chunks[0].chunk_id}") as response,
    ):
        body = await response.json()
    assert body["version"]["supersedes"] == "acme_alcohol_2025"


async def test_hidden_unknown_and_impossible_chunks_look_the_same() -> None:
    async with serving(make_parts(store=STORE)) as site:
        answers = {
            await site.get(f"/api/v1/chunks/{chunk_id}")
            for chunk_id in (SECRET.chunks[0].chunk_id, "00000000-0000-0000-0000-000000000000", "x", "%00")
        }
    assert {status for status, _ in answers} == {404}
    assert len(answers) == 1


MANY = FakePolicyStore([make_write(make_version(f"acme_{name}")) for name in ("a", "b", "c")] + [SECRET])


async def listed(site: Site, path: str) -> dict[str, Any]:
    status, text = await site.get(path)
    assert status == 200
    found: dict[str, Any] = json.loads(text)
    return found


async def test_documents_are_read_on_from_a_cursor() -> None:
    async with serving(make_parts(store=MANY)) as site:
        first = await listed(site, "/api/v1/documents?limit=2")
        assert [each["document_id"] for each in first["documents"]] == ["acme_a", "acme_b"]
        assert (first["cursor"], first["has_more"]) == ("acme_b", True)
        rest = await listed(site, f"/api/v1/documents?limit=2&cursor={first['cursor']}")
        assert [each["document_id"] for each in rest["documents"]] == ["acme_c"]
        assert rest["has_more"] is False, "what is hidden is not there, not even as more to come"
        assert await listed(site, "/api/v1/documents?cursor=acme_c") == {
            "documents": [],
            "cursor": "acme_c",
            "has_more": False,
        }
        assert (await listed(site, "/api/v1/documents?limit=0"))["documents"] == []


async def test_documents_of_a_publisher() -> None:
    async with serving(make_parts(store=MANY)) as site:
        assert len((await listed(site, "/api/v1/documents?policy_source=ACME&policy_source=brew"))["documents"]) == 3
        assert (await listed(site, "/api/v1/documents?policy_source=brew"))["documents"] == []


async def test_versions_are_read_on_and_picked_by_day() -> None:
    path = "/api/v1/documents/acme_alcohol/versions"
    async with serving(make_parts(store=STORE)) as site:
        first = await listed(site, f"{path}?limit=1")
        assert ([each["doc_id"] for each in first["versions"]], first["has_more"]) == ([OLD.version.doc_id], True)
        rest = await listed(site, f"{path}?limit=1&cursor={first['cursor']}")
        assert ([each["doc_id"] for each in rest["versions"]], rest["has_more"]) == ([NEW.version.doc_id], False)
        for day, expected in (("2024-12-31", []), ("2025-12-31", [OLD]), ("2026-01-01", [NEW])):
            found = await listed(site, f"{path}?as_of={day}")
            assert [each["doc_id"] for each in found["versions"]] == [each.version.doc_id for each in expected]


@pytest.mark.parametrize(
    ("query", "field"),
    [("limit=many", "limit"), ("limit=-1", "limit"), ("cursor=a%00b", "cursor"), ("sort=title", "sort")],
)
@pytest.mark.parametrize("path", ["documents", "documents/acme_alcohol/versions"])
async def test_fields_that_cannot_be_read_are_named(path: str, query: str, field: str) -> None:
    async with serving(make_parts(store=STORE)) as site:
        status, text = await site.get(f"/api/v1/{path}?{query}")
    problem = json.loads(text)
    assert (status, [each["field"] for each in problem["errors"]]) == (422, [field])
