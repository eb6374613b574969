"""`/api/v1/verify-citation`."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from rag_core.documents import Classification, Passage
from rag_core.errors import Unavailable
from tests.fakes.documents import make_version, make_write
from tests.fakes.web import FakePolicyStore, Site, make_parts, serving

OPEN = make_write()
SECRET = make_write(
    replace(make_version("acme_secret"), classification=Classification.RESTRICTED, allowed_groups=frozenset({"legal"}))
)
STORE = FakePolicyStore([OPEN, SECRET])
CHUNK = OPEN.chunks[1]
CLAIM = "In the UK, alcohol ads may be shown to adults only."
PATH = "/api/v1/verify-citation"


async def verified(site: Site, **body: object) -> dict[str, Any]:
    status, found = await site.post(PATH, body)
    assert status == 200, found
    return found


async def test_a_supported_claim_with_its_span() -> None:
    async with serving(make_parts(store=STORE)) as site:
        found = await verified(site, claim=CLAIM, chunk_id=CHUNK.chunk_id)
    assert (found["verdict"], found["type"], found["reasons"]) == ("supported", "paraphrase", [])
    assert 0.7 <= found["confidence"] < 1
    span = found["span"]
    assert (span["chunk_id"], span["doc_id"]) == (CHUNK.chunk_id, OPEN.version.doc_id)
    assert CHUNK.chunk_text[span["chunk_start"] : span["chunk_end"]] == span["text"]
    assert OPEN.text[span["char_start"] : span["char_end"]] == span["text"]
    assert span["rule"] == [span["text"]]


async def test_a_letter_for_letter_claim_is_a_quote() -> None:
    async with serving(make_parts(store=STORE)) as site:
        found = await verified(site, claim=CHUNK.chunk_text, chunk_id=CHUNK.chunk_id)
    assert (found["verdict"], found["type"], found["confidence"]) == ("supported", "quote", 1.0)


@pytest.mark.parametrize(
    ("claim", "quote", "verdict", "reason"),
    [
        ("In the UK, alcohol and vape ads may be shown to adults only.", None, "partly", "words_missing"),
        ("In the UK, alcohol ads may be shown to minors only.", None, "unsupported", "condition_left_out"),
        ("In the UK, alcohol ads may be shown.", None, "unsupported", "condition_left_out"),
        ("In the UK, alcohol ads must be shown to adults only.", None, "unsupported", "duty_or_choice_differs"),
        ("In the UK, alcohol ads may not be shown to adults.", None, "unsupported", "negation_differs"),
        ("In France, alcohol ads may be shown to adults only.", None, "unsupported", "place_not_in_source"),
        ("In the UK, alcohol ads may be shown to adults over 21 only.", None, "unsupported", "number_not_in_source"),
        (CLAIM, "words that are nowhere", "unsupported", "quote_not_found"),
        (" \n", None, "unsupported", "says_nothing"),
        (" \n", "may be shown to adults only", "unsupported", "says_nothing"),
    ],
)
async def test_what_is_not_supported_says_why(claim: str, quote: str | None, verdict: str, reason: str) -> None:
    async with serving(make_parts(store=STORE)) as site:
        body = {"claim": claim, "chunk_id": CHUNK.chunk_id} | ({"quote": quote} if quote else {})
        found = await verified(site, **body)
    assert (found["verdict"], found["type"]) == (verdict, None)
    assert reason in found["reasons"]
    assert found["confidence"] <= 0.5


async def test_a_whole_document_is_looked_through() -> None:
    async with serving(make_parts(store=STORE)) as site:
        found = await verified(site, claim=CLAIM, doc_id=OPEN.version.doc_id)
        quoted = await verified(site, claim=CLAIM, doc_id=OPEN.version.doc_id, quote="may be shown to adults only")
        absent = await verified(site, claim=CLAIM, doc_id=OPEN.version.doc_id, quote="may be shown to nobody at all")
    assert found["span"]["chunk_id"] == quoted["span"]["chunk_id"] == CHUNK.chunk_id
    assert (absent["verdict"], absent["span"]) == ("unsupported", None)


async def test_hidden_unknown_and_impossible_look_the_same() -> None:
    async with serving(make_parts(store=STORE)) as site:
        chunks = [
            await site.post(PATH, {"claim": CLAIM, "chunk_id": chunk_id})
            for chunk_id in (SECRET.chunks[0].chunk_id, "00000000-0000-0000-0000-000000000000", "x", "\x00")
        ]
        documents = [
            await site.post(PATH, {"claim": CLAIM, "doc_id": doc_id})
            for doc_id in (SECRET.version.doc_id, "acme_nothing_2026-01-01", "\x00", "")
        ]
    for answers, code in ((chunks, "chunk_not_found"), (documents, "document_not_found")):
        assert {status for status, _ in answers} == {404}
        assert len({json.dumps(body) for _, body in answers}) == 1
        assert answers[0][1]["code"] == code


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"claim": CLAIM}, "body"),
        ({"claim": CLAIM, "chunk_id": "x", "doc_id": "y"}, "body"),
        ({"claim": "", "chunk_id": "x"}, "claim"),
        ({"claim": "x" * 1001, "chunk_id": "x"}, "claim"),
        ({"chunk_id": "x"}, "claim"),
        ({"claim": CLAIM, "chunk_id": "x", "quote": ""}, "quote"),
        ({"claim": CLAIM, "chunk_id": "x", "top": 1}, "top"),
    ],
)
async def test_bodies_that_do_not_fit(body: dict[str, object], field: str) -> None:
    async with serving(make_parts(store=STORE)) as site:
        status, problem = await site.post(PATH, body)
    assert (status, problem["code"]) == (422, "invalid_request")
    errors = problem["errors"]
    assert isinstance(errors, list)
    assert [each["field"] for each in errors] == [field]
    assert all(each["detail"] for each in errors)


async def test_a_store_that_does_not_answer() -> None:
    async with serving(make_parts(store=FakePolicyStore(error=Unavailable("store_down")))) as site:
        status, problem = await site.post(PATH, {"claim": CLAIM, "chunk_id": CHUNK.chunk_id})
    assert (status, problem["status"]) == (503, 503)

    class Waiting(FakePolicyStore):
        async def passages(self, chunk_ids: Sequence[str], groups: frozenset[str], day: object) -> list[Passage]:
            await asyncio.Event().wait()
            return []

    async with serving(make_parts(store=Waiting([OPEN]), ask_seconds=0.05)) as site:
        status, problem = await site.post(PATH, {"claim": CLAIM, "chunk_id": CHUNK.chunk_id})
    assert (status, problem["code"]) == (503, "too_slow")
