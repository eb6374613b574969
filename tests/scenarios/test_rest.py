"""REST and the pages on the real store, index, model and answering: what is asked, cited, shown and kept hidden."""

import json
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import pytest_asyncio
from selectolax.lexbor import LexborHTMLParser

from ingest.indexing import follow
from ingest.ports import VersionWrite
from ops.config import Config
from ops.wiring import open_answering, open_ingest
from rag_core.documents import Classification
from tests.fakes.documents import ACME, Section, make_version, make_write
from tests.fakes.ingested import web_parts
from tests.fakes.web import Site, serving

TODAY = date(2026, 3, 2)
SECRET = "Whisky adverts for partners are invoiced at half price."

_GLOBAL = Section("Alcohol", "Adverts for alcoholic drinks must never be aimed at minors.")
_GERMANY = Section("Germany", "Alcohol ads are not allowed in Germany.", ("de",))


def _uk(age: int) -> Section:
    return Section(
        "United Kingdom", f"Alcohol ads are allowed in the United Kingdom only for people over {age}.", ("uk",)
    )


OLD = make_write(
    make_version(effective_from=date(2025, 1, 1), effective_to=date(2026, 1, 1), url=None), (_GLOBAL, _uk(16), _GERMANY)
)
NEW = make_write(make_version(url=None), (_GLOBAL, _uk(21), _GERMANY))
HIDDEN = make_write(
    replace(
        make_version("acme_partners", url=None),
        classification=Classification.RESTRICTED,
        allowed_groups=frozenset({"legal"}),
    ),
    (Section("Partners", SECRET),),
)

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def _ingest(config: Config, writes: list[VersionWrite]) -> None:
    async with open_ingest(config) as parts:
        await parts.versions.declare(ACME)
        await parts.versions.save(writes, [])
        await follow(parts.outbox, parts.embeddings, parts.writer, parts.embedder)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def site(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Site]:
    folder: Path = tmp_path_factory.mktemp("rest")
    config = Config(data_dir=folder, public_url="http://policies.example")
    await _ingest(config, [OLD, NEW, HIDDEN])
    async with open_answering(config) as answering, serving(web_parts(answering)) as served:
        yield served


async def ask(site: Site, question: str, **more: object) -> dict[str, Any]:
    status, body = await site.post("/api/v1/ask", {"question": question, "as_of": str(TODAY)} | more)
    assert status == 200, body
    return body


async def test_the_uk_gets_the_uks_rule_and_nobody_elses(site: Site) -> None:
    body = await ask(site, "can I advertise alcohol in the UK")
    assert body["kind"] == "answer"
    assert body["verdict"] == "restricted"
    shown = " ".join(each["text"] for each in body["statements"])
    assert "over 21" in shown
    assert "Germany" not in shown
    assert {region for each in body["citations"] for region in each["regions"]} <= {"uk", "global"}


async def test_another_place_and_another_day_have_other_answers(site: Site) -> None:
    germany = await ask(site, "can I advertise alcohol in Germany")
    assert germany["verdict"] == "prohibited"
    earlier = await ask(site, "can I advertise alcohol in the UK", as_of="2025-06-01")
    assert "over 16" in " ".join(each["text"] for each in earlier["statements"])
    assert {each["doc_id"] for each in earlier["citations"]} == {OLD.version.doc_id}


async def test_every_citation_is_verbatim_and_its_link_opens_at_the_quote(site: Site) -> None:
    body = await ask(site, "can I advertise alcohol in the UK")
    assert body["citations"]
    for citation in body["citations"]:
        assert NEW.text[citation["char_start"] : citation["char_end"]] == citation["quote"]
        link = urlsplit(citation["url"])
        assert link.hostname == "policies.example"
        status, text = await site.page(f"{link.path}?{link.query}")
        page = LexborHTMLParser(text)
        assert status == 200
        marked = "".join(each.text() for each in page.css("mark"))
        assert "".join(marked.split()) == "".join(citation["quote"].split())


async def test_the_page_shows_the_same_answer(site: Site) -> None:
    body = await ask(site, "can I advertise alcohol in the UK")
    status, text = await site.page(f"/?q=can+I+advertise+alcohol+in+the+UK&as_of={TODAY}")
    page = LexborHTMLParser(text)
    assert status == 200
    assert "Restricted in the United Kingdom" in page.css("#verdict")[0].text()
    assert [each.attributes["href"] for each in page.css(".sources li > a")] == [
        each["url"] for each in body["citations"]
    ]


async def test_the_event_stream_ends_with_the_answer(site: Site) -> None:
    headers = {"Accept": "text/event-stream"}
    question = {"question": "can I advertise alcohol in Germany"}
    async with site.session.post("/api/v1/ask", json=question, headers=headers) as response:
        events = (await response.text()).strip().split("\n\n")
    assert events[0].startswith("event: status\n")
    name, answer = events[-1].split("\n")
    assert name == "event: answer"
    assert json.loads(answer.removeprefix("data: "))["verdict"] == "prohibited"


