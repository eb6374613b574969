"""Markdown: what it says, and that a renderer makes no link, mark-up or HTML of other people's text."""

import re
from html import unescape

import pytest
from hypothesis import HealthCheck, given, settings
from markdown_it import MarkdownIt

from bot.model.links import Links
from bot.model.visible import one_line
from bot.render.markdown import body_markdown, escape
from rag_core.answers import Answer, Refusal, Reply
from tests.fakes import hostile, replies
from tests.fakes.golden import golden_text

LINKS = Links("https://bot.example", {"sample": "Sample Ads"})
RENDERER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])


def hrefs(markdown: str) -> set[str]:
    return {unescape(each) for each in re.findall(r'href="([^"]*)"', RENDERER.render(markdown))}


@pytest.mark.parametrize(
    ("name", "reply"),
    [
        ("answer", replies.answer()),
        ("on_the_wider_thing", replies.WIDER),
        ("refusal", replies.refusal()),
        ("clarification", replies.clarification()),
        *replies.TABLES.items(),
    ],
)
def test_golden(name: str, reply: Reply) -> None:
    found = body_markdown(reply, LINKS)
    assert found == golden_text(f"markdown/{name}.md", found)


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("a*b_c`d", "a\\*b\\_c\\`d"),
        ("[x](y)", "\\[x\\](y)"),
        ("<b>", "\\<b\\>"),
        ("# no heading", "\\# no heading"),
        ("- no item", "\\- no item"),
        ("12. no item", "12\\. no item"),
        ("3) no item", "3\\) no item"),
        ("a | b", "a \\| b"),
        ("&amp; AT&T", "\\&amp; AT&T"),
        ("https://evil.example", "https\\://evil.example"),
        ("www.evil.example", "www\\.evil.example"),
        ("me@evil.example", "me\\@evil.example"),
        ("1.2% of 10-20", "1.2% of 10-20"),
        ("a\n\n# b", "a # b"),
    ],
)
def test_escape(text: str, escaped: str) -> None:
    assert escape(text) == escaped


@settings(deadline=None)
@given(hostile.texts)
def test_escaped_text_renders_as_itself(text: str) -> None:
    rendered = RENDERER.render(escape(text)).strip()
    content = unescape(rendered.removeprefix("<p>").removesuffix("</p>"))
    assert content.split() == one_line(text).split()


@pytest.mark.parametrize("text", ["https://evil.example", "http://evil.example/x y", "WWW.evil.example"])
def test_nothing_is_left_for_github_to_link(text: str) -> None:
    assert not re.search(r"(?<!\\)://|www\.", escape(text), re.IGNORECASE)


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(hostile.any_reply)
def test_only_our_links(reply: Reply) -> None:
    ours: set[str] = set()
    if isinstance(reply, Answer):
        ours = {LINKS.citation(each) for each in reply.citations}
        ours |= {LINKS.document(each) for each in (reply.documents.documents if reply.documents else ())}
    if isinstance(reply, Refusal):
        ours = {LINKS.nearest(each) for each in reply.nearest}
    assert hrefs(body_markdown(reply, LINKS)) <= {_as_rendered(each) for each in ours}


@pytest.mark.parametrize(
    ("reply", "columns", "rows"),
    [(replies.comparison(), 5, 3), (replies.changed(), 3, 5), (replies.documents(), 3, 2)],
)
def test_what_stands_side_by_side_is_one_table(reply: Reply, columns: int, rows: int) -> None:
    html = RENDERER.render(body_markdown(reply, LINKS))
    assert (html.count("<table>"), html.count("<th>"), html.count("<td>")) == (1, columns, columns * rows)


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(hostile.answers())
def test_no_text_breaks_out_of_its_cell(answer: Answer) -> None:
    cells = 0
    if answer.changes is not None:
        cells = 3 * len(answer.changes.rules)
    elif answer.documents is not None:
        cells = 3 * len(answer.documents.documents)
    elif answer.comparison is not None:
        cells = 5 * len(answer.comparison.rows)
    assert RENDERER.render(body_markdown(answer, LINKS)).count("<td>") == cells


def _as_rendered(url: str) -> str:
    found = re.search(r'href="([^"]*)"', RENDERER.render(f"[x]({url})"))
    return unescape(found[1]) if found else url


def test_every_source_is_linked_with_its_number() -> None:
    answer = replies.answer()
    html = RENDERER.render(body_markdown(answer, LINKS))
    for citation in answer.citations:
        assert f"[{citation.number}]</a>" in html
        assert _as_rendered(LINKS.citation(citation)) in hrefs(body_markdown(answer, LINKS))


def test_the_lines_of_a_statement_stay_lines() -> None:
    html = RENDERER.render(body_markdown(replies.answer(), LINKS))
    assert f"{replies.LEAD_IN}<br" in html
