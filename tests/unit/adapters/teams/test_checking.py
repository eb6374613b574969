"""Check this against the policies: the text of a message is asked, and answered to who asked alone."""

from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import pytest

from adapters.teams.addresses import TeamsPlace, teams_address
from bot.model.outcomes import Admitted
from bot.render.teams.view import ExtensionCommand, TeamsInvoke
from bot.wording import answers as said
from bot.wording import teams as told
from bot.wording import why_not
from bot.wording.commands import ad_copy_asked
from rag_core.errors import Rejected, Unavailable
from tests.fakes.slack_sources import PUBLIC
from tests.fakes.teams import CHANNEL, GROUP_CHAT, person_id, personal_chat
from tests.fakes.teams_answers import NOON, Answers, actor, answers_in_teams, known, said_in

TWO_PEOPLE = "19:one_two@unq.gbl.spaces"


@pytest.fixture
async def bot() -> AsyncIterator[Answers]:
    async with answers_in_teams(PUBLIC) as made:
        made.known.rows.append(known(personal_chat(1), person=person_id(1)))
        yield made


def message(content: object, *files: object, kind: str = "html") -> dict[str, Any]:
    payload = {"id": "m1", "body": {"contentType": kind, "content": content}, "attachments": list(files)}
    return {"commandId": ExtensionCommand.CHECK_MESSAGE.value, "commandContext": "message", "messagePayload": payload}


async def checks(bot: Answers, value: dict[str, Any], **more: Any) -> str:
    return said_in(await bot.invoke(TeamsInvoke.MESSAGE_ACTION_OPEN, value, **more))


async def test_its_words_are_asked_in_the_persons_own_chat(bot: Answers) -> None:
    copy = "<p>Drink <b>our</b> &quot;wine&quot; &amp; smile</p><div>in Germany</div>"
    assert told.CHECK_BEGUN in await checks(bot, message(copy))
    [question] = bot.inbox.accepted
    assert question.text == ad_copy_asked('Drink our "wine" & smile in Germany')
    assert (question.actor, question.private) == (actor(1), True)
    assert question.as_of == NOON.date()
    address = teams_address(question.reply_address)
    assert (address.conversation_id, address.place) == (personal_chat(1), TeamsPlace.PERSONAL)


@pytest.mark.parametrize("where", [CHANNEL, GROUP_CHAT, TWO_PEOPLE])
async def test_where_others_read_nothing_is_answered(bot: Answers, where: str) -> None:
    """Also in a chat of two people, which Teams calls personal."""
    more = {"conversation": {"id": where, "conversationType": "personal"}} if where == TWO_PEOPLE else {}
    await checks(bot, message("wine"), where=where, **more)
    assert [each.conversation.channel for each in bot.inbox.accepted] == [personal_chat(1)]
    assert bot.outbound.written == []


async def test_delivered_twice_it_is_asked_once(bot: Answers) -> None:
    for _ in range(2):
        assert told.CHECK_BEGUN in await checks(bot, message("wine"), id_="invoke-1")
    assert len(bot.inbox.accepted) == 1
    await checks(bot, message("wine"), id_="invoke-2")
    assert len(bot.inbox.accepted) == 2


async def test_a_chat_with_the_bot_is_opened_where_there_is_none(bot: Answers) -> None:
    assert told.CHECK_BEGUN in await checks(bot, message("wine"), by=2)
    assert teams_address(bot.inbox.accepted[0].reply_address).conversation_id == f"a:chat-of-{person_id(2)}"


@pytest.mark.parametrize("trouble", [Rejected("teams_refused", error="ForbiddenOperationException"), Unavailable("x")])
async def test_where_it_may_not_be_opened_that_is_said(bot: Answers, trouble: Exception) -> None:
    bot.outbound.troubles.append(trouble)  # type: ignore[arg-type]
    assert told.NO_PERSONAL_CHAT in await checks(bot, message("wine"), by=2)
    assert bot.inbox.accepted == []


@pytest.mark.parametrize("content", ["", "<p>&nbsp;</p>", "…!", None, 7])
async def test_without_words_nothing_is_asked(bot: Answers, content: object) -> None:
    assert told.NOTHING_TO_CHECK in await checks(bot, message(content))
    assert bot.inbox.accepted == []


@pytest.mark.parametrize("payload", [None, "x", {}, {"body": []}], ids=str)
async def test_a_malformed_message_has_no_words(bot: Answers, payload: object) -> None:
    assert told.NOTHING_TO_CHECK in await checks(bot, {**message("x"), "messagePayload": payload})


async def test_files_are_named_as_not_read(bot: Answers) -> None:
    picture = {"contentType": "image/png"}
    shown = await checks(bot, message("wine", {"contentType": "reference", "name": "banner.png"}, picture))
    assert told.files_not_read(["banner.png"]) in shown.replace("\u2060", "")
    only = await checks(bot, message("", {"contentType": "image/png", "content": "x"}))
    assert told.PICTURES_NOT_READ in only


async def test_of_a_long_message_the_beginning_is_checked_and_that_is_said(bot: Answers) -> None:
    shown = await checks(bot, message("wine " * 1_000))
    assert told.only_beginning_read(1_500) in shown
    assert len(bot.inbox.accepted[0].text) < 1_600


async def test_what_cannot_be_kept_is_said(bot: Answers) -> None:
    bot.inbox.failure = Unavailable("inbox_down")
    assert said.NOT_TAKEN in await checks(bot, message("wine"))


async def test_guests_are_told_why_not(bot: Answers) -> None:
    bot.rule.says = Admitted.NOT_TO_GUESTS
    assert why_not(Admitted.NOT_TO_GUESTS) in await checks(bot, message("wine"))
    assert bot.inbox.accepted == []


async def test_another_command_is_said_and_a_submission_closes_the_dialog(bot: Answers) -> None:
    assert told.COMMAND_UNKNOWN in await checks(bot, {**message("wine"), "commandId": "zorblatt"})
    assert await bot.invoke(TeamsInvoke.MESSAGE_ACTION_SUBMIT, {"commandId": "checkMessage"}) == {}


async def test_its_answer_is_one_of_today(bot: Answers) -> None:
    object.__setattr__(bot.parts, "clock", lambda: NOON + timedelta(days=1))
    await checks(bot, message("wine as of March 2020"))
    assert bot.inbox.accepted[0].as_of == (NOON + timedelta(days=1)).date()
