"""Slack messages: what they say, and that no reply whatever can break a limit, a link or a mention."""

import json
from dataclasses import replace
from typing import Any, cast

import pytest
from hypothesis import HealthCheck, given, settings

from bot.model.links import Links
from bot.model.outcomes import Failure, FailureCode, Outcome, Postponed, Rejection
from bot.render.slack.message import slack_message
from bot.render.slack.view import SlackView
from ops.sandbox.slack.block_kit import check_message
from rag_core.answers import Answer, Changes, ConditionKind, Notice, Refusal, RefusalReason, Reply, Verdict, WarningCode
from tests.fakes import hostile, replies, slack_limits
from tests.fakes.golden import golden_json

LINKS = Links("https://bot.example", {"sample": "Sample Ads", "other": "Other Ads"})
QUESTION = "can I advertise alcohol in the UK"


EVERYTHING = SlackView(
    is_private=True, asks_people=True, shared_by="U1<!channel>", shared_chunks=("gone", "gone too"), is_threaded=False
)


def message(outcome: Outcome, question: str = QUESTION, view: SlackView | None = None) -> dict[str, Any]:
    return cast(dict[str, Any], slack_message(question, "answer-1", outcome, LINKS, view or SlackView()))


def our_links(outcome: Outcome) -> tuple[str, ...]:
    """Every address that the message may link to."""
    if isinstance(outcome, Answer):
        listed = outcome.documents.documents if outcome.documents else ()
        return (*(LINKS.citation(each) for each in outcome.citations), *(LINKS.document(each) for each in listed))
    return tuple(LINKS.nearest(each) for each in outcome.nearest) if isinstance(outcome, Refusal) else ()


def checked(outcome: Outcome, question: str = QUESTION) -> dict[str, Any]:
    found = message(outcome, question)
    assert slack_limits.violations(found, our_links(outcome)) == []
    return found


def shown(found: dict[str, Any]) -> str:
    headers = [block["text"]["text"] for block in found["blocks"] if block["type"] == "header"]
    return "\n".join([*headers, *slack_limits.mrkdwn_texts(found)])


OUTCOMES: dict[str, Outcome] = {
    "answer": replies.answer(),
    "answer_several_places": replies.answer(
        scope=replies.scope(regions=("de", "fr"), policy_sources=("sample",)),
        verdicts=(
            replies.place_verdict(Verdict.PROHIBITED, "de"),
            replies.place_verdict(Verdict.ALLOWED, "fr", citations=(2,)),
        ),
    ),
    "answer_not_stated": replies.answer(verdicts=(), not_stated=("podcasts",), rewritten_question="and podcasts?"),
    "answer_on_the_wider_thing": replies.WIDER,
    "refusal": replies.refusal(),
    "refusal_off_topic": replies.refusal(RefusalReason.OFF_TOPIC, nearest=(), looked_for=(), warnings=()),
    "clarification": replies.clarification(),
    "rejection": Rejection("question_too_long", {"limit": 2000, "length": 10_000}),
    "failure": Failure(FailureCode.TOO_SLOW, "question-1"),
    "postponed": Postponed("question-1"),
    **replies.TABLES,
}


@pytest.mark.parametrize("name", OUTCOMES)
def test_golden(name: str) -> None:
    found = checked(OUTCOMES[name])
    assert found == golden_json(f"slack/{name}", found)


def test_a_notice_is_not_taken_for_the_answer() -> None:
    assert (
        message(Postponed("question-1"))["metadata"]["event_type"]
        != message(replies.answer())["metadata"]["event_type"]
    )


def test_metadata_name_the_answer_and_nothing_unfurls() -> None:
    found = message(replies.answer())
    assert found["metadata"]["event_payload"] == {"answer_id": "answer-1"}
    assert (found["unfurl_links"], found["unfurl_media"]) == (False, False)


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
    assert found["blocks"][0]["text"]["text"] == f"{sign} {word} in the United Kingdom"


def test_the_plain_text_says_what_matters() -> None:
    text = message(replies.answer())["text"]
    for part in ("Restricted in the United Kingdom", replies.ITEM, "Alcohol › Countries › United Kingdom", "samples"):
        assert part in text


