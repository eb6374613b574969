"""Useful or not, by the buttons that Teams itself shows under an answer."""

import json
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest

from bot.model.outcomes import Admitted
from bot.model.posted import Subject
from bot.render.teams.forms import COMMENT, REASONS
from bot.render.teams.view import TeamsInvoke
from bot.wording import answers as said
from bot.wording import teams as told
from bot.wording import why_not
from rag_core.errors import Unavailable
from tests.fakes.slack_sources import PUBLIC
from tests.fakes.teams import CHANNEL, GROUP_CHAT
from tests.fakes.teams_answers import NAMES, Answers, actor, answers_in_teams, card_of, said_in, texts
from tests.fakes.web import uk_answer


@pytest.fixture
async def bot() -> AsyncIterator[Answers]:
    async with answers_in_teams(PUBLIC) as made:
        made.give(uk_answer(PUBLIC), PUBLIC)
        yield made


def reaction(of: str, feedback: object = None) -> dict[str, Any]:
    written = {} if feedback is None else {"feedback": feedback}
    return {"actionName": "feedback", "actionValue": {"reaction": of, **written}}


class TestTeamsOwnForm:
    async def test_a_reaction_with_a_comment_is_kept_before_teams_is_answered(self, bot: Answers) -> None:
        feedback = json.dumps({"feedbackText": "Since May, no."})
        assert await bot.invoke(TeamsInvoke.FEEDBACK, reaction("dislike", feedback), by=2) == {}
        [opinion] = bot.feedback.kept.values()
        assert (opinion.answer_id, opinion.rating, opinion.comment) == ("a1", "not_useful", "Since May, no.")
        assert (opinion.person, opinion.given_from) == (NAMES.of(actor(2)), "teams")

    async def test_the_last_word_of_each_person_counts(self, bot: Answers) -> None:
        for by, of in ((1, "like"), (1, "like"), (2, "like"), (1, "dislike")):
            await bot.invoke(TeamsInvoke.FEEDBACK, reaction(of), by=by)
        found = {each.person: each.rating for each in bot.feedback.kept.values()}
        assert found == {NAMES.of(actor(1)): "not_useful", NAMES.of(actor(2)): "useful"}

    @pytest.mark.parametrize(
        ("feedback", "comment"),
        [("not JSON", "not JSON"), ("[1]", "[1]"), (None, ""), (7, ""), ('{"feedbackText": 7}', ""), ("{}", "")],
        ids=str,
    )
    async def test_whatever_was_written_costs_no_opinion(self, bot: Answers, feedback: object, comment: str) -> None:
        await bot.invoke(TeamsInvoke.FEEDBACK, reaction("like", feedback))
        [opinion] = bot.feedback.kept.values()
        assert opinion.comment == comment

    async def test_reasons_of_a_form_of_ours_are_kept_and_others_are_not(self, bot: Answers) -> None:
        feedback = json.dumps({REASONS: "outdated,zorblatt,unclear", COMMENT: "Old."})
        await bot.invoke(TeamsInvoke.FEEDBACK, reaction("dislike", feedback))
        [opinion] = bot.feedback.kept.values()
        assert (opinion.reasons, opinion.comment) == (("outdated", "unclear"), "Old.")

    @pytest.mark.parametrize(
        "value",
        [{}, reaction("love"), reaction(""), {"actionName": "other", "actionValue": {"reaction": "like"}},
         {"actionName": "feedback", "actionValue": "like"}],
        ids=str,
    )  # fmt: skip
    async def test_what_teams_does_not_send_is_a_bad_request(self, bot: Answers, value: dict[str, Any]) -> None:
        await bot.invoke(TeamsInvoke.FEEDBACK, value, status=400)
        assert bot.feedback.kept == {}

    async def test_nobody_rates_what_stands_elsewhere(self, bot: Answers) -> None:
        for where, card in ((GROUP_CHAT, "card-a1"), (CHANNEL, "card-other"), (CHANNEL, "")):
            await bot.invoke(TeamsInvoke.FEEDBACK, reaction("like"), where=where, card=card)
        bot.posted.rows = [replace(each, subject=Subject.ALERT) for each in bot.posted.rows]
        await bot.invoke(TeamsInvoke.FEEDBACK, reaction("like"))
        assert bot.feedback.kept == {}

    async def test_what_cannot_be_kept_is_not_acknowledged(self, bot: Answers) -> None:
        bot.given.error = Unavailable("store_down")
        await bot.invoke(TeamsInvoke.FEEDBACK, reaction("like"), status=503)

    async def test_who_is_not_admitted_has_no_opinion(self, bot: Answers) -> None:
        bot.rule.says = Admitted.NOT_TO_GUESTS
        await bot.invoke(TeamsInvoke.FEEDBACK, reaction("like"))
        assert bot.feedback.kept == {}
        assert bot.outbound.written == []

    async def test_in_a_personal_chat_it_is_said_why_it_was_not_kept(self, bot: Answers) -> None:
        await bot.invoke(TeamsInvoke.FEEDBACK, reaction("like"), where="", card="card-gone")
        [written] = bot.outbound.written
        assert written.activity["text"] == told.FEEDBACK_UNKNOWN


