"""`/sources/{doc_id}`: the whole version, the quote highlighted."""

from dataclasses import replace
from datetime import date
from urllib.parse import urlsplit

import pytest
from selectolax.lexbor import LexborHTMLParser

from adapters.web.source_page import web_address
from bot.model.links import Links
from bot.wording.web_pages import in_force
from rag_core.documents import Classification
from tests.fakes.documents import make_version, make_write
from tests.fakes.web import PUBLIC_URL, QUOTE, FakePolicyStore, make_parts, serving, uk_answer

OLD = make_write(url=None, effective_from=date(2025, 1, 1), effective_to=date(2026, 1, 1), labels={"stage": "sample"})
NEW = make_write(url=None, effective_from=date(2026, 1, 1))
SECRET = make_write(
    replace(make_version("acme_secret"), classification=Classification.RESTRICTED, allowed_groups=frozenset({"legal"}))
)
STORE = FakePolicyStore([OLD, NEW, SECRET])


async def source(path: str, store: FakePolicyStore = STORE) -> tuple[int, LexborHTMLParser]:
    async with serving(make_parts(store=store)) as site:
        status, text = await site.page(path)
    return status, LexborHTMLParser(text)


def marked(page: LexborHTMLParser) -> str:
    return "".join(each.text() for each in page.css("mark"))


async def test_a_citations_link_opens_with_its_quote_highlighted() -> None:
    citation = uk_answer(NEW).citations[0]
    link = urlsplit(Links(PUBLIC_URL).citation(citation))
    status, page = await source(f"{link.path}?{link.query}")
    assert status == 200
    assert marked(page) == QUOTE
    assert [each.attributes.get("id") for each in page.css("mark")] == ["quote"]
    assert [each.text() for each in page.css("h1")] == ["Acme Alcohol"]
    assert "In Germany, alcohol ads" in page.text()


async def test_without_a_range_the_named_passage_is_highlighted() -> None:
    chunk = NEW.chunks[0]
    _, page = await source(f"/sources/{chunk.doc_id}?chunk={chunk.chunk_id}")
    assert marked(page) == chunk.chunk_text


@pytest.mark.parametrize(
    "query",
    [
        "",
        "?from=1",
        "?from=5&to=5",
        "?from=9&to=3",
        "?from=-1&to=3",
        "?from=x&to=y",
        "?from=0&to=99999999",
        "?from=0&to=999999999999999999999999",
        "?from=%C2%B2&to=9",
        "?chunk=nonsense",
        "?chunk=%00",
        f"?chunk={OLD.chunks[0].chunk_id}",
        f"?chunk={SECRET.chunks[0].chunk_id}",
    ],
)
async def test_a_range_that_is_none_highlights_nothing(query: str) -> None:
    status, page = await source(f"/sources/{NEW.version.doc_id}{query}")
    assert (status, marked(page)) == (200, "")
    assert not page.css(".quoted")


async def test_the_other_versions_are_linked_newest_first() -> None:
    _, page = await source(f"/sources/{OLD.version.doc_id}")
    assert [each.attributes["href"] for each in page.css(".versions a")] == [f"/sources/{NEW.version.doc_id}"]
    assert page.css(".versions li")[0].css("a")
    assert page.css(".versions li")[1].css("[aria-current=page]")
    assert "No longer in force" in page.css(".validity")[0].text()


async def test_a_sample_says_so() -> None:
    _, sample = await source(f"/sources/{OLD.version.doc_id}")
    _, real = await source(f"/sources/{NEW.version.doc_id}")
    assert "sample" in sample.css(".notes")[0].text()
    assert not real.css(".notes")


async def test_the_original_is_linked_where_it_is_on_the_web() -> None:
    write = make_write(url="https://ads.example/alcohol")
    _, page = await source(f"/sources/{write.version.doc_id}", FakePolicyStore([write]))
    assert "https://ads.example/alcohol" in [each.attributes["href"] for each in page.css(".about a")]


@pytest.mark.parametrize("url", ["javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", " https://x", None])
def test_only_web_addresses_are_linked(url: str | None) -> None:
    assert web_address(url) is None


async def test_hidden_and_unknown_sources_are_the_same_page() -> None:
    async with serving(make_parts(store=STORE)) as site:
        pages = {
            await site.page(f"/sources/{doc_id}")
            for doc_id in (SECRET.version.doc_id, "acme_nothing_2026-01-01", "%00", "x" * 1000)
        }
    assert {status for status, _ in pages} == {404}
    assert len(pages) == 1


async def test_text_of_documents_is_never_mark_up() -> None:
    evil = "<script>alert(1)</script> <b onclick=x>"
    write = make_write(title=evil, url=None)
    write = replace(write, text=f"## {evil}\n\n{evil}\n\n- {evil}\n\n| {evil} | b |\n| --- | --- |\n| {evil} | c |\n")
    _, page = await source(f"/sources/{write.version.doc_id}?from=4&to=60", FakePolicyStore([write]))
    assert not page.css("script, b, [onclick]")
    assert page.text().count("<script>alert(1)</script>") >= 5


@pytest.mark.parametrize(
    ("first", "until", "words"),
    [
        (date(2026, 1, 1), None, "In force since 1 January 2026."),
        (date(2026, 4, 1), None, "Not in force yet"),
        (date(2026, 1, 1), date(2026, 4, 1), "until 1 April 2026 (not included)"),
        (date(2026, 1, 1), date(2026, 2, 1), "No longer in force"),
        (date(2026, 1, 1), date(2026, 1, 1), "holds for no day"),
    ],
)
def test_validity_in_words(first: date, until: date | None, words: str) -> None:
    assert words in in_force(first, until, date(2026, 3, 2))