def test_statements_and_sources_link_to_the_quote() -> None:
    answer = replies.answer()
    first, second = our_links(answer)
    found = slack_limits.links(message(answer))
    assert found.count((first, "[1]")) == 2  # its statement and its condition
    assert (first, "Alcohol › Countries › United Kingdom") in found
    assert (second, "[2]") in found


def test_an_answer_that_is_too_long_leaves_out_whole_statements_and_sources_and_says_so() -> None:
    statements = tuple(replies.statement(f"Rule {n}: " + "word " * 200, citations=(n,)) for n in range(1, 21))
    answer = replies.answer(
        statements=statements,
        citations=tuple(replies.citation(n, section_path=f"Alcohol > Part {n}") for n in range(1, 21)),
    )
    text = shown(checked(answer))
    told = [n for n in range(1, 21) if f"Rule {n}:" in text]
    assert told == list(range(1, len(told) + 1))
    assert 3 <= len(told) < 20
    assert text.count("word") == 200 * len(told)
    listed = [n for n in range(1, 21) if f"*[{n}]*" in text]
    assert set(told) <= set(listed)
    assert f"Left out for length: {20 - len(told)} statements and {20 - len(listed)} sources." in text


def test_a_statement_longer_than_a_section_is_told_whole() -> None:
    answer = replies.answer(statements=(replies.statement("word " * 1000),))
    text = shown(checked(answer))
    assert text.count("word") == 1000
    assert "Left out" not in text


def test_a_first_statement_without_room_is_counted() -> None:
    answer = replies.answer(statements=(replies.statement("word " * 3000),))
    assert "Left out for length: 1 statement." in shown(checked(answer))


def test_fifty_blocks_are_not_exceeded() -> None:
    answer = replies.answer(statements=tuple(replies.statement("x", citations=(9,)) for _ in range(60)))
    found = checked(answer)
    assert len(found["blocks"]) <= 50
    assert "Left out for length" in shown(found)


def test_a_headline_of_many_places_is_cut_at_a_word() -> None:
    states = ("us-ca", "us-nc", "us-sc", "us-nd", "us-sd", "us-ma", "us-pa")
    found = checked(replies.answer(verdicts=tuple(replies.place_verdict(region=state) for state in states)))
    assert found["blocks"][0]["text"]["text"].endswith("…")


def test_many_long_links_behind_a_statement_lose_the_link_not_the_number() -> None:
    answer = replies.answer(
        statements=(replies.statement("Rule", citations=(1, 2, 3)),),
        citations=tuple(replies.citation(n, url="https://ads.example/" + "p/" * 450) for n in (1, 2, 3)),
        verdicts=(),
    )
    assert shown(checked(answer)).count("|[1]> [2] [3]") == 1


def test_sources_are_listed_by_number() -> None:
    answer = replies.answer(statements=(replies.statement("b", citations=(2,)), replies.statement("a", citations=(1,))))
    text = shown(checked(answer))
    assert text.index("*[1]*") < text.index("*[2]*")


def test_many_conditions_lose_their_links_before_their_words() -> None:
    conditions = tuple(replies.condition(ConditionKind.OTHER, f"Condition {n} " + "é" * 60, (1, 2)) for n in range(10))
    long_url = "https://ads.example/" + "p/" * 450
    answer = replies.answer(
        citations=tuple(replies.citation(n, url=long_url) for n in (1, 2)),
        verdicts=(replies.place_verdict(conditions=conditions),),
    )
    text = shown(checked(answer))
    assert all(f"Condition {n} " in text for n in range(10))


def test_document_text_neither_formats_nor_links_nor_mentions() -> None:
    attack = "*All* <!channel> @here <https://evil.example|ok> https://evil.example `x` :no_entry:"
    answer = replies.answer(
        statements=(replies.statement(attack),),
        citations=(replies.citation(title=attack, section_path=attack, quote=attack),),
    )
    found = checked(answer, question=attack)
    assert "evil.example" not in found["text"]
    assert all("evil" not in address.split("#")[0] for address, _ in slack_limits.links(found))


def test_a_refusal_says_what_where_what_is_near_and_what_next() -> None:
    text = shown(checked(replies.refusal()))
    for part in ("“raffles” and “church”", "Sample Ads", "in Germany", "Gambling › Lotteries", "not a permission"):
        assert part in text


