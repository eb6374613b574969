"""Streaming: the rules of one-to-one chats."""

from typing import Any

import pytest

from ops.sandbox.teams import Limits
from tests.fakes.clock import FakeClock
from tests.fakes.teams_bot import ConnectorClient, card, connector_client, shown
from tests.unit.ops.sandbox.test_teams_connector import ADS, CHAT, Seconds


def chunk(
    text: str, sequence: int | None = 1, stream: str = "", kind: str = "streaming", **more: Any
) -> dict[str, Any]:
    said = {"type": "streaminfo", "streamType": kind, "streamSequence": sequence, "streamId": stream}
    entity = {name: value for name, value in said.items() if value}
    return {"type": "message" if kind == "final" else "typing", "text": text, "entities": [entity], **more}


async def _begun(bot: ConnectorClient) -> str:
    status, answer = await bot.post(CHAT, chunk("Looking ...", kind="informative"))
    assert status == 201
    return str(answer["id"])


async def _error(bot: ConnectorClient, activity: dict[str, Any], where: str = CHAT) -> tuple[int, str, str]:
    status, answer = await bot.post(where, activity)
    return status, answer["error"]["code"], answer["error"]["message"]


async def test_a_stream_from_beginning_to_end() -> None:
    async with connector_client() as bot:
        id_ = await _begun(bot)
        assert await bot.post(CHAT, chunk("A brown", 2, id_)) == (202, {})
        [growing] = bot.teams.bot_messages(CHAT)
        assert (growing.id, growing.text, growing.is_streaming) == (id_, "A brown", True)
        final = chunk("A brown fox.", None, id_, "final", attachments=shown("", card())["attachments"])
        assert await bot.post(CHAT, final) == (202, {})
        [message] = bot.teams.bot_messages(CHAT)
        assert (message.text, message.is_streaming, message.card["version"]) == ("A brown fox.", False, "1.5")
        assert not message.is_edited
        assert (await bot.call("PUT", f"/{CHAT}/activities/{id_}", shown("changed")))[0] == 200
        assert (await _error(bot, chunk("A brown fox. And", 3, id_)))[2].endswith("already completed streamed message")


async def test_one_to_one_only_and_one_at_a_time() -> None:
    async with connector_client() as bot:
        for where in (ADS, "19:talk@thread.v2"):
            assert (await _error(bot, chunk("a"), where))[:2] == (403, "ContentStreamNotAllowed")
        await _begun(bot)
        assert (await _error(bot, chunk("a")))[:2] == (403, "ContentStreamNotAllowed")


@pytest.mark.parametrize(
    ("activity", "said"),
    [
        (chunk("a", 2), "streamSequence 1"),
        (chunk("a", None), "streamSequence 1"),
        (chunk(""), "should include text"),
        (chunk("x" * 1_001, kind="informative"), "1000 characters"),
        (chunk("a", kind="odd"), "Unknown streamType"),
        (chunk("a", attachments=shown("", card())["attachments"]), "final streaming activity only"),
        ({**chunk("a"), "type": "message"}, "final streaming activity is a message"),
        ({**chunk("a", None, "1", "final"), "type": "typing"}, "final streaming activity is a message"),
        (chunk("a", 2, "999"), "not that of a stream"),
    ],
)
async def test_how_a_stream_does_not_begin(activity: dict[str, Any], said: str) -> None:
    async with connector_client() as bot:
        status, code, message = await _error(bot, activity)
        assert (status, code) == (400, "BadRequest")
        assert said in message


async def test_how_it_does_not_go_on() -> None:
    async with connector_client() as bot:
        id_ = await _begun(bot)
        await bot.post(CHAT, chunk("A brown", 2, id_))
        for wrong, said in (
            (chunk("A red", 3, id_), "must contain"),
            (chunk("A brown fox", None, id_), "should have a streamSequence"),
            (chunk("A red fox", None, id_, "final"), "must contain"),
            (chunk("A brown fox", 4, id_, "final"), "must not have a streamSequence"),
        ):
            assert said in (await _error(bot, wrong))[2]
        status, answer = await bot.post(CHAT, chunk("A brown fox", 2, id_))
        assert (status, answer["error"]["code"]) == (202, "ContentStreamSequenceOrderPreConditionFailed")
        assert bot.teams.bot_messages(CHAT)[0].text == "A brown"
        assert len(bot.teams.world.streams.dropped) == 1
        status, code, message = await _error(bot, chunk("A brown" + "x" * 41_000, 5, id_))
        assert (status, code, message) == (403, "ContentStreamNotAllowed", "Message size too large")


async def test_two_minutes_in_all() -> None:
    clock = FakeClock()
    async with connector_client(clock=clock) as bot:
        id_ = await _begun(bot)
        clock.move(seconds=119)
        assert (await bot.post(CHAT, chunk("A", 2, id_)))[0] == 202
        one = f"/{CHAT}/activities/{id_}"
        assert (await bot.call("PUT", one, shown("A whole")))[0] == 403
        clock.move(seconds=2)
        assert "exceeded streaming time" in (await _error(bot, chunk("A b", None, id_, "final")))[2]
        assert bot.teams.bot_messages(CHAT)[0].text == "A"
        assert (await bot.call("PUT", one, shown("A whole")))[0] == 200
        assert (await bot.post(CHAT, chunk("another")))[0] == 201


async def test_no_more_than_one_chunk_a_second() -> None:
    seconds = Seconds()
    async with connector_client(limits=Limits(), monotonic=seconds) as bot:
        id_ = await _begun(bot)
        seconds.now += 0.9
        assert (await _error(bot, chunk("A", 2, id_)))[2] == "API calls quota exceeded"
        seconds.now += 0.2
        assert (await bot.post(CHAT, chunk("A", 2, id_)))[0] == 202


async def test_the_person_stops_it() -> None:
    async with connector_client() as bot:
        id_ = await _begun(bot)
        bot.teams.person(1).stops()
        assert (await _error(bot, chunk("A", 2, id_)))[2] == "Content stream was canceled by user."
        one = f"/{CHAT}/activities/{id_}"
        assert (await bot.call("PUT", one, shown("A whole")))[0] == 403
        assert (await bot.call("DELETE", one))[0] == 200
