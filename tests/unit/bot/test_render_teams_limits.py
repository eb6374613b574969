"""Messages in Teams: no reply whatever can break a limit, a link, a citation or a mention."""

import json
from dataclasses import replace
from typing import Any, cast

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from bot.model.links import Links
from bot.model.outcomes import Rejection
from bot.render.teams.message import teams_message
from bot.render.teams.view import TeamsView
from rag_core.answers import (
    Answer,
    Approved,
    Changes,
    ConditionKind,
    QuoteType,
    Reply,
)
from tests.fakes import adaptive_cards as cards
from tests.fakes import hostile, replies
from tests.fakes.teams_cards import EVERYTHING, QUESTION, buttons, checked, message, our_links, shown

_NO_SHRINKING = (Phase.explicit, Phase.reuse, Phase.generate)
"""A reply has so many parts that shrinking takes minutes."""


def citation_claims(found: dict[str, Any]) -> list[dict[str, Any]]:
    [root] = found["entities"]
    return cast(list[dict[str, Any]], root["citation"])


def test_one_root_entity_cites_what_the_text_numbers() -> None:
    found = message(replies.answer())
    assert [each["position"] for each in citation_claims(found)] == [1, 2]
    assert "[1] [2]" in found["text"]
    first = citation_claims(found)[0]["appearance"]
    assert first["url"] == our_links(replies.answer())[0]
    assert first["name"] == "Alcohol › Countries › United Kingdom"
    assert first["abstract"] == f"“{replies.ITEM}”"
    assert first["keywords"] == ["Sample Ads", "United Kingdom"]


def test_the_ai_label_is_there_only_where_a_model_wrote() -> None:
    def labels(answer: Answer) -> list[str]:
        [root] = message(answer)["entities"]
        return cast(list[str], root.get("additionalType", []))

    written = (replies.citation(quote_type=QuoteType.INFERENCE), replies.citation(2))
    assert labels(replies.answer()) == []
    assert labels(replies.answer(citations=written)) == ["AIGeneratedContent"]
    assert labels(replies.answer(citations=written, approved=Approved("Legal", replies.TODAY, "c", 1))) == []


def test_long_citations_are_shortened_between_characters_and_none_is_dropped() -> None:
    family = "👩‍👩‍👧"
    many = tuple(
        replies.citation(n, title=family * 60, section_path="", quote=f"{family} é́ " * 90) for n in range(1, 21)
    )
    found = checked(replies.answer(citations=many))
    claims = citation_claims(found)
    assert [each["position"] for each in claims] == list(range(1, 21))
    for each in claims:
        assert set(each["appearance"]["name"].removesuffix("…").split(family)) == {""}


def test_citations_beyond_what_teams_takes_are_counted() -> None:
    many = tuple(replies.citation(n, section_path=f"Part {n}") for n in range(1, 26))
    found = checked(replies.answer(citations=many))
    assert len(citation_claims(found)) == 20
    assert "and 5 more" in found["text"]


def test_more_is_there_only_where_there_is_more() -> None:
    long = replies.answer(statements=tuple(replies.statement("word " * 400) for _ in range(40)))
    assert buttons(message(long))["More"]["adpolicy"] == "show_more"
    assert "“More” shows the whole answer." in shown(message(long))
    assert "More" not in buttons(message(replies.answer()))


def test_an_answer_that_is_too_long_leaves_out_whole_statements_and_says_so() -> None:
    statements = tuple(replies.statement(f"Rule {n}: " + "word " * 400, citations=(n,)) for n in range(1, 41))
    answer = replies.answer(
        statements=statements,
        citations=tuple(replies.citation(n, section_path=f"Alcohol > Part {n}") for n in range(1, 41)),
    )
    text = shown(checked(answer))
    told = [n for n in range(1, 41) if f"Rule {n}:" in text]
    assert told == list(range(1, len(told) + 1))
    assert 5 <= len(told) < 40
    assert text.count("word") == 400 * len(told)
    listed = [n for n in range(1, 41) if f"[{n}] Alcohol › Part {n}" in text]
    assert set(told) <= set(listed)
    assert f"Left out for length: {40 - len(told)} statements and {40 - len(listed)} sources." in text


def test_rows_without_room_are_counted() -> None:
    long = replies.changed_rule(before="kite " * 170, after="string " * 120, title="Toys " * 60, lead_in="lead " * 50)
    found = checked(replies.changed(changes=Changes(None, replies.TODAY, (long,) * 40, 2)))
    told = sum(each["type"] == "Table" for each in cards.elements(cards.card_of(found)))
    assert 3 <= told < 40
    assert f"{42 - told} more changes are on record" in shown(found)
    assert "More" in buttons(found)


def test_an_address_of_2000_characters_survives() -> None:
    links = Links("https://bot.example/" + "p" * 1_940)
    answer = replies.answer()
    address = links.citation(answer.citations[0])
    assert len(address) > 2_000
    found = teams_message(QUESTION, "a", answer, links)
    assert address in [each for each, _ in cards.links(cards.card_of(found))]


