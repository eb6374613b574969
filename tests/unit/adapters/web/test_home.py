"""The question page: form, answer, refusal, clarification, errors; and that nothing in them is taken as mark-up."""

from dataclasses import replace
from datetime import date

import pytest
from selectolax.lexbor import LexborHTMLParser, LexborNode

from bot import wording
from bot.model.links import Links
from rag_core.answers import (
    Changes,
    Choice,
    Clarification,
    Comparison,
    Nearest,
    Notice,
    Refusal,
    RefusalReason,
    WarningCode,
)
from rag_core.errors import Rejected, Unavailable
from rag_core.questions import Filters, NoteKind, Scope, ScopeNote
from tests.fakes import replies
from tests.fakes.documents import make_write
from tests.fakes.web import PUBLIC_URL, TODAY, FakeAsk, FakePolicyStore, make_parts, serving, uk_answer

ANSWER = uk_answer(make_write(url=None))
LINKS = Links(PUBLIC_URL, {"acme": "Acme Ads"})


async def page_of(path: str, ask: FakeAsk | None = None, **changes: object) -> tuple[int, LexborHTMLParser]:
    async with serving(make_parts(ask, **changes)) as site:  # type: ignore[arg-type]
        status, text = await site.page(path)
    return status, LexborHTMLParser(text)


def one(page: LexborHTMLParser, selector: str) -> LexborNode:
    nodes = page.css(selector)
    assert len(nodes) == 1, f"{len(nodes)} x {selector}"
    return nodes[0]


async def test_the_empty_page_asks_nothing_and_offers_examples() -> None:
    ask = FakeAsk(ANSWER)
    status, page = await page_of("/?q=+&place=", ask)
    assert (status, ask.asked) == (200, [])
    assert [each.attributes["value"] for each in page.css("#source option")] == ["", "acme"]
    assert len(page.css(".examples a")) >= 3
    assert "1 policy document" in one(page, "footer").text()


async def test_without_documents_the_page_says_how_to_add_some() -> None:
    _, page = await page_of("/", store=FakePolicyStore())
    assert "python -m ingest run" in one(page, ".problem").text()
    assert not page.css(".examples")


async def test_everything_in_the_address_is_asked() -> None:
    ask = FakeAsk(ANSWER)
    path = "/?q=alcohol&place=Germany&source=acme&as_of=2026-02-01&content_type=video&section=Beer&label=stage:sample"
    _, page = await page_of(path, ask)
    asked = ask.asked[0]
    labels = {"stage": ("sample",)}
    assert asked.filters == Filters(("acme",), ("de",), ("video",), ("Beer",), labels)
    assert (asked.text, asked.as_of, asked.asked_from) == ("alcohol", date(2026, 2, 1), "web")
    assert asked.groups == frozenset()
    assert one(page, "#place").attributes["value"] == "Germany"
    assert one(page, "#as_of").attributes["value"] == "2026-02-01"
    assert one(page, "option[selected]").attributes["value"] == "acme"
    hidden = [(each.attributes["name"], each.attributes["value"]) for each in page.css("input[type=hidden]")]
    assert hidden == [("content_type", "video"), ("section", "Beer"), ("label", "stage:sample")]


async def test_an_answer_shows_verdict_scope_statements_conditions_warnings_and_sources() -> None:
    status, page = await page_of("/?q=alcohol+in+the+uk", FakeAsk(ANSWER))
    link = LINKS.citation(ANSWER.citations[0])
    assert status == 200
    assert one(page, "#q").text() == "alcohol in the uk"
    assert one(page, "#verdict").text(strip=True) == "Restricted in the United Kingdom"
    assert "restricted" in str(one(page, "#verdict .sign").attributes["class"])
    assert "restricted" in str(one(page, ".reply").attributes["class"])
    scope = wording.scope_parts(ANSWER.scope, LINKS.source_names)
    assert [each.text() for each in page.css(".scope li")] == scope
    assert ANSWER.statements[0].text in one(page, ".statements li").text()
    assert [each.attributes["href"] for each in page.css(".statements .ref, .conditions .ref")] == [link, link]
    assert "adults only" in one(page, ".conditions").text()
    assert "invented samples" in one(page, ".notes").text()
    assert one(page, ".sources a").attributes["href"] == link
    assert one(page, ".sources blockquote").text() == ANSWER.citations[0].quote


