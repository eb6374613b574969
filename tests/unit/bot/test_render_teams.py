"""Messages in Teams: what they say, and that no reply whatever can break a limit, a link or a mention."""

import json
from dataclasses import replace
from typing import Any, cast

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from bot.links import Links
from bot.outcomes import Failure, FailureCode, Outcome, Postponed, Rejection
from bot.render.teams import MESSAGE_UNITS, teams_message
from bot.render.teams_view import TeamsView
from ops.sandbox.teams.checks.activities import check_message, check_size
from ops.sandbox.teams.places import PlaceKind
from rag_core.answers import (
    Answer,
    Approved,
    ConditionKind,
    Notice,
    QuoteType,
    Refusal,
    RefusalReason,
    Reply,
    Verdict,
    WarningCode,
)
from rag_core.listings import Changes
from tests.fakes import adaptive_cards as cards
from tests.fakes import hostile, replies
from tests.fakes.golden import golden_json

LINKS = Links("https://bot.example", {"sample": "Sample Ads", "other": "Other Ads"})
_NO_SHRINKING = (Phase.explicit, Phase.reuse, Phase.generate)
"""A reply has so many parts that shrinking takes minutes."""

QUESTION = "can I advertise alcohol in the UK"
EVERYTHING = TeamsView(
    with_question=True,
    is_private=True,
    asks_people=True,
    shared_by="<at>U1</at>",
    shared_chunks=("gone", "gone too"),
    is_threaded=False,
)


def message(outcome: Outcome, question: str = QUESTION, view: TeamsView | None = None, **more: Any) -> dict[str, Any]:
    return teams_message(question, "answer-1", outcome, LINKS, view or TeamsView(), **more)


def our_links(outcome: Outcome) -> tuple[str, ...]:
    """Every address that the message may link to."""
    if isinstance(outcome, Answer):
        listed = outcome.documents.documents if outcome.documents else ()
        return (*(LINKS.citation(each) for each in outcome.citations), *(LINKS.document(each) for each in listed))
    return tuple(LINKS.nearest(each) for each in outcome.nearest) if isinstance(outcome, Refusal) else ()


def checked(outcome: Outcome, question: str = QUESTION, view: TeamsView | None = None, **more: Any) -> dict[str, Any]:
    found = message(outcome, question, view, **more)
    assert cards.violations(found, our_links(outcome)) == []
    taken_by_the_stand_in(found, view)
    return found


def taken_by_the_stand_in(found: dict[str, Any], view: TeamsView | None) -> None:
    """Raises TeamsRefusal."""
    check_message(found, PlaceKind.PERSONAL if view is not None and view.is_private else PlaceKind.CHANNEL)
    check_size(None, found)


def shown(found: dict[str, Any]) -> str:
    return cards.shown(cards.card_of(found))