def test_document_text_neither_formats_nor_links_nor_mentions_nor_computes() -> None:
    attack = (
        "**All** <at>Everyone</at> [ok](https://evil.example) https://evil.example `x` ${x} "
        "{{DATE(2017-02-14T06:08:00Z, SHORT)}} {{TIME(2017-02-14T06:08:00Z)}} [1] <b>b</b> ![i](https://evil.example/i)"
    )
    answer = replies.answer(
        statements=(replies.statement(attack),),
        citations=(replies.citation(title=attack, section_path=attack, quote=attack),),
        not_stated=(attack,),
        choices=(replies.choice("de", "topic", question=attack), replies.choice(attack, "topic", question=attack)),
    )
    found = checked(answer, attack, EVERYTHING)
    assert all("evil" not in address.split("#")[0] for address, _ in cards.links(cards.card_of(found)))
    assert "{{DATE" not in json.dumps(found["attachments"])


def test_a_link_is_http_or_https_or_none() -> None:
    assert "javascript:" not in json.dumps(checked(replies.answer(citations=(replies.citation(url="javascript:x"),))))
    found = teams_message(QUESTION, "a", replies.answer(), Links("javascript:alert(1)//"))
    assert cards.links(cards.card_of(found)) == [
        each for each in cards.links(cards.card_of(found)) if each[0].startswith("https://ads.example")
    ]
    assert all("url" not in each["appearance"] for each in citation_claims(found)[:1])


@pytest.mark.parametrize("characters", [20_000, 6_000])
def test_a_shorter_form_says_the_verdict_and_where_the_rest_is(characters: int) -> None:
    statements = tuple(replies.statement(f"Rule {n}: " + "word " * 400, citations=(n,)) for n in range(1, 21))
    many = tuple(replies.citation(n, quote="quote " * 60) for n in range(1, 21))
    found = checked(replies.answer(statements=statements, citations=many), characters=characters)
    assert cards.size(found) <= 2 * characters
    assert "Restricted in the United Kingdom" in shown(found)
    assert "Left out for length" in shown(found)
    assert "More" in buttons(found)


@settings(
    max_examples=20,
    deadline=None,
    phases=_NO_SHRINKING,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(hostile.any_reply, hostile.texts)
def test_no_reply_breaks_a_limit(reply: Reply, question: str) -> None:
    for view in (TeamsView(), EVERYTHING):
        checked(reply, question, view)


@settings(max_examples=25, deadline=None)
@given(hostile.texts, hostile.texts)
def test_no_rejection_breaks_a_limit(question: str, value: str) -> None:
    checked(Rejection("unknown_policy_source", {"value": value, "known": [value, "sample"]}), question)
    checked(Rejection(value, {}), question)


@pytest.mark.parametrize("length", [10_000, 100_000])
def test_texts_of_any_length_are_shown_within_the_limits(length: int) -> None:
    attack = ("<at>U1</at> [x](http://y) `a` \u202e\u200b **b** 🍷" * (length // 40))[:length]
    answer = replies.answer(
        statements=(replies.statement(attack), replies.statement("short")),
        citations=(replies.citation(title=attack, section_path=attack, quote=attack), replies.citation(2)),
        not_stated=(attack,),
        rewritten_question=attack,
    )
    rule = replies.changed_rule(before=attack, after=attack + " more", title=attack, lead_in=attack)
    choices = tuple(replies.choice(question=attack, subject="de") for _ in range(9))
    for reply in (
        answer,
        replies.changed(changes=Changes(None, replies.TODAY, (rule,))),
        replace(replies.clarification(), choices=choices),
    ):
        checked(reply, attack, EVERYTHING)


def test_signs_outside_the_first_plane_count_twice() -> None:
    found = checked(replies.answer(statements=tuple(replies.statement("🍷" * 1_000) for _ in range(60))))
    assert cards.size(found) <= 72_000
    assert "Left out for length" in shown(found)


def test_many_conditions_are_all_there() -> None:
    conditions = tuple(replies.condition(ConditionKind.OTHER, f"Condition {n} " + "é" * 60, (1, 2)) for n in range(10))
    text = shown(checked(replies.answer(verdicts=(replies.place_verdict(conditions=conditions),))))
    assert all(f"Condition {n} " in text for n in range(10))


def test_the_checker_sees_what_it_is_there_for() -> None:
    good = message(replies.answer())

    def bad(text: str) -> list[str]:
        card = {**cards.card_of(good), "body": [{"type": "TextBlock", "text": text, "wrap": True}]}
        return cards.card_violations(card, ("https://bot.example/x",))

    assert bad("fine [[1](https://bot.example/x)] **bold**") == []
    texts = ("[x](https://evil.example/)", "*x*", "# x", "- x", "`x`", "<at>x</at>", "<b>x</b>", "{{DATE(x)}}", "${x}")
    assert all(bad(each) for each in texts)
    assert bad("https://evil.example")
    assert bad("[(1)](https://bot.example/x)")
    assert cards.violations({**good, "text": "none"}, our_links(replies.answer()))
    assert cards.violations({**good, "text": f"{good['text']} [7]"}, our_links(replies.answer()))
    assert cards.violations({**good, "summary": "x" * 50_000}, our_links(replies.answer()))
    assert cards.against_schema({**cards.card_of(good), "body": [{"type": "TextBlok", "text": "x"}]})
