"""People in the stand-in click on answers, search from the compose box and have a message checked: signed activities
in, what Teams received and showed out."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import aiohttp
import pytest
from aiohttp.test_utils import unused_port

from adapters.teams.actions import finding
from adapters.teams.addresses import TeamsReference, teams_address
from adapters.teams.settings import TeamsSettings
from bot.render.scope_form import PLACE
from bot.render.teams.forms import SHARE_TO
from bot.wording import answers as said
from bot.wording import teams as told
from ops.sandbox.teams import TeamsStandIn, teams_stand_in
from ops.sandbox.teams.messages import Message
from ops.teams_connection import TeamsConnection
from ops.teams_sdk import open_teams_sdk
from tests.fakes.slack_sources import CLOSED, PUBLIC, SECRET, with_secret
from tests.fakes.teams import APP_ID, APP_SECRET, BOT, CHANNEL, TENANT, personal_chat
from tests.fakes.teams_answers import TEAM_CHANNEL, Answers, actor, answers_in_teams, known, texts
from tests.fakes.web import QUOTE, uk_answer


@dataclass
class Day:
    """The bot with answers of its own in a pretended Teams."""

    bot: Answers
    teams: TeamsStandIn

    async def answer(self, *, where: str = CHANNEL, asker: int = 1) -> Message:
        """What the bot said, where it stands; in a channel as a post of its own."""
        reply = with_secret() if where else uk_answer(PUBLIC)
        made = self.bot.give(reply, PUBLIC, CLOSED, where=where, asker=asker, groups=("legal",) if where else ())
        to = TeamsReference(self.teams.service_url(), TENANT, where or personal_chat(asker), BOT)
        id_ = await self.bot.parts.outbound.send(to, made)
        [row] = self.bot.posted.rows
        self.bot.posted.rows = [replace(row, place=replace(row.place, message=id_))]
        return next(each for each in self.teams.person(asker).sees(where) if each.id == id_)

    async def settled(self) -> None:
        await self.bot.parts.background.aclose()


@pytest.fixture
async def day() -> AsyncIterator[Day]:
    port = unused_port()
    async with teams_stand_in(f"http://127.0.0.1:{port}") as teams, aiohttp.ClientSession() as session:
        settings = TeamsSettings(
            app_id=APP_ID,
            tenants=frozenset({TENANT}),
            app_secret=APP_SECRET,
            openid_url=teams.openid_url,
            issuer=teams.issuer_name,
            scope=teams.scope,
            login_url=teams.login_url,
        )
        sdk = open_teams_sdk(TeamsConnection(settings, session), lambda: datetime.now(UTC))
        async with answers_in_teams(PUBLIC, CLOSED, port=port, made_for=settings, sdk=sdk) as bot:
            yield Day(bot, teams)


async def test_sources_open_for_each_with_what_he_may_see(day: Day) -> None:
    message = await day.answer()
    for number, sees in ((1, True), (2, False)):
        person = day.teams.person(number)
        assert (await person.clicks(message, "Show sources")).error == ""
        assert person.dialog is not None
        shown = texts(person.dialog.card)
        assert QUOTE in shown
        assert (SECRET in shown) is sees


async def test_another_scope_is_asked_in_the_thread_which_says_that_it_is_worked_on(day: Day) -> None:
    message, person = await day.answer(), day.teams.person(2)
    await person.clicks(message, "Change scope")
    assert person.dialog is not None
    assert (await person.submits(person.dialog, {PLACE: "Germany"})).error == ""
    assert person.told == [told.ASKED]
    assert day.teams.person(2).dialog is None
    [question] = day.bot.inbox.accepted
    address = teams_address(question.reply_address)
    assert (question.actor, question.filters.regions) == (actor(2), ("de",))
    assert question.conversation.thread == message.id
    working = next(each for each in person.sees("ads") if each.id == address.working)
    assert told.WORKING_SUMMARY in str(working.activity)


async def test_an_opinion_is_kept_and_teams_takes_the_answer(day: Day) -> None:
    message, person = await day.answer(), day.teams.person(2)
    assert (await person.rates(message, "dislike", "Since May, no.")).error == ""
    [opinion] = day.bot.feedback.kept.values()
    assert (opinion.rating, opinion.comment) == ("not_useful", "Since May, no.")


async def test_policies_are_searched_and_a_card_is_inserted(day: Day) -> None:
    person = day.teams.person(1)
    found = await person.searches("zeppelins and alcohol", "talk")
    inserted = await person.inserts(found[0], "talk")
    assert all(SECRET not in texts(each.card) for each in found)
    assert told.FOUND_BY_SEARCH in texts(inserted.activity)
    assert await person.searches("") == []
    assert person.told == [told.search_help(())]


async def test_a_message_is_checked_in_the_own_chat_of_who_asks(day: Day) -> None:
    await day.teams.person(1).says("Drink our wine in Germany", "ads")
    written, person = day.teams.person(1).sees("ads")[-1], day.teams.person(3)
    assert (await person.uses_action_on(written)).error == ""
    assert person.dialog is not None
    assert told.CHECK_BEGUN in texts(person.dialog.card)
    [question] = day.bot.inbox.accepted
    assert "Drink our wine in Germany" in question.text
    assert teams_address(question.reply_address).conversation_id == personal_chat(3)
    assert question.private


async def test_a_private_answer_is_shared_to_where_both_are(day: Day) -> None:
    message, person = await day.answer(where=""), day.teams.person(1)
    day.bot.known.rows.append(replace(known(TEAM_CHANNEL, name="Ads"), reference=_reference(day)))
    await person.clicks(message, said.SHARE)
    assert person.dialog is not None
    assert (await person.submits(person.dialog, {SHARE_TO: TEAM_CHANNEL})).error == ""
    assert person.told == [told.shared_to("Ads")]
    [question] = day.bot.inbox.accepted
    assert (question.private, question.conversation.channel) == (False, TEAM_CHANNEL)


async def test_a_click_while_the_store_is_slow_is_answered_in_time(day: Day, monkeypatch: pytest.MonkeyPatch) -> None:
    message, person = await day.answer(), day.teams.person(2)

    async def never(*_: object) -> None:
        await asyncio.sleep(60)

    monkeypatch.setattr(day.bot.given, "answer", never)
    monkeypatch.setattr(finding, "FIND_SECONDS", 0.05)
    answered = await person.clicks(message, "Show sources")
    assert (answered.error, answered.status) == ("", 200)
    assert answered.seconds < 5
    assert person.dialog is not None
    assert told.LATE in texts(person.dialog.card)


def _reference(day: Day) -> dict[str, str]:
    return {"service_url": day.teams.service_url(), "tenant": TENANT, "conversation": CHANNEL, "bot": BOT}
