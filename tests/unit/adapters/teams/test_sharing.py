"""Sharing a private answer: to where both are, for everybody there, and by nobody else."""

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest

from adapters.teams.addresses import TeamsPlace, teams_address
from adapters.teams.ports import TeamsMember
from bot.model.outcomes import Admitted
from bot.render.teams.forms import SHARE_TO
from bot.render.teams.view import TeamsInvoke
from bot.wording import answers as said
from bot.wording import teams as told
from bot.wording import why_not
from rag_core.errors import Unavailable
from tests.fakes.slack_sources import CLOSED, PUBLIC
from tests.fakes.teams import CHANNEL, GROUP_CHAT, TEAM, TENANT, person_id, personal_chat, user_id
from tests.fakes.teams_answers import (
    NOON,
    TEAM_CHANNEL,
    Answers,
    answers_in_teams,
    card_of,
    known,
    said_in,
    texts,
)
from tests.fakes.web import uk_answer


@pytest.fixture
async def bot() -> AsyncIterator[Answers]:
    async with answers_in_teams(PUBLIC, CLOSED) as made:
        yield made


class TestShare:
    async def test_offered_is_where_both_are(self, bot: Answers) -> None:
        card = self._private(bot)
        bot.known.rows += [known("TEAM/19:other@thread.tacv2", name="Other"), known(personal_chat(1), person="p")]
        bot.people.people["19:other@thread.tacv2"] = [member(2)]
        shown = texts(card_of(await bot.clicks(card, "Share to channel", where="")))
        assert "Ads" in shown
        assert "Other" not in shown

    async def test_shared_it_is_asked_again_for_everybody_there(self, bot: Answers) -> None:
        card = self._private(bot)
        form = await bot.clicks(card, "Share to channel", where="")
        reply = await bot.submits(form, "Share", {SHARE_TO: TEAM_CHANNEL}, where="")
        assert said_in(reply) == told.shared_to("Ads")
        [question] = bot.inbox.accepted
        address = teams_address(question.reply_address)
        assert (question.private, question.conversation.channel) == (False, TEAM_CHANNEL)
        assert (address.conversation_id, address.team, address.place) == (CHANNEL, TEAM, TeamsPlace.CHANNEL)
        assert address.shared_by == "Person 1"
        assert address.shared_chunks.split() == [each.chunk_id for each in uk_answer(PUBLIC).citations]

    async def test_each_answer_is_shared_to_each_place_once(self, bot: Answers) -> None:
        card = self._private(bot)
        bot.known.rows.append(known(GROUP_CHAT))
        form = await bot.clicks(card, "Share to channel", where="")
        for where, expected in (
            (TEAM_CHANNEL, told.shared_to("Ads")),
            (TEAM_CHANNEL, said.ALREADY_SHARED),
            (GROUP_CHAT, told.shared_to(told.place_without_name(told.A_GROUP_CHAT, NOON.date()))),
        ):
            assert said_in(await bot.submits(form, "Share", {SHARE_TO: where}, where="")) == expected
        assert [each.conversation.channel for each in bot.inbox.accepted] == [TEAM_CHANNEL, GROUP_CHAT]

    @pytest.mark.parametrize("where", ["TEAM/19:unknown@thread.tacv2", "", personal_chat(2)], ids=str)
    async def test_where_the_bot_is_not_or_somebody_is_alone_nothing_is_shared(self, bot: Answers, where: str) -> None:
        card = self._private(bot)
        bot.known.rows.append(known(personal_chat(2), person=person_id(2)))
        form = await bot.clicks(card, "Share to channel", where="")
        assert told.NOT_IN_PLACE in texts(await bot.submits(form, "Share", {SHARE_TO: where}, where=""))
        assert bot.inbox.accepted == []

    async def test_who_left_meanwhile_shares_nothing(self, bot: Answers) -> None:
        card = self._private(bot)
        form = await bot.clicks(card, "Share to channel", where="")
        for people in ([member(2)], [replace(member(1), role="guest")], [replace(member(1), person=person_id(9))]):
            bot.people.people[CHANNEL] = people
            again = await bot.submits(form, "Share", {SHARE_TO: TEAM_CHANNEL}, where="")
            assert told.NOT_IN_PLACE in texts(again)
        assert bot.inbox.accepted == []

    async def test_while_nobody_knows_who_is_there_nothing_is_shared(
        self, bot: Answers, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        card = self._private(bot)
        form = await bot.clicks(card, "Share to channel", where="")

        async def down(*_: object) -> None:
            raise Unavailable("teams_unreachable")

        monkeypatch.setattr(bot.people, "member", down)
        again = await bot.submits(form, "Share", {SHARE_TO: TEAM_CHANNEL}, where="")
        assert told.NOT_IN_PLACE in texts(again)
        assert bot.inbox.accepted == []

    async def test_where_others_than_ours_read_the_rule_for_them_holds(self, bot: Answers) -> None:
        card = self._private(bot)
        bot.rule.places[CHANNEL] = Admitted.NOT_HERE
        form = await bot.clicks(card, "Share to channel", where="")
        again = await bot.submits(form, "Share", {SHARE_TO: TEAM_CHANNEL}, where="")
        assert why_not(Admitted.NOT_HERE) in texts(again)
        assert bot.inbox.accepted == []

    async def test_nobody_shares_what_stands_in_a_channel(self, bot: Answers) -> None:
        bot.give(uk_answer(PUBLIC), PUBLIC)
        data = bot.signed({"adpolicy": "share", "answer": "a1"}, CHANNEL)
        for invoke in (TeamsInvoke.DIALOG_OPEN, TeamsInvoke.DIALOG_SUBMIT):
            reply = await bot.invoke(invoke, {"data": {**data, SHARE_TO: TEAM_CHANNEL}})
            assert said_in(reply) == told.ONLY_FROM_PERSONAL_CHAT
        assert bot.inbox.accepted == []

    async def test_nobody_shares_what_another_asked(self, bot: Answers) -> None:
        self._private(bot)
        data = bot.signed({"adpolicy": "share", "answer": "a1"}, personal_chat(2))
        for invoke in (TeamsInvoke.DIALOG_OPEN, TeamsInvoke.DIALOG_SUBMIT):
            reply = await bot.invoke(invoke, {"data": {**data, SHARE_TO: TEAM_CHANNEL}}, by=2, where="")
            assert said_in(reply) == said.ANSWER_UNREADABLE
        assert bot.inbox.accepted == []

    async def test_with_nowhere_to_share_to_it_says_how_to_come_to_a_place(self, bot: Answers) -> None:
        card = self._private(bot)
        bot.known.rows.clear()
        assert told.NO_PLACES_TO_SHARE in texts(await bot.clicks(card, "Share to channel", where=""))

    async def test_what_could_not_be_looked_up_is_said(self, bot: Answers, monkeypatch: pytest.MonkeyPatch) -> None:
        card = self._private(bot)

        async def down(*_: object) -> None:
            raise Unavailable("teams_unreachable")

        monkeypatch.setattr(bot.people, "member", down)
        assert told.SOME_PLACES_UNKNOWN in texts(await bot.clicks(card, "Share to channel", where=""))

    @staticmethod
    def _private(bot: Answers) -> dict[str, Any]:
        bot.known.rows.append(known(TEAM_CHANNEL, name="Ads"))
        return bot.give(uk_answer(PUBLIC), PUBLIC, where="")


def member(number: int) -> TeamsMember:
    return TeamsMember(user_id(number), person_id(number), f"Person {number}", TENANT, "user")
