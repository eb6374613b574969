"""Dialogs on an answer in Teams: whole, however long it is, page by page; and nothing that may not be seen."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from bot.answers.seen import InContext
from bot.render.teams.dialogs import PAGE_UNITS, page_number, paged, sources_dialog, whole_answer_dialog
from rag_core.answers import Answer, Approved, Changes
from rag_core.errors import Rejected
from tests.fakes import adaptive_cards as cards
from tests.fakes import hostile, replies
from tests.fakes.golden import golden_json
from tests.unit.bot.test_slack_modals import ANSWERS, LINKS, context_of, our_links, passage_until, seen

LONG = replies.answer(
    statements=tuple(replies.statement(f"Rule {n}: " + "word " * 400, citations=(n,)) for n in range(1, 41)),
    citations=tuple(replies.citation(n, section_path=f"Alcohol > Part {n}") for n in range(1, 41)),
)


def pages(make: Any, most: int = 50) -> list[dict[str, Any]]:
    """Every page, turned as somebody would turn them."""
    found = [make(0)]
    while "Next page" in cards.titles(found[-1]) and len(found) < most:
        found.append(make(page_number(cards.titles(found[-1])["Next page"]["page"])))
    return found


def test_golden() -> None:
    answer = replies.answer()
    found = {
        "sources": sources_dialog(seen(answer, gone=1), context_of(answer), LINKS),
        "whole": whole_answer_dialog(seen(answer), LINKS),
        "partly": whole_answer_dialog(seen(answer, is_whole=False), LINKS),
    }
    for card in found.values():
        assert cards.card_violations(card, our_links(answer)) == []
        assert cards.against_schema(card) == []
    assert found == golden_json("teams/dialogs", found)


@pytest.mark.parametrize("name", ANSWERS)
def test_the_whole_answer_says_all_of_it(name: str) -> None:
    answer = ANSWERS[name]
    text = cards.shown(whole_answer_dialog(seen(answer), LINKS))
    for statement in answer.loose_statements:
        assert all(line in text for line in statement.text.splitlines())
    assert "Left out" not in text


def test_a_long_answer_has_pages_and_nothing_is_lost() -> None:
    found = pages(lambda page: whole_answer_dialog(seen(LONG), LINKS, page=page))
    assert len(found) > 2
    text = "\n".join(map(cards.shown, found))
    assert all(f"Rule {n}:" in text for n in range(1, 41))
    assert all(f"[{n}] Alcohol › Part {n}" in text for n in range(1, 41))
    assert text.count("word") == 400 * 40
    assert "Page 2 of" in cards.shown(found[1])
    for each in found:
        assert cards.size(each) <= 2 * PAGE_UNITS + 4_000
        assert cards.card_violations(each, our_links(LONG)) == []
    assert "Previous page" not in cards.titles(found[0])
    assert cards.titles(found[1])["Previous page"]["page"] == "0"


def test_turning_a_page_is_signed_like_any_click() -> None:
    card = whole_answer_dialog(seen(LONG), LINKS, page=1, sign=lambda fields: {**fields, "signed": "yes"})
    found = cards.titles(card)["Next page"]
    assert found == {"adpolicy": "show_more", "answer": found["answer"], "page": "2", "signed": "yes"}


@pytest.mark.parametrize(("said", "number"), [("2", 2), ("", 0), ("-1", 0), ("x", 0), ("99999999", 0), ("²", 0)])
def test_a_page_is_a_number(said: str, number: int) -> None:
    assert page_number(said) == number


def test_a_page_that_is_not_there_is_the_last_one() -> None:
    last = pages(lambda page: whole_answer_dialog(seen(LONG), LINKS, page=page))[-1]
    assert whole_answer_dialog(seen(LONG), LINKS, page=999) == last


def test_a_table_longer_than_a_page_is_cut_between_rows_under_its_heads() -> None:
    rule = replies.changed_rule(before="kite " * 170, after="string " * 120)
    answer = replies.changed(changes=Changes(None, replies.TODAY, (rule,) * 20))
    found = pages(lambda page: whole_answer_dialog(seen(answer), LINKS, page=page))
    assert sum(each["type"] == "Table" for page in found for each in cards.elements(page)) == 20
    row: dict[str, Any] = {
        "type": "TableRow",
        "cells": [{"type": "TableCell", "items": [{"type": "TextBlock", "text": "x" * 9_000}]}],
    }
    wide: dict[str, Any] = {"type": "Table", "columns": [{"width": 1}], "rows": [{**row, "cells": []}, *[row] * 9]}
    _, count = paged([wide], 0)
    tables: list[Any] = [part for page in range(count) for part in paged([wide], page)[0]]
    rows = [each for part in tables for each in part["rows"][1:]]
    assert count > 2
    assert rows == [row] * 9


def test_what_alone_is_longer_than_a_page_is_said_to_be_too_much() -> None:
    shown, count = paged([{"type": "TextBlock", "text": "x" * 40_000}], 0)
    assert count == 1
    assert "more than fits here" in str(shown)


def test_only_what_may_be_seen_is_shown() -> None:
    answer = replies.answer()
    hidden = replace(seen(answer, is_whole=False), passages={answer.citations[1].chunk_id: passage_until(None)})
    text = cards.shown(whole_answer_dialog(hidden, LINKS))
    assert replies.RULE in text
    assert replies.ITEM not in text
    assert "Restricted in" not in text
    assert "Shown are the statements" in text


def test_sources_stand_in_the_passages_around_them() -> None:
    answer = replies.answer()
    context = {each.chunk_id: InContext("Before it.", each.quote, "Behind it.") for each in answer.citations}
    text = cards.shown(sources_dialog(seen(answer), context, LINKS))
    assert f"… Before it. “{replies.ITEM}” Behind it. …" in text
    assert "in force since 15 January 2026" in text
    assert "Superseded since" in cards.shown(sources_dialog(_ended(answer), context, LINKS))


def _ended(answer: Answer) -> Any:
    return replace(seen(answer), passages={each.chunk_id: passage_until(replies.TODAY) for each in answer.citations})


def test_without_sources_it_says_what_to_do() -> None:
    assert "nothing to show here" in cards.shown(sources_dialog(seen(replies.answer()), {}, LINKS))


def test_what_is_no_answer_is_refused() -> None:
    refused = seen(replies.refusal())
    with pytest.raises(Rejected, match="answer_unreadable"):
        whole_answer_dialog(refused, LINKS)
    with pytest.raises(Rejected, match="answer_unreadable"):
        sources_dialog(refused, {}, LINKS)


def test_a_persons_words_stay_a_persons_words() -> None:
    answer = replies.answer(approved=Approved("Legal desk", replies.TODAY, "", 0))
    assert "written by a person, approved by Legal desk" in cards.shown(whole_answer_dialog(seen(answer), LINKS))


def test_a_changed_rule_whose_title_shows_nothing_has_no_empty_line() -> None:
    rule = replies.changed_rule(title="\x15", section_path="")
    answer = replies.changed(changes=Changes(replies.TODAY, replies.TODAY, (rule,)))
    [card] = pages(lambda page: whole_answer_dialog(seen(answer), LINKS, page=page))
    assert cards.card_violations(card, our_links(answer)) == []
    assert "Before" in cards.shown(card)


@settings(
    max_examples=8,
    deadline=None,
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(hostile.answers(), hostile.texts)
def test_no_answer_breaks_a_limit(answer: Answer, question: str) -> None:
    links = our_links(answer)
    shown = seen(answer, question=question)
    for make in (
        lambda page: whole_answer_dialog(shown, LINKS, page=page),
        lambda page: sources_dialog(shown, context_of(answer, question), LINKS, page=page),
    ):
        for card in pages(make):
            assert cards.card_violations(card, links) == []
            assert cards.size({"card": json.loads(json.dumps(card))}) <= 78_000