async def test_what_was_guessed_is_shown_with_how_to_change_it() -> None:
    notes = (ScopeNote(NoteKind.CITY, "<i>Leeds</i>", ("uk",)),)
    _, page = await page_of("/?q=x", FakeAsk(replace(ANSWER, scope=replace(ANSWER.scope, notes=notes))))
    assert "Place: United Kingdom (from “<i>Leeds</i>”)" in [each.text() for each in page.css(".scope li")]
    assert "Not what you meant? Name the place and ask again." in [each.text() for each in page.css(".hint")]
    _, plain = await page_of("/?q=x", FakeAsk(ANSWER))
    assert not plain.css(".reply .hint")


async def test_several_verdicts_are_listed_one_by_one() -> None:
    verdict = ANSWER.verdicts[0]
    other = replace(verdict, region="de", verdict=verdict.verdict.PROHIBITED)
    _, page = await page_of("/?q=x", FakeAsk(replace(ANSWER, verdicts=(verdict, other))))
    lines = [each.text() for each in page.css(".verdicts li")]
    assert ["Restricted" in line for line in lines] == [True, False]
    assert "Prohibited" in lines[1]
    assert "none" in str(one(page, ".reply").attributes["class"])
    assert len(page.css(".conditions dt")) == 1


def cells(page: LexborHTMLParser) -> list[list[str]]:
    """The rows of the one table, its heads first, each cell's words."""
    return [[" ".join(each.text().split()) for each in row.css("th, td")] for row in one(page, "table").css("tr")]


async def test_places_and_platforms_stand_side_by_side_in_a_table() -> None:
    _, page = await page_of("/?q=x", FakeAsk(replies.comparison()))
    heads, british, german, french = cells(page)
    assert heads == ["Place", "Platform", "Verdict", "Conditions", "Sources"]
    assert british[:3] == ["United Kingdom", "Sample", "Restricted"]
    assert "Age: Adverts for drinks" in british[3]
    assert "“podcasts” is not stated" in german[2]
    assert "not a permission" in french[2]
    assert not page.css(".verdicts, .conditions")
    assert [each.attributes["scope"] for each in page.css("tbody th")] == ["row"] * 3
    assert one(page, "caption").text()
    assert len(page.css("table .ref")) == 3


async def test_changed_rules_stand_before_and_now_with_a_source_each() -> None:
    reply = replies.changed()
    _, page = await page_of("/?q=x", FakeAsk(reply))
    heads, first, came, went, *_ = cells(page)
    assert heads == ["Rule", "Before", "Now"]
    assert "15 January 2026 · changed, stricter" in first[0]
    assert first[1].startswith("“Adverts are shown only to people aged 16 or older.”")
    assert "18 or older" in first[2]
    assert came[1] == "Not in the version before"
    assert went[2] == "No longer there"
    assert not page.css(".statements"), "they stand in the table"
    assert page.css("td.before .ref")[0].attributes["href"] == LINKS.citation(reply.citations[0])


async def test_where_nothing_changed_the_days_and_the_rules_are_shown() -> None:
    _, page = await page_of("/?q=x", FakeAsk(replies.unchanged()))
    assert not page.css("table")
    assert "from 1 March 2026 to 22 November 2026" in one(page, ".unchanged").text()
    assert len(page.css(".statements li")) == 2


async def test_documents_are_listed_with_links_to_them() -> None:
    _, page = await page_of("/?q=x", FakeAsk(replies.documents()))
    _, first, _ = cells(page)
    assert first[0] == "Alcohol"
    assert "version of 1 March 2025" in first[2]
    assert one(page, "tbody tr:first-child a").attributes["href"] == "https://ads.example/policies/alcohol"


async def test_help_says_what_can_be_asked() -> None:
    _, page = await page_of("/?q=help", FakeAsk(replies.helps()))
    assert "compare the alcohol rules" in one(page, ".reply").text()
    assert len(page.css(".choices a")) == 2


async def test_text_in_tables_is_never_mark_up() -> None:
    rule = replies.changed_rule(title=EVIL, section_path=EVIL, before=EVIL, after=EVIL, lead_in=EVIL)
    row = replies.comparison_row(not_stated=(EVIL,), verdict=None)
    for reply in (
        replies.changed(changes=Changes(None, TODAY, (rule,))),
        replies.comparison(comparison=Comparison((row, row))),
    ):
        _, page = await page_of("/?q=x", FakeAsk(reply))
        assert not page.css("script, img, b, [onerror]")
        assert EVIL in one(page, "table").text()


async def test_a_missing_word_and_a_missing_part_are_said() -> None:
    answer = replace(ANSWER, verdicts=(), not_stated=("mezcal",), degraded=("vector",), rewritten_question="and beer?")
    _, page = await page_of("/?q=x", FakeAsk(answer))
    assert "mezcal" in one(page, ".not-stated").text()
    assert len(page.css(".notes li")) == 2
    assert "and beer?" in one(page, ".reply").text()