def buttons(found: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return cards.titles(cards.card_of(found))


OUTCOMES: dict[str, tuple[Outcome, TeamsView]] = {
    "answer": (replies.answer(), TeamsView()),
    "answer_several_places": (
        replies.answer(
            scope=replies.scope(regions=("de", "fr"), policy_sources=("sample",)),
            verdicts=(
                replies.place_verdict(Verdict.PROHIBITED, "de"),
                replies.place_verdict(Verdict.ALLOWED, "fr", citations=(2,)),
            ),
        ),
        TeamsView(),
    ),
    "answer_not_stated": (
        replies.answer(verdicts=(), not_stated=("podcasts",), rewritten_question="and podcasts?"),
        TeamsView(),
    ),
    "answer_on_the_wider_thing": (replies.WIDER, TeamsView()),
    "answer_of_a_model": (
        replies.answer(citations=(replies.citation(quote_type=QuoteType.PARAPHRASE), replies.citation(2))),
        TeamsView(),
    ),
    "answer_approved": (replies.answer(approved=Approved("Legal desk", replies.TODAY, "c1", 1)), TeamsView()),
    "answer_rtl": (
        replies.answer(
            statements=(replies.statement("الإعلان عن الكحول محظور في هذا البلد."),),
            citations=(
                replies.citation(title="الكحول", section_path="", quote="الإعلان عن الكحول محظور في هذا البلد."),
            ),
        ),
        TeamsView(),
    ),
    "refusal": (replies.refusal(), TeamsView()),
    "refusal_off_topic": (
        replies.refusal(RefusalReason.OFF_TOPIC, nearest=(), looked_for=(), warnings=()),
        TeamsView(),
    ),
    "clarification": (replies.clarification(), TeamsView()),
    "rejection": (Rejection("question_too_long", {"limit": 2000, "length": 10_000}), TeamsView()),
    "failure": (Failure(FailureCode.TOO_SLOW, "question-1"), TeamsView()),
    "postponed": (Postponed("question-1"), TeamsView()),
    "view_personal": (
        replies.answer(choices=(replies.choice("de"), replies.choice("fr"))),
        TeamsView(is_private=True, asks_people=True),
    ),
    "view_shared": (
        replies.answer(),
        TeamsView(with_question=True, shared_by="U1", shared_chunks=("hidden", replies.citation().chunk_id)),
    ),
    "view_not_threaded": (replies.refusal(), TeamsView(is_threaded=False)),
    "view_many_choices": (
        replace(
            replies.clarification(),
            choices=tuple(map(replies.choice, ("de", "fr", "es", "it", "nl", "be", "at"))),
        ),
        TeamsView(),
    ),
    **{name: (reply, TeamsView()) for name, reply in replies.TABLES.items()},
}


@pytest.mark.parametrize("name", OUTCOMES)
def test_golden(name: str) -> None:
    outcome, view = OUTCOMES[name]
    found = checked(outcome, view=view)
    assert cards.against_schema(cards.card_of(found)) == []
    assert found == golden_json(f"teams/{name}", found)


@pytest.mark.parametrize(
    ("verdict", "sign", "word"),
    [
        (Verdict.PROHIBITED, "⛔", "Prohibited"),
        (Verdict.RESTRICTED, "⚠️", "Restricted"),
        (Verdict.ALLOWED, "✅", "Allowed"),
    ],
)
def test_the_verdict_is_a_sign_and_a_word(verdict: Verdict, sign: str, word: str) -> None:
    found = message(replies.answer(verdicts=(replies.place_verdict(verdict),)))
    assert shown(found).splitlines()[0] == f"{sign} {word} in the United Kingdom"
    assert found["text"].startswith(f"{sign} {word} in the United Kingdom")


def test_a_notification_says_what_matters() -> None:
    summary = cards.read_markdown(message(replies.answer())["summary"])
    for part in ("Restricted in the United Kingdom", replies.ITEM, "Alcohol › Countries › United Kingdom", "samples"):
        assert part in summary


def test_statements_and_sources_link_to_the_quote() -> None:
    answer = replies.answer()
    first, second = our_links(answer)
    found = cards.links(cards.card_of(message(answer)))
    assert found.count((first, "1")) == 2  # its statement and its condition
    assert (first, "Alcohol › Countries › United Kingdom") in found
    assert (second, "2") in found


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


def test_feedback_is_asked_for_answers_and_refusals_only() -> None:
    assert message(replies.answer())["channelData"] == {"feedbackLoop": {"type": "default"}}
    assert "feedbackLoop" in message(replies.refusal())["channelData"]
    assert "channelData" not in message(replies.clarification())
    assert "channelData" not in message(Postponed("q"))
    assert "channelData" not in teams_message(QUESTION, "", replies.answer(), LINKS)


def test_what_can_be_clicked_depends_on_where_it_is() -> None:
    usual = {"Show sources", "Change scope", "Tell us of changes"}
    assert buttons(message(replies.answer())).keys() == usual
    private = message(replies.answer(), view=TeamsView(is_private=True, asks_people=True))
    assert buttons(private).keys() == usual | {"Share to channel", "Ask a person"}
    assert buttons(message(replies.helps())).keys() == {"Alcohol", "Weapons"}
    assert buttons(message(Failure(FailureCode.TOO_SLOW, "q"))) == {}


def test_without_an_id_nothing_can_be_clicked_and_choices_are_text() -> None:
    found = teams_message(QUESTION, "", replies.clarification(), LINKS)
    assert buttons(found) == {}
    assert "• Germany: " in shown(found)


def test_what_comes_back_is_signed_with_its_verb() -> None:
    signed: list[dict[str, str]] = []

    def sign(fields: Any) -> dict[str, object]:
        signed.append(dict(fields))
        return {**fields, "signed": "yes"}

    found = message(replies.answer(choices=(replies.choice(),)), sign=sign)
    assert buttons(found)["Germany"] == {
        "adpolicy": "choose",
        "answer": "answer-1",
        "choice": "0",
        "signed": "yes",
    }
    assert buttons(found)["Show sources"]["msteams"] == {"type": "task/fetch"}
    assert all(each["signed"] == "yes" for each in buttons(found).values())
    assert all("msteams" not in each for each in signed)


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


def test_choices_beyond_the_first_are_in_the_menu() -> None:
    found = message(OUTCOMES["view_many_choices"][0])
    modes = [each.get("mode") for each in cards.actions(cards.card_of(found)) if each.get("verb") == "choose"]
    assert modes == [None] * 5 + ["secondary"] * 2


def test_follow_ups_are_suggested_in_a_personal_chat_alone() -> None:
    answer = replies.answer(choices=tuple(map(replies.choice, ("de", "fr", "es", "it"))))
    found = message(answer, view=TeamsView(is_private=True))["suggestedActions"]["actions"]
    assert [each["value"] for each in found] == [
        f"{place}: can I advertise alcohol" for place in ("Germany", "France", "Spain")
    ]
    assert "suggestedActions" not in message(answer)


def test_sources_expand() -> None:
    card = cards.card_of(message(replies.answer()))
    [hidden] = [each for each in cards.elements(card) if each.get("id") == "source-1"]
    assert hidden["isVisible"] is False
    assert replies.ITEM in cards.shown(hidden)
    toggles = [each["targetElements"] for each in cards.actions(card) if each["type"] == "Action.ToggleVisibility"]
    assert "source-1" in toggles[0]


def test_a_comparison_is_a_table_with_heads() -> None:
    [found] = [each for each in cards.elements(cards.card_of(message(replies.comparison()))) if each["type"] == "Table"]
    heads = [cell["items"][0]["text"] for cell in found["rows"][0]["cells"]]
    assert heads == ["Place and platform", "Verdict", "Conditions"]
    assert len(found["rows"]) == 4


def test_rows_without_room_are_counted() -> None:
    long = replies.changed_rule(before="kite " * 170, after="string " * 120, title="Toys " * 60, lead_in="lead " * 50)
    found = checked(replies.changed(changes=Changes(None, replies.TODAY, (long,) * 40, 2)))
    told = sum(each["type"] == "Table" for each in cards.elements(cards.card_of(found)))
    assert 3 <= told < 40
    assert f"{42 - told} more changes are on record" in shown(found)
    assert "More" in buttons(found)


def test_words_that_differ_are_bold_in_both_versions() -> None:
    texts = "\n".join(cards.text_blocks(cards.card_of(message(replies.changed()))))
    assert "“Adverts are shown only to people aged **16** or older.”" in texts


def test_text_from_right_to_left_turns_its_container() -> None:
    card = cards.card_of(message(OUTCOMES["answer_rtl"][0]))
    turned = [cards.shown(each) for each in cards.elements(card) if each.get("rtl")]
    assert any("الكحول" in each for each in turned)
    assert not any("Restricted" in each for each in turned)


@pytest.mark.parametrize("text", ["Größe über Äpfel", "שלום עולם", "广告政策不允许", "🍷👩‍👩‍👧", "ﷺ"])
def test_scripts_and_signs_survive(text: str) -> None:
    found = json.loads(json.dumps(message(replies.answer(statements=(replies.statement(text),)))))
    assert text in shown(found)


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


def test_a_refusal_says_what_where_what_is_near_and_what_next() -> None:
    text = shown(checked(replies.refusal()))
    for part in ("“raffles” and “church”", "Sample Ads", "in Germany", "Gambling › Lotteries", "not a permission"):
        assert part in text


def test_a_problem_shows_the_question_again() -> None:
    text = shown(checked(Rejection("unknown_region", {"value": "<at>x</at>", "known": ["de", "fr"]})))
    assert "Unknown place" in text
    assert "Known: de, fr" in text
    assert QUESTION in text


def test_places_without_rules_and_parts_that_are_down_are_noted() -> None:
    reply = replace(replies.answer(), warnings=(Notice(WarningCode.NO_RULE_FOR_PLACE, ("uk",)),), degraded=("vector",))
    text = shown(checked(reply))
    assert "Note: No rule of its own was found for the United Kingdom; the global rules apply." in text
    assert "Note: The search by meaning did not answer" in text


def test_sharing_names_nobody_and_counts_what_is_left_out() -> None:
    found = message(replies.answer(), view=TeamsView(shared_by="U123", shared_chunks=("hidden", "secret")))
    assert "U123" not in json.dumps(found)
    assert "2 sources that the private answer quotes" in shown(found)
    assert "hidden" not in json.dumps(found)


def test_a_question_that_nobody_sees_is_shown() -> None:
    assert QUESTION not in shown(message(replies.answer()))
    assert QUESTION in shown(message(replies.answer(), view=TeamsView(with_question=True)))


def test_the_text_goes_on_where_a_stream_ended() -> None:
    begun = "> Rule one [1]\n\n"
    found = message(replies.answer(), begun=begun)
    assert found["text"].startswith(f"{begun}⚠️ Restricted in the United Kingdom")
    long = message(replies.answer(), begun="word " * 6_000)
    assert cards.size(long) <= 2 * MESSAGE_UNITS
    assert "Restricted in the United Kingdom" in shown(long)


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
