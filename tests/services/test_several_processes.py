"""Two bots on the same servers: one clock five minutes off, one killed in the middle."""

import asyncio

import pytest

from adapters.sql.database.vault import new_key
from tests.fakes.missing import program
from tests.fakes.production import Bot, Place, running_bot, second_bot, until

pytestmark = [pytest.mark.services, pytest.mark.timeout(600)]

DRINKS = ("beer", "wine", "whisky", "vodka", "gin", "rum", "cider", "champagne", "tequila", "brandy", "ale", "lager")
MANY = len(DRINKS)
RULE = "Ads for alcoholic drinks are restricted in the United Kingdom."
"""Quoted to each of them, with a verdict or without one."""


async def all_answered_once(bot: Bot, place: Place) -> None:
    """Every question got its one message, and the inbox knows."""
    await bot.slack.received(MANY, 120)
    await until(lambda: _all_sent(place))
    await asyncio.sleep(2)
    assert len(bot.slack.messages) == MANY
    shown = [str(message.blocks) for message in bot.slack.messages]
    assert [each for each in shown if RULE not in each] == []
    assert {drink: sum(question_of(drink) in each for each in shown) for drink in DRINKS} == dict.fromkeys(DRINKS, 1)


def question_of(drink: str) -> str:
    return f"can I advertise {drink} in the UK"


async def _all_sent(place: Place) -> bool:
    rows = await place.rows("SELECT state FROM inbox")
    return [row["state"] for row in rows] == ["sent"] * MANY


async def ask_many(bot: Bot) -> None:
    """In three channels: within one they are answered in order."""
    channels = ("C1", "C2", "G1")
    asking = [
        bot.slack.send_command(question_of(drink), channel=channels[number % 3], user="U2")
        for number, drink in enumerate(DRINKS)
    ]
    seen = await asyncio.gather(*asking)
    assert [each.status for each in seen] == [200] * MANY


@pytest.fixture
def faketime() -> str:
    return program("faketime", "faketime")


async def test_a_clock_five_minutes_ahead_changes_nothing(place: Place, faketime: str) -> None:
    settings = {"SECRET_KEY": new_key()}
    async with running_bot(place, settings) as bot:
        await bot.answers()
        async with second_bot(place, bot, settings, [faketime, "-f", "+5m"]) as ahead:
            assert (await ahead.ready())[0] == 200
            await ask_many(bot)
            await all_answered_once(bot, place)
    by_worker = await place.rows("SELECT count(DISTINCT worker) FROM inbox")
    assert by_worker[0][0] > 1


async def test_a_process_killed_in_the_middle_loses_nothing(place: Place) -> None:
    """Only what was being sent at that very moment may come twice."""
    settings = {"SECRET_KEY": new_key(), "WORKERS": "1"}
    async with running_bot(place, settings) as bot:
        await bot.answers()
        await ask_many(bot)
        bot.server.kill()
        last_before = [str(message.blocks) for message in bot.slack.messages][-1:]
        async with second_bot(place, bot, settings) as other:
            await until(lambda: _finished(place), 120)
            assert (await other.ready())[0] == 200
        shown = [str(message.blocks) for message in bot.slack.messages]
    for drink in DRINKS:
        of_it = [each for each in shown if question_of(drink) in each]
        assert len(of_it) == 1 or (len(of_it) == 2 and of_it[0] in last_before)


async def _finished(place: Place) -> bool:
    rows = await place.rows("SELECT state FROM inbox")
    return {row["state"] for row in rows} == {"sent"}