class TestFormOfOurs:
    async def test_it_asks_why_and_keeps_what_is_said(self, bot: Answers) -> None:
        form = await bot.invoke(TeamsInvoke.FEEDBACK_OPEN, {"data": reaction("dislike")}, by=2)
        done = await bot.submits(form, said.SEND, {REASONS: "outdated", COMMENT: "Since May."}, by=2)
        assert said_in(done) == said.THANKS
        [opinion] = bot.feedback.kept.values()
        assert (opinion.rating, opinion.reasons, opinion.comment) == ("not_useful", ("outdated",), "Since May.")
        assert opinion.person == NAMES.of(actor(2))

    async def test_no_reason_and_no_comment_is_asked_for(self, bot: Answers) -> None:
        form = await bot.invoke(TeamsInvoke.FEEDBACK_OPEN, {"data": reaction("dislike")})
        again = await bot.submits(form, said.SEND)
        assert said.CHOOSE_A_REASON in texts(card_of(again))
        assert bot.feedback.kept == {}
        assert said_in(await bot.submits(again, said.SEND, {COMMENT: "Old."})) == said.THANKS

    async def test_what_is_useful_needs_no_reason(self, bot: Answers) -> None:
        form = await bot.invoke(TeamsInvoke.FEEDBACK_OPEN, {"data": reaction("like")})
        assert said_in(await bot.submits(form, said.SEND)) == said.THANKS

    async def test_an_unknown_message_a_dead_store_and_a_guest_are_told_so(self, bot: Answers) -> None:
        opened = {"data": reaction("dislike")}
        gone = await bot.invoke(TeamsInvoke.FEEDBACK_OPEN, opened, card="card-gone")
        assert told.FEEDBACK_UNKNOWN in said_in(gone)
        form = await bot.invoke(TeamsInvoke.FEEDBACK_OPEN, opened)
        bot.given.error = Unavailable("store_down")
        assert said_in(await bot.submits(form, said.SEND, {COMMENT: "Old."})) == said.FEEDBACK_NOT_KEPT
        bot.posted.failure = Unavailable("store_down")
        assert said.NOT_READABLE_NOW in said_in(await bot.invoke(TeamsInvoke.FEEDBACK_OPEN, opened))
        bot.rule.says = Admitted.NOT_TO_GUESTS
        assert why_not(Admitted.NOT_TO_GUESTS) in said_in(await bot.invoke(TeamsInvoke.FEEDBACK_OPEN, opened))

    async def test_malformed_it_is_a_bad_request(self, bot: Answers) -> None:
        await bot.invoke(TeamsInvoke.FEEDBACK_OPEN, {"data": reaction("love")}, status=400)
