"""What one can click on an answer in Slack: by whom, and feedback and sources with what result."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from bot.answers.recorded import SHOWN_IN
from bot.model.messages import Actor
from bot.render.slack.modals import COMMENT, REASONS
from bot.wording import answers as said
from bot.wording import slack as slack_said
from ops.sandbox.troubles import Trouble
from rag_core.errors import Unavailable
from tests.fakes import replies
from tests.fakes.slack_answers import NAMES, Answers, answers_in_slack, texts
from tests.fakes.slack_sources import CLOSED, PUBLIC, long_answer, with_secret
from tests.fakes.web import QUOTE, uk_answer


@pytest.fixture
async def bot() -> AsyncIterator[Answers]:
    async with answers_in_slack(PUBLIC, CLOSED) as made:
        yield made


class TestFeedback:
    async def test_useful_is_kept_at_once_and_only_who_clicked_is_thanked(self, bot: Answers) -> None:
        message = await bot.give(uk_answer(PUBLIC), PUBLIC)
        await bot.clicks("U1", message, "Useful")
        [opinion] = bot.feedback.kept.values()
        assert (opinion.rating, opinion.given_from, opinion.person) == ("useful", "slack", NAMES.of(ACTOR))
        assert bot.told("U1") == [said.THANKS]
        assert bot.told("U2") == []

    async def test_it_is_kept_before_slack_is_acknowledged(self, bot: Answers) -> None:
        message = await bot.give(uk_answer(PUBLIC), PUBLIC)
        seen = await bot.slack.person("U1").clicks(message, "Useful")
        assert seen.status == 200
        assert len(bot.feedback.kept) == 1

    async def test_others_who_see_it_have_an_opinion_of_their_own(self, bot: Answers) -> None:
        message = await bot.give(uk_answer(PUBLIC), PUBLIC)
        for user in ("U1", "U2", "U2"):
            await bot.clicks(user, message, "Useful")
        people = {each.person for each in bot.feedback.kept.values()}
        assert people == {NAMES.of(Actor("slack", "T1", user)) for user in ("U1", "U2")}

    async def test_not_useful_asks_why(self, bot: Answers) -> None:
        message = await bot.give(uk_answer(PUBLIC), PUBLIC)
        await bot.clicks("U2", message, "Not useful")
        assert bot.feedback.kept == {}
        done = await bot.slack.person("U2").submits(
            bot.modal("U2"), {REASONS: ["outdated", "unclear"], COMMENT: "Since May, no."}
        )
        assert done.errors == {}
        [opinion] = bot.feedback.kept.values()
        assert (opinion.rating, opinion.reasons) == ("not_useful", ("outdated", "unclear"))
        assert opinion.comment == "Since May, no."
        assert opinion.person == NAMES.of(Actor("slack", "T1", "U2"))
        await bot.settled()
        assert bot.told("U2") == [said.THANKS]

    async def test_no_reason_and_no_comment_is_asked_for(self, bot: Answers) -> None:
        message = await bot.give(uk_answer(PUBLIC), PUBLIC)
        await bot.clicks("U1", message, "Not useful")
        done = await bot.slack.person("U1").submits(bot.modal("U1"))
        assert done.errors == {REASONS: said.CHOOSE_A_REASON}

    async def test_what_was_typed_stays_when_it_cannot_be_kept(self, bot: Answers) -> None:
        message = await bot.give(uk_answer(PUBLIC), PUBLIC)
        await bot.clicks("U1", message, "Not useful")
        bot.given.error = Unavailable("store_down")
        done = await bot.slack.person("U1").submits(bot.modal("U1"), {COMMENT: "Wrong."})
        assert done.errors == {COMMENT: said.FEEDBACK_NOT_KEPT}
        assert bot.slack.person("U1").modal is not None

    async def test_of_a_private_answer_only_the_asker_has_one(self, bot: Answers) -> None:
        message = await bot.give(uk_answer(PUBLIC), PUBLIC, private=True)
        await bot.clicks("U1", message, "Useful")
        assert len(bot.feedback.kept) == 1
        # a button that somebody else would have, with the id of the private answer in it
        forged = await bot.give(uk_answer(PUBLIC), PUBLIC, answer_id="a2")
        bot.given.answers["a2"] = replace(bot.given.answers["a1"], answer_id="a2")
        await bot.clicks("U2", forged, "Useful")
        assert len(bot.feedback.kept) == 1
        assert bot.told("U2") == [said.ANSWER_UNREADABLE]

    async def test_nobody_rates_from_another_channel_or_workspace(self, bot: Answers) -> None:
        message = await bot.give(uk_answer(PUBLIC), PUBLIC)
        record = bot.given.answers["a1"]
        notes = {**(record.trace or {}), "notes": {SHOWN_IN: "C9"}}
        for changed in (replace(record, trace=notes), replace(record, workspace="T9"), replace(record, trace=None)):
            bot.given.answers["a1"] = replace(changed, person="somebody")
            await bot.clicks("U2", message, "Useful")
        assert bot.feedback.kept == {}


ACTOR = Actor("slack", "T1", "U1")
BUTTONS = ("Show sources", "Change scope", "Not useful")


class TestWhoClicks:
    @pytest.mark.parametrize("button", BUTTONS)
    async def test_an_answer_that_is_gone_is_a_kind_sentence_and_nothing_else(self, bot: Answers, button: str) -> None:
        message = await bot.give(uk_answer(PUBLIC), PUBLIC)
        bot.given.answers.clear()
        await bot.clicks("U1", message, button)
        assert bot.told("U1") == [said.ANSWER_UNREADABLE]
        assert bot.slack.person("U1").modal is None
        assert (bot.asked, bot.feedback.kept) == ([], {})

    @pytest.mark.parametrize("button", BUTTONS)
    async def test_somebody_elses_private_answer_opens_nothing(self, bot: Answers, button: str) -> None:
        message = await bot.give(with_secret(), PUBLIC, CLOSED, groups=("legal",))
        record = bot.given.answers["a1"]
        bot.given.answers["a1"] = replace(record, trace={**(record.trace or {}), "notes": {"groups": ["legal"]}})
        await bot.clicks("U2", message, button)
        assert bot.told("U2") == [said.ANSWER_UNREADABLE]
        assert bot.slack.person("U2").modal is None

    @pytest.mark.parametrize("value", ["", "x" * 1_000, "a1/", "/1", "a1/99", "a1/-1", "a1/x", "../1"])
    async def test_a_forged_value_is_a_kind_sentence(self, bot: Answers, value: str) -> None:
        message = await bot.give(replies.clarification())
        forged = [_button("adpolicy_choose:0", value or "-")]
        await bot.api.chat_update(channel="C1", ts=message.ts, text="x", blocks=forged)
        await bot.clicks("U1", message, "Forged")
        assert bot.told("U1") == [said.ANSWER_UNREADABLE]
        assert bot.asked == []

    async def test_the_store_being_down_is_said(self, bot: Answers) -> None:
        message = await bot.give(uk_answer(PUBLIC), PUBLIC)
        bot.given.error = Unavailable("store_down")
        await bot.clicks("U1", message, "Show sources")
        assert bot.told("U1") == [said.NOT_READABLE_NOW]

    async def test_in_a_thread_the_sentence_stands_in_the_thread(self, bot: Answers) -> None:
        question = await bot.slack.person("U1").says("hello")
        message = await bot.give(uk_answer(PUBLIC), PUBLIC, thread=question.ts)
        await bot.clicks("U1", message, "Useful")
        [told] = [each for each in bot.slack.person("U1").ephemeral() if each.text == said.THANKS]
        assert told.thread_ts == question.ts


def _button(action_id: str, value: str) -> dict[str, Any]:
    text = {"type": "plain_text", "text": "Forged"}
    return {
        "type": "actions",
        "elements": [{"type": "button", "action_id": action_id, "text": text, "value": value}],
    }


class TestReading:
    async def test_sources_show_the_quote_in_context(self, bot: Answers) -> None:
        message = await bot.give(uk_answer(PUBLIC), PUBLIC)
        await bot.clicks("U2", message, "Show sources")
        shown = texts(bot.modal("U2"))
        assert QUOTE in shown
        assert "must not be addressed to minors" in shown  # stands before it in the document
        assert "In Germany, alcohol ads are not allowed" in shown  # and behind it
        assert "https://ads.example/acme_alcohol" in shown
        assert "in force since 1 January 2026" in shown

    async def test_the_modal_is_there_at_once_and_filled_afterwards(self, bot: Answers) -> None:
        message = await bot.give(uk_answer(PUBLIC), PUBLIC)
        await bot.clicks("U1", message, "Show sources")
        first, second = [each for each in bot.slack.calls if each.method.startswith("views.")]
        assert (first.method, second.method) == ("views.open", "views.update")
        assert said.LOADING in str(first.arguments)
        assert QUOTE not in str(first.arguments)

    async def test_what_the_clicker_may_not_see_is_left_out_without_a_hint(self, bot: Answers) -> None:
        message = await bot.give(with_secret(), PUBLIC, CLOSED, groups=("legal",))
        await bot.clicks("U1", message, "Show sources")
        assert "Zeppelin" in texts(bot.modal("U1"))
        await bot.clicks("U2", message, "Show sources")
        shown = texts(bot.modal("U2"))
        assert QUOTE in shown
        assert "Zeppelin" not in shown
        assert "Launch" not in shown
        plain = await bot.give(uk_answer(PUBLIC), PUBLIC, answer_id="a2")
        await bot.clicks("U3", plain, "Show sources")
        assert shown == texts(bot.modal("U3"))

    async def test_groups_that_cannot_be_looked_up_are_none(self, bot: Answers) -> None:
        message = await bot.give(with_secret(), PUBLIC, CLOSED, groups=("legal",))
        bot.directory.down = True
        await bot.clicks("U1", message, "Show sources")
        assert "Zeppelin" not in texts(bot.modal("U1"))

    async def test_a_version_that_ended_since_is_shown_as_superseded(self, bot: Answers) -> None:
        message = await bot.give(uk_answer(PUBLIC), PUBLIC)
        bot.store.writes = [replace(PUBLIC, version=replace(PUBLIC.version, effective_to=date(2026, 2, 1)))]
        await bot.clicks("U2", message, "Show sources")
        shown = texts(bot.modal("U2"))
        assert said.SUPERSEDED_SINCE in shown
        assert "in force from 1 January 2026 until" in shown

    async def test_documents_that_are_gone_since_are_named_as_such(self, bot: Answers) -> None:
        message = await bot.give(uk_answer(PUBLIC), PUBLIC)
        bot.store.writes = []
        await bot.clicks("U2", message, "Show sources")
        assert said.sources_gone(1) in texts(bot.modal("U2"))

    async def test_to_those_who_could_not_see_all_nothing_is_said_to_be_gone(self, bot: Answers) -> None:
        message = await bot.give(with_secret(), PUBLIC, CLOSED, groups=("legal",))
        bot.store.writes = []
        await bot.clicks("U2", message, "Show sources")
        assert texts(bot.modal("U2")) == said.NO_SOURCES or said.sources_gone(2) not in texts(bot.modal("U2"))
        assert "not on file" not in texts(bot.modal("U2"))

    async def test_a_store_that_is_down_is_said_in_the_modal(self, bot: Answers) -> None:
        message = await bot.give(uk_answer(PUBLIC), PUBLIC)
        bot.store.error = Unavailable("store_down")
        await bot.clicks("U1", message, "Show sources")
        assert said.NOT_READABLE_NOW in texts(bot.modal("U1"))

    async def test_more_shows_the_whole_answer(self, bot: Answers) -> None:
        message = await bot.give(long_answer(), PUBLIC)
        told = [n for n in range(30) if f"Rule {n}:" in str(message.blocks)]
        assert 0 < len(told) < 30
        await bot.clicks("U2", message, "More")
        shown = texts(bot.modal("U2"))
        assert all(f"Rule {n}:" in shown for n in range(30))
        assert "Restricted in the United Kingdom" in shown

    async def test_more_leaves_out_what_the_clicker_may_not_see_and_what_may_come_of_it(self, bot: Answers) -> None:
        answer = with_secret()
        message = await bot.give(
            replace(answer, statements=(*long_answer().statements, *answer.statements[1:])),
            PUBLIC,
            CLOSED,
            groups=("legal",),
        )
        await bot.clicks("U2", message, "More")
        shown = texts(bot.modal("U2"))
        assert "Rule 29:" in shown
        assert "Zeppelin" not in shown
        assert "Launch" not in shown
        assert "Restricted in" not in shown  # a verdict may be read out of what is hidden

    async def test_a_modal_that_slack_does_not_open_is_said(self, bot: Answers) -> None:
        message = await bot.give(uk_answer(PUBLIC), PUBLIC)
        bot.slack.trouble("views.open", Trouble(200, "expired_trigger_id"))
        await bot.clicks("U1", message, "Show sources")
        assert bot.told("U1") == [slack_said.NOT_OPENED]
        assert bot.slack.person("U1").modal is None