def test_as_many_near_sections_as_there_is_room_for() -> None:
    near = tuple(replies.nearest(section_path=f"Part {n}", url="https://ads.example/" + "p/" * 450) for n in range(10))
    text = shown(checked(replies.refusal(nearest=near)))
    assert "Part 0" in text
    assert "Part 9" not in text


def test_a_problem_shows_the_question_again() -> None:
    text = shown(checked(Rejection("unknown_region", {"value": "<!here>", "known": ["de", "fr"]})))
    assert "Unknown place" in text
    assert "Known: de, fr" in text
    assert QUESTION in text


def test_an_empty_question_is_not_shown() -> None:
    found = checked(Rejection("question_empty", {}), question="  ")
    assert "Question:" not in shown(found)


def test_places_without_rules_and_parts_that_are_down_are_noted() -> None:
    reply = replace(replies.answer(), warnings=(Notice(WarningCode.NO_RULE_FOR_PLACE, ("uk",)),), degraded=("vector",))
    text = shown(checked(reply))
    assert "*Note:* No rule of its own was found for the United Kingdom; the global rules apply." in text
    assert "*Note:* The search by meaning did not answer" in text


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(hostile.any_reply, hostile.texts)
def test_no_reply_breaks_a_limit(reply: Reply, question: str) -> None:
    for view in (SlackView(), EVERYTHING):
        found = message(reply, question, view)
        assert slack_limits.violations(found, our_links(reply)) == []
        assert check_message(json.loads(json.dumps(found))) is None


@settings(max_examples=25, deadline=None)
@given(hostile.texts, hostile.texts)
def test_no_rejection_breaks_a_limit(question: str, value: str) -> None:
    checked(Rejection("unknown_policy_source", {"value": value, "known": [value, "sample"]}), question)
    checked(Rejection(value, {}), question)


@pytest.mark.parametrize("name", replies.TABLES)
def test_slack_takes_what_stands_side_by_side(name: str) -> None:
    assert check_message(message(replies.TABLES[name])) is None


def test_rows_without_room_are_counted() -> None:
    long = replies.changed_rule(before="kite " * 200, after="string " * 200, title="Toys " * 60, lead_in="lead " * 50)
    found = checked(replies.changed(changes=Changes(None, replies.TODAY, (long,) * 40, 2)))
    told = sum(block["type"] == "section" and "fields" in block for block in found["blocks"])
    assert 3 <= told < 40
    assert f"{42 - told} more changes are on record" in shown(found)


def test_the_text_alone_says_what_changed() -> None:
    text = message(replies.changed())["text"]
    assert "Before: “Adverts are shown only to people aged 16 or older.”" in text
    assert "Now: “Adverts for drinks" in text


def test_the_checker_sees_what_it_is_there_for() -> None:
    good = message(replies.answer())
    section = {"type": "section", "text": {"type": "mrkdwn", "text": "x", "verbatim": True}}

    def bad(text: str, **changes: Any) -> list[str]:
        block = {"type": "section", "text": {**section["text"], "text": text, **changes}}  # type: ignore[dict-item]
        return slack_limits.violations({**good, "blocks": [block]}, ("https://bot.example/",))

    assert bad("fine <https://bot.example/x|[1]>\n> a quote") == []
    texts = ("a" * 3001, "", "<https://evil.example|x>", "<!here>", "@here", "a & b", "a < b", "`x`", ":x:", "\x1b")
    assert all(bad(text) for text in texts)
    assert bad("x", verbatim=False)
    field = {"type": "mrkdwn", "text": "x", "verbatim": True}
    for fields in ([], [field] * 11, [{**field, "text": "a" * 2001}]):
        sections = [{"type": "section", "fields": fields}]
        assert slack_limits.violations({**good, "blocks": sections}, ())
    assert slack_limits.violations({**good, "blocks": [section] * 51}, ())
    assert slack_limits.violations({**good, "unfurl_links": True}, ("https://",))
    assert slack_limits.violations({**good, "text": "x" * 10_000}, ("https://",))


