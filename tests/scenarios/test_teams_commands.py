"""Commands that are typed in Teams: those that are questions, and those that are done at once."""

from collections.abc import AsyncIterator
from datetime import date
from typing import Any

import pytest

from adapters.teams import commands
from adapters.teams.actions.telling import said
from adapters.teams.command_calls import CommandCall
from adapters.teams.messages import activity_of
from adapters.teams.parts import TeamsParts
from bot.commands.grammar import Subscribe
from bot.model.outcomes import Admitted
from bot.wording.teams_welcome import COMMANDS_TO_TYPE
from rag_core.errors import Rejected, Unavailable
from tests.fakes.teams_ways import IN_CHANNEL, Ways, in_channel, ways_in


@pytest.fixture
async def ways() -> AsyncIterator[Ways]:
    async with ways_in() as open_ways:
        yield open_ways


@pytest.mark.parametrize(
    ("text", "asked", "day"),
    [
        ("as of 1 March 2025: alcohol", "alcohol", date(2025, 3, 1)),
        ("sources", "Which documents do you have?", None),
        ("changes since 1 March 2026", "What changed since 1 March 2026?", None),
        ("compare UK and Germany: alcohol", "Compare UK and Germany: alcohol", None),
        ("help", "help", None),
    ],
)
async def test_commands_are_typed_as_text(ways: Ways, text: str, asked: str, day: date | None) -> None:
    await ways.hears(in_channel(text, mentions_bot=True))
    assert (ways.asked, ways.last.as_of) == ([asked], day)


async def test_help_names_the_commands_once_and_no_other_question_does(ways: Ways) -> None:
    raw = in_channel("help", mentions_bot=True)
    for _ in range(2):
        await ways.hears(raw)
    await ways.hears(in_channel("sources", mentions_bot=True))
    [told] = ways.outbound.written
    assert told.activity["text"] == COMMANDS_TO_TYPE
    for each in ("sources", "changes", "compare", "as of", "private", "subscribe", "unsubscribe", "settings"):
        assert each in COMMANDS_TO_TYPE


async def test_a_day_that_cannot_be_read_is_told_and_not_asked(ways: Ways) -> None:
    raw = in_channel("as of <b>[x](http://y)</b> smarch: alcohol", mentions_bot=True)
    for _ in range(2):
        await ways.hears(raw)
    assert ways.inbox.calls == 0
    [told] = ways.outbound.written
    assert told.activity["textFormat"] == "plain"  # what was typed comes back, and formats nothing
    assert told.to.conversation == activity_of(raw).conversation_id


# commands that are no questions


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[CommandCall]:
    called: list[CommandCall] = []

    async def subscribe(parts: TeamsParts, call: CommandCall) -> Any:
        called.append(call)
        return said("done")

    monkeypatch.setattr(commands, "COMMAND_RUNS", {Subscribe: subscribe})
    return called


async def test_a_command_is_done_once_and_told_where_it_was_typed(ways: Ways, runs: list[CommandCall]) -> None:
    raw = in_channel("subscribe daily UK", mentions_bot=True)
    for _ in range(2):
        await ways.hears(raw)
    [call] = runs
    assert call.command == Subscribe("UK", "daily")
    assert call.activity.address.conversation.channel == IN_CHANNEL
    [told] = ways.outbound.written
    assert (told.activity["text"], told.to.conversation) == ("done", activity_of(raw).conversation_id)
    assert ways.inbox.calls == 0


async def test_a_click_on_a_first_question_does_nothing_but_ask(ways: Ways, runs: list[CommandCall]) -> None:
    await ways.hears(in_channel("subscribe", value={"adpolicy": "starter"}))
    assert runs == []
    assert ways.outbound.written == []


async def test_one_that_nobody_does_is_said_to_be_missing(ways: Ways, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands, "COMMAND_RUNS", {})
    await ways.says("subscribe")
    assert "not set up here yet" in ways.told[0]


@pytest.mark.parametrize("verdict", [Admitted.NOT_HERE, Admitted.NOT_TO_GUESTS])
async def test_who_is_refused_hears_why_and_nothing_is_done(
    ways: Ways, runs: list[CommandCall], verdict: Admitted
) -> None:
    ways.verdict = verdict
    await ways.hears(in_channel("subscribe", mentions_bot=True))
    assert runs == []
    assert len(ways.told) == 1
    assert ways.told[0] != "done"


@pytest.mark.parametrize("trouble", [Unavailable("database_locked"), Rejected("too_many_subscriptions", most=3)])
async def test_one_that_fails_is_told(ways: Ways, monkeypatch: pytest.MonkeyPatch, trouble: Exception) -> None:
    async def fails(parts: TeamsParts, call: CommandCall) -> Any:
        raise trouble

    monkeypatch.setattr(commands, "COMMAND_RUNS", {Subscribe: fails})
    await ways.hears(in_channel("subscribe", mentions_bot=True))
    assert len(ways.told) == 1
    assert ("did not work" in ways.told[0]) == isinstance(trouble, Unavailable)