async def test_what_no_policy_is_about_is_refused(site: Site) -> None:
    body = await ask(site, "what's the weather")
    assert (body["kind"], body["verdict"], body["refusal"]["reason"]) == ("refusal", None, "off_topic")


async def test_control_and_bidi_characters_change_nothing(site: Site) -> None:
    plain = await ask(site, "can I advertise alcohol in the UK")
    strange = await ask(site, "can I \u202eadvertise\u0000 alcohol\u200b in the\u2066 UK\x1b\x07")
    assert strange["verdict"] == plain["verdict"]
    assert strange["statements"] == plain["statements"]


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"question": ""}, "question_empty"),
        ({"question": " \u202e\u0000 "}, "question_empty"),
        ({"question": "x" * 10_000}, "question_too_long"),
        ({"question": "alcohol", "filters": {"region": "atlantis"}}, "unknown_region"),
        ({"question": "alcohol", "filters": {"region": ["uk", ""]}}, "unknown_region"),
        ({"question": "alcohol", "filters": {"content_type": "smell"}}, "unknown_content_type"),
        ({"question": "alcohol", "filters": {"policy_source": "nobody"}}, "unknown_policy_source"),
    ],
)
async def test_what_can_never_work_is_422_and_says_what_would(site: Site, body: dict[str, Any], code: str) -> None:
    for path, name in (("/api/v1/ask", "question"), ("/api/v1/search", "query")):
        given = {name: body["question"]} | {key: value for key, value in body.items() if key != "question"}
        status, problem = await site.post(path, given)
        assert (status, problem["code"]) == (422, code)
        assert problem["detail"]
        if code.startswith("unknown"):
            assert problem["known"]


async def test_a_long_question_is_explained_on_the_page(site: Site) -> None:
    status, text = await site.page("/?q=" + "x" * 5_000)
    assert status == 422
    assert "too long" in LexborHTMLParser(text).css(".problem")[0].text()


async def test_search_is_filtered_by_place_and_day(site: Site) -> None:
    query = {"query": "alcohol ads", "filters": {"region": "de"}, "as_of": str(TODAY)}
    _, body = await site.post("/api/v1/search", query)
    results: list[dict[str, Any]] = body["results"]  # type: ignore[assignment]
    assert {each["doc_id"] for each in results} == {NEW.version.doc_id}
    assert {region for each in results for region in each["regions"]} == {"de", "global"}
    assert await site.post("/api/v1/search", query | {"limit": 0}) == (200, {"results": []})


async def test_a_hidden_document_is_on_no_road(site: Site) -> None:
    chunk = HIDDEN.chunks[0].chunk_id
    words = "whisky adverts for partners half price"
    found = [
        await site.get("/api/v1/documents"),
        await site.get("/api/v1/documents/acme_partners/versions"),
        await site.get(f"/api/v1/chunks/{chunk}"),
        await site.page(f"/sources/{HIDDEN.version.doc_id}?chunk={chunk}"),
        await site.page(f"/sources/{NEW.version.doc_id}?chunk={chunk}"),
        await site.page("/"),
        await site.get("/api/v1/changes"),
        (200, json.dumps(await ask(site, "invoiced at half price in acme_partners?"))),
        (200, json.dumps(await site.post("/api/v1/search", {"query": words, "limit": 100}))),
    ]
    for _, text in found:
        assert SECRET not in text
        assert chunk not in text.replace(f"chunk={chunk}", "")
        assert "Acme Partners" not in text
    assert [status for status, _ in found[1:4]] == [404, 404, 404]


async def test_what_changed_is_told_with_its_day_and_words(site: Site) -> None:
    _, text = await site.get("/api/v1/changes?since=2026-01-01")
    (change,) = json.loads(text)["changes"]
    assert (change["kind"], change["doc_id"]) == ("changed", NEW.version.doc_id)
    assert (change["previous_doc_id"], change["changed_on"]) == (OLD.version.doc_id, "2026-01-01")
    (section,) = [each for each in change["sections"] if each["rules"]]
    (rule,) = section["rules"]
    assert (section["path"][-1], rule["kind"]) == ("United Kingdom", "changed")
    (edit,) = rule["edits"]
    assert rule["before"][edit["before_start"] : edit["before_end"]] == "16"
    assert rule["after"][edit["after_start"] : edit["after_end"]] == "21"
    _, text = await site.get("/api/v1/changes?until=2025-12-31")
    assert [each["kind"] for each in json.loads(text)["changes"]] == ["added"]


async def test_it_is_ready(site: Site) -> None:
    status, body = await site.get("/readyz")
    assert status == 200, body
    assert json.loads(body)["degraded"] == []