VIEWS: dict[str, tuple[Outcome, SlackView]] = {
    "view_private": (replies.answer(), SlackView(is_private=True, asks_people=True)),
    "view_shared": (replies.answer(), SlackView(shared_by="U1", shared_chunks=("hidden", replies.citation().chunk_id))),
    "view_mention_without_thread": (replies.refusal(), SlackView(with_question=False, is_threaded=False)),
    "view_many_choices": (
        replace(
            replies.clarification(), choices=tuple(map(replies.choice, ("de", "fr", "es", "it", "nl", "be", "at")))
        ),
        SlackView(),
    ),
}


@pytest.mark.parametrize("name", VIEWS)
def test_golden_views(name: str) -> None:
    outcome, view = VIEWS[name]
    found = message(outcome, view=view)
    assert slack_limits.violations(found, our_links(outcome)) == []
    assert check_message(found) is None
    assert found == golden_json(f"slack/{name}", found)


def buttons(found: dict[str, Any]) -> dict[str, str]:
    """What can be clicked: text -> value."""
    elements = [each for block in found["blocks"] if "actions" in block["type"] for each in block["elements"]]
    halves = [each.get(half, {}) for each in elements for half in ("positive_button", "negative_button")]
    return {each["text"]["text"]: each["value"] for each in [*elements, *halves] if "text" in each and "value" in each}


def test_what_can_be_clicked_depends_on_who_sees_it() -> None:
    usual = {"Show sources", "Change scope", "Useful", "Not useful"}
    assert buttons(message(replies.answer())).keys() == usual
    private = message(replies.answer(), view=SlackView(is_private=True, asks_people=True))
    assert buttons(private).keys() == usual | {"Share to channel", "Ask a person"}
    assert buttons(message(replies.helps())).keys() >= {"Alcohol", "Weapons"}
    assert "Useful" not in buttons(message(replies.clarification()))
    assert buttons(message(Failure(FailureCode.TOO_SLOW, "q"))) == {}


def test_without_an_id_nothing_can_be_clicked_and_choices_are_text() -> None:
    found = cast(dict[str, Any], slack_message(QUESTION, "", replies.clarification(), LINKS))
    assert buttons(found) == {}
    assert "• Germany: " in shown(found)


def test_more_is_there_only_where_there_is_more() -> None:
    long = replies.answer(statements=tuple(replies.statement("word " * 200) for _ in range(20)))
    assert buttons(message(long))["More"] == "answer-1"
    assert "“More” shows the whole answer." in shown(message(long))
    rule = replies.changed_rule(before="kite " * 80, after="string " * 80)
    assert "More" in buttons(message(replies.changed(changes=Changes(None, replies.TODAY, (rule,) * 40))))


def test_a_question_that_everybody_sees_is_not_repeated() -> None:
    assert QUESTION not in shown(message(replies.answer(), view=SlackView(with_question=False)))


def test_sharing_names_nobody_and_counts_what_is_left_out() -> None:
    found = message(replies.answer(), view=SlackView(shared_by="U123", shared_chunks=("hidden", "secret")))
    assert "U123" not in json.dumps(found)
    assert "2 sources that the private answer quotes" in shown(found)
    assert "hidden" not in json.dumps(found)


def test_where_no_thread_can_be_it_says_how_to_invite_the_bot() -> None:
    assert "/invite @adpolicy" in shown(message(replies.answer(), view=SlackView(is_threaded=False)))


def test_the_scope_names_the_versions() -> None:
    assert "Version: “Alcohol” of 15 January 2026" in shown(message(replies.answer()))


def test_words_that_differ_are_bold_in_both_versions() -> None:
    text = shown(message(replies.changed()))
    assert "“Adverts are shown only to people aged *16* or older.”" in text
    assert "*for drinks above 1.2% alcohol* are shown only to people aged *18* or older." in text


@pytest.mark.parametrize("length", [10_000, 100_000])
def test_texts_of_any_length_are_shown_within_the_limits(length: int) -> None:
    attack = ("<!channel> <@U1> <http://x|y> `a` \u202e\u200b *b* " * (length // 40))[:length]
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
        found = message(reply, attack, EVERYTHING)
        assert slack_limits.violations(found, our_links(reply)) == []
        assert check_message(found) is None
