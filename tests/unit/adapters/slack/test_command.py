"""The slash command: kept first, acknowledged at once, nothing else."""

import asyncio
import json
from collections.abc import AsyncIterator
from urllib.parse import urlencode

import aiohttp
import pytest

from adapters.slack import command_listener
from adapters.slack.addresses import SlackAddress, slack_address
from adapters.slack.commands import COMMAND, command_text
from rag_core.errors import Rejected, Unavailable
from tests.fakes.slack import NOW, FakeClock, FakeInbox, bot_server, client, signed

SECOND = str(int(NOW.timestamp()))


class Bot:
    def __init__(self, url: str, session: aiohttp.ClientSession, inbox: FakeInbox) -> None:
        self._url = f"{url}/slack/events"
        self._session = session
        self.inbox = inbox

    async def command(self, text: str, **more: str) -> tuple[int, str]:
        fields = {
            "team_id": "T1",
            "channel_id": "C1",
            "user_id": "U1",
            "command": COMMAND,
            "text": text,
            "response_url": "https://hooks.slack.com/commands/T1/1/x",
            "trigger_id": "1.2.3",
        }
        body = urlencode(fields | more).encode()
        async with self._session.post(self._url, data=body, headers=signed(body, SECOND)) as response:
            return response.status, await response.text()


@pytest.fixture
async def bot() -> AsyncIterator[Bot]:
    inbox = FakeInbox()
    async with bot_server(inbox.accept, FakeClock()) as url, client() as session:
        yield Bot(url, session, inbox)


@pytest.mark.parametrize("channel", ["C1", "G1", "D1"])
async def test_a_command_is_answered_for_all_who_read_the_channel(bot: Bot, channel: str) -> None:
    """Not even a direct message is private: Slack does not say whether it is the one with the bot."""
    await bot.command("alcohol?", channel_id=channel)
    assert [each.private for each in bot.inbox.accepted] == [False]


async def test_the_question_is_kept_with_all_that_answering_needs(bot: Bot) -> None:
    await bot.command("can I advertise alcohol in the UK")
    [kept] = bot.inbox.accepted
    assert kept.question_id == "question-1"
    assert kept.claim_key == "slack:T1:1.2.3"
    assert kept.text == "can I advertise alcohol in the UK"
    assert (kept.actor.platform, kept.actor.workspace, kept.actor.person) == ("slack", "T1", "U1")
    assert (kept.conversation.channel, kept.conversation.thread) == ("C1", "")
    assert slack_address(kept.reply_address) == SlackAddress(
        "T1", "C1", "U1", response_url="https://hooks.slack.com/commands/T1/1/x"
    )
    assert kept.received_at == NOW


async def test_the_question_is_kept_before_it_is_acknowledged(bot: Bot) -> None:
    may_commit = asyncio.Event()
    bot.inbox.before = may_commit.wait
    acknowledged = asyncio.create_task(bot.command("a question"))
    await asyncio.sleep(0.1)
    assert not acknowledged.done()
    assert bot.inbox.accepted == []
    may_commit.set()
    assert await acknowledged == (200, "")
    assert len(bot.inbox.accepted) == 1


async def test_a_repeat_is_acknowledged_and_does_nothing(bot: Bot) -> None:
    assert [await bot.command("a question") for _ in range(5)] == [(200, "")] * 5
    assert bot.inbox.calls == 5
    assert len(bot.inbox.accepted) == 1


async def test_the_same_trigger_of_another_workspace_is_another_question(bot: Bot) -> None:
    await bot.command("a question")
    await bot.command("a question", team_id="T2")
    assert [each.claim_key for each in bot.inbox.accepted] == ["slack:T1:1.2.3", "slack:T2:1.2.3"]


async def test_with_the_store_down_the_asker_alone_is_told_to_try_again(bot: Bot) -> None:
    bot.inbox.failure = Unavailable("database_locked")
    status, body = await bot.command("ads with <!channel> & ```")
    shown = json.loads(body)
    assert status == 200
    assert shown["response_type"] == "ephemeral"
    assert "try again" in shown["text"]
    assert "/adpolicy ads with &lt;!channel&gt; &amp; '''" in shown["text"]


async def test_a_store_that_hangs_is_not_waited_for(bot: Bot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command_listener, "ACCEPT_SECONDS", 0.05)
    bot.inbox.before = asyncio.Event().wait
    status, body = await asyncio.wait_for(bot.command("a question"), 2)
    assert status == 200
    assert "try again" in json.loads(body)["text"]


async def test_a_failing_inbox_answers_500_at_once(bot: Bot) -> None:
    bot.inbox.failure = ZeroDivisionError()
    status, _ = await asyncio.wait_for(bot.command("a question"), 1)
    assert status == 500


async def test_what_the_inbox_rejects_is_400(bot: Bot) -> None:
    bot.inbox.failure = Rejected("too_long")
    assert (await bot.command("a question"))[0] == 400


@pytest.mark.parametrize("text", ["", "  ", "help", " HELP ", "?"])
async def test_help_is_shown_to_the_asker_in_the_acknowledgement(bot: Bot, text: str) -> None:
    status, body = await bot.command(text)
    shown = json.loads(body)
    assert status == 200
    assert shown["response_type"] == "ephemeral"
    assert "/adpolicy can I advertise" in shown["text"]
    assert bot.inbox.calls == 0


@pytest.mark.parametrize(
    ("sent", "typed"),
    [
        (" A &amp; B ", "A & B"),
        ("&lt;b&gt;", "<b>"),
        ("&amp;lt;", "&lt;"),
        ("&quot;", "&quot;"),
        (None, ""),
    ],
)
def test_the_three_characters_that_slack_escapes_are_read_as_typed(sent: str | None, typed: str) -> None:
    assert command_text({"text": sent}) == typed


async def test_no_task_is_left_behind(bot: Bot) -> None:
    await bot.command("a question")
    names = [str(task.get_coro()) for task in asyncio.all_tasks()]
    assert [each for each in names if "bolt" in each or "run_ack_function" in each] == []


async def test_settings_of_bolt_in_the_environment_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLACK_BOT_TOKEN", "xoxb-other")
    for name in ("SLACK_SIGNING_SECRET", "SLACK_CLIENT_ID", "SLACK_CLIENT_SECRET", "SLACK_VERIFICATION_TOKEN"):
        monkeypatch.setenv(name, "another")
    inbox = FakeInbox()
    async with bot_server(inbox.accept, FakeClock()) as url, client() as session:
        assert await Bot(url, session, inbox).command("a question") == (200, "")