async def test_choices_are_links_that_keep_the_day() -> None:
    choice = Choice("place", "de", "alcohol in Germany?", Filters(regions=("de",)))
    clarification = Clarification(Scope(TODAY), (choice,))
    _, page = await page_of("/?q=alcohol&as_of=2026-02-01", FakeAsk(clarification))
    link = one(page, ".choices a")
    assert link.attributes["href"] == "/?q=alcohol+in+Germany%3F&place=de&as_of=2026-02-01"
    assert "Germany" in link.text()


async def test_a_refusal_says_what_was_looked_for_and_what_is_near() -> None:
    nearest = Nearest("c", "d", "acme", "Alcohol", None, None, "Alcohol > Beer", ("uk",), date(2026, 1, 1), None)
    refusal = Refusal(
        Scope(TODAY, regions=("uk",)),
        RefusalReason.NOT_COVERED,
        looked_for=("mezcal",),
        searched=("acme",),
        nearest=(nearest,),
        warnings=(Notice(WarningCode.PAST_DAY, ("2026-01-01",)),),
    )
    status, page = await page_of("/?q=mezcal", FakeAsk(refusal))
    assert status == 200
    text = one(page, ".reply").text()
    assert "mezcal" in text
    assert "Acme Ads" in text
    assert "1 January 2026" in one(page, ".notes").text()
    assert one(page, ".nearest a").attributes["href"] == LINKS.nearest(nearest)


@pytest.mark.parametrize(
    ("error", "expected"),
    [(Rejected("question_too_long", limit=2000, length=9999), 422), (Unavailable("index_down"), 503)],
)
async def test_an_error_stands_below_the_form_that_keeps_the_question(error: Exception, expected: int) -> None:
    status, page = await page_of("/?q=alcohol", FakeAsk(error))
    assert status == expected
    assert one(page, "#q").text() == "alcohol"
    assert one(page, ".problem[role=alert]").text(strip=True)


@pytest.mark.parametrize(("field", "value"), [("place", "Atlantis"), ("as_of", "soon")])
async def test_a_field_that_cannot_be_read_is_marked_and_nothing_is_asked(field: str, value: str) -> None:
    ask = FakeAsk(ANSWER)
    status, page = await page_of(f"/?q=alcohol&{field}={value}", ask)
    assert (status, ask.asked) == (422, [])
    marked = one(page, "[aria-invalid=true]")
    assert marked.attributes["name"] == field
    assert value in one(page, f"#{marked.attributes['aria-describedby']}").text()


EVIL = '<script>alert(1)</script><img src=x onerror="alert(1)">"\'><b>&amp; javascript:alert(1)'


async def test_text_of_people_and_documents_is_never_mark_up() -> None:
    citation = replace(ANSWER.citations[0], title=EVIL, section_path=EVIL, quote=EVIL, url="javascript:alert(1)")
    statement = replace(ANSWER.statements[0], text=EVIL)
    choice = Choice("section", EVIL, EVIL, Filters(sections=(EVIL,)))
    answer = replace(ANSWER, citations=(citation,), statements=(statement,), choices=(choice,), not_stated=(EVIL,))
    async with serving(make_parts(FakeAsk(answer))) as site:
        _, text = await site.get("/", accept="text/html")
        async with site.session.get("/", params={"q": EVIL, "section": EVIL, "label": EVIL}) as response:
            text = await response.text()
    page = LexborHTMLParser(text)
    assert not page.css("script, img, b, [onerror]")
    assert not [each for each in page.css("a") if str(each.attributes["href"]).startswith("javascript:")]
    assert EVIL in one(page, ".statements li").text()
    assert one(page, "#q").text() == EVIL


async def test_characters_that_a_screen_obeys_are_not_shown() -> None:
    statement = replace(ANSWER.statements[0], text="for \u202eadults\u2066 only\x07")
    async with serving(make_parts(FakeAsk(replace(ANSWER, statements=(statement,))))) as site:
        _, text = await site.page("/?q=%E2%80%AEx")
    assert "for adults only" in text
    assert not set("\u202e\u2066\x07") & set(text)


async def test_an_unknown_address_is_a_page_for_readers() -> None:
    status, page = await page_of("/nothing")
    assert status == 404
    assert one(page, "h1").text()
    assert one(page, "main a").attributes["href"] == "/"


async def test_pages_are_not_kept_by_anybody() -> None:
    async with serving(make_parts()) as site, site.session.get("/?q=x") as response:
        assert response.headers["Cache-Control"] == "no-store"
