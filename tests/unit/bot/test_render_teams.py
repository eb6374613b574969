"""Messages in Teams: what they say, and what can be clicked."""

import json
from dataclasses import replace
from typing import Any

import pytest

from bot.model.links import Links
from bot.model.outcomes import Failure, FailureCode, Outcome, Postponed, Rejection
from bot.render.teams.message import MESSAGE_UNITS, teams_message
from bot.render.teams.view import TeamsView
from rag_core.answers import (
    Approved,
    Changes,
    Comparison,
    ConditionKind,
    Notice,
    QuoteType,
    RefusalReason,
    Reply,
    Verdict,
    WarningCode,
)
from tests.fakes import adaptive_cards as cards
from tests.fakes import replies
from tests.fakes.golden import golden_json
from tests.fakes.teams_cards import LINKS, QUESTION, buttons, checked, message, our_links, shown

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


@pytest.mark.parametrize("name", OUTCOMES)
def test_only_citations_and_what_was_streamed_stand_beside_a_card(name: str) -> None:
    """A text and a card may be two messages, of which Teams says no id; the summary is read in notifications."""
    outcome = OUTCOMES[name][0]
    found: dict[str, Any] = teams_message(QUESTION, "answer-1", outcome, LINKS)
    has_citations = any(each.get("citation") for each in found.get("entities", []))
    assert ("text" in found) is has_citations
    assert found["summary"].strip()
    begun: dict[str, Any] = teams_message(QUESTION, "answer-1", outcome, LINKS, begun="Said already.\n\n")
    assert begun["text"].startswith("Said already.\n\n")


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
    assert heads == ["Place and platform", "Verdict and conditions"]
    assert len(found["rows"]) == 4


def test_words_that_differ_are_bold_in_both_versions() -> None:
    texts = "\n".join(cards.text_blocks(cards.card_of(message(replies.changed()))))
    assert "“Adverts are shown only to people aged **16** or older.”" in texts


def test_text_from_right_to_left_turns_its_container() -> None:
    card = cards.card_of(message(OUTCOMES["answer_rtl"][0]))
    turned = [cards.shown(each) for each in cards.elements(card) if each.get("rtl")]
    assert any("الكحول" in each for each in turned)
    assert not any("Restricted" in each for each in turned)


ARABIC = "الإعلان عن الكحول محظور في هذا البلد تماما"


def turned(reply: Reply, view: TeamsView | None = None) -> list[str]:
    links = Links(f"https://bot.example/{'p' * 200}")
    card = cards.card_of(teams_message(ARABIC, "a", reply, links, view or TeamsView()))
    return [cards.shown(each) for each in cards.elements(card) if each.get("rtl")]


def test_so_it_does_with_a_cell_of_a_table() -> None:
    rule = replies.changed_rule(before=ARABIC, after=f"{ARABIC} {ARABIC}", lead_in="")
    cells = turned(replies.changed(changes=Changes(None, replies.TODAY, (rule,))))
    assert sum("الكحول" in each for each in cells) == 2


def test_and_with_conditions_and_the_question() -> None:
    condition = replies.condition(ConditionKind.OTHER, ARABIC, (1, 2))
    found = replies.answer(verdicts=(replies.place_verdict(conditions=(condition,)),), citations=(replies.citation(),))
    assert sum("الكحول" in each for each in turned(found, TeamsView(with_question=True))) == 2
    assert turned(found) != turned(replies.answer())


def test_a_condition_below_a_verdict_is_turned_without_it() -> None:
    row = replies.comparison_row(conditions=(replies.condition(ConditionKind.OTHER, ARABIC, (1,)),))
    [found] = turned(replies.comparison(comparison=Comparison((row, replies.comparison_row(region="de")))))
    assert "الكحول" in found
    assert "Restricted" not in found


@pytest.mark.parametrize("text", ["Größe über Äpfel", "שלום עולם", "广告政策不允许", "🍷👩‍👩‍👧", "ﷺ"])
def test_scripts_and_signs_survive(text: str) -> None:
    found = json.loads(json.dumps(message(replies.answer(statements=(replies.statement(text),)))))
    assert text in shown(found)


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
