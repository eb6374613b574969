"""`python -m ops bench slack`."""

import time
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

import yaml

from bot.render.slack.message import EVENT_TYPE
from ops.bench.chat.load import Act, Asked, Line, Load, Way
from ops.bench.chat.measuring import Attempt, Played, bench_platform
from ops.config import Config
from ops.sandbox.slack import SlackStandIn, app_of_manifest, slack_stand_in
from ops.sandbox.slack.__main__ import MANIFEST
from ops.sandbox.slack.people import BOT, Channel, User
from ops.sandbox.slack.workspace import Message

SECRET = "bench-signing-secret"  # noqa: S105 # pragma: allowlist secret
TOKEN = "xoxb-sandbox"  # noqa: S105 - the stand-in's own

_COMMAND = "/adpolicy"
_OK, _TOO_LATE = 200, 500
_MALFORMED = (
    (b"{", "application/json"),
    (b"[]", "application/json"),
    (b'{"type": "event_callback", "event": null}', "application/json"),
    (b'{"type": "event_callback", "team_id": "T1", "event": {"type": "message", "ts": 7}}', "application/json"),
    (b'{"type": "event_callback", "event": {"type": "app_mention"}}', "application/json"),
    (b"command=%2Fadpolicy&text=hello", "application/x-www-form-urlencoded"),
    (b"payload=%7B%22type%22%3A%22block_actions%22%7D", "application/x-www-form-urlencoded"),
    (b"\xff\xfe", "application/x-www-form-urlencoded"),
)


async def bench_slack(config: Config, *, smallest: bool = False) -> int:
    """As `bench_platform`."""
    return await bench_platform(config, "slack", _opened, smallest=smallest)


@asynccontextmanager
async def _opened(bot_url: str) -> AsyncIterator[tuple[Played, Mapping[str, str]]]:
    app = app_of_manifest(yaml.safe_load(MANIFEST.read_text("utf-8")), SECRET)
    async with slack_stand_in(bot_url, SECRET, app=app) as slack:
        settings = {
            "ADPOLICY_SLACK_API_URL": slack.api_url,
            "ADPOLICY_SLACK_BOT_TOKEN": TOKEN,
            "ADPOLICY_SLACK_SIGNING_SECRET": SECRET,
        }
        yield PlayedSlack(slack), settings


class PlayedSlack:
    """`Played`: people in the stand-in's workspace who do what a load says."""

    def __init__(self, slack: SlackStandIn) -> None:
        self.asked: list[Asked] = []
        self.broken = 0
        self._slack = slack
        self._roots: dict[str, str] = {}

    @property
    def attempts(self) -> Sequence[Attempt]:
        return [Attempt(each.status, each.seconds) for each in self._slack.attempts]

    def populate(self, load: Load) -> None:
        """Channels, and full members of the workspace in them: whom Slack does not know is answered like a guest."""
        people = frozenset(f"UB{each}" for each in range(load.people))
        self._slack.workspace.people.update({each: User(each) for each in people})
        for number in range(load.channels):
            channel = f"CB{number}"
            self._slack.workspace.channels[channel] = Channel(channel, f"bench-{number}", people | {BOT})

    async def act(self, act: Act) -> None:
        channel, person = f"CB{act.channel}", self._slack.person(f"UB{act.person}")
        root = self._roots.get(channel, "")
        match act.way:
            case Way.MALFORMED:
                body, content_type = _MALFORMED[act.number % len(_MALFORMED)]
                status = await self._slack.post_raw(body, {"Content-Type": content_type})
                self.broken += not 0 < status < _TOO_LATE
            case Way.COMMAND:
                await self._commands(act, channel, person.user)
            case Way.DIRECT:
                await self._wrote(await person.writes_to_bot(act.question), again=act.again)
            case Way.FOLLOW_UP if root:
                await self._wrote(await person.says(act.question, channel, root), again=act.again)
            case _:
                message = await person.mentions(act.question, channel)
                self._roots[channel] = message.ts
                await self._wrote(message, again=act.again)

    async def catch_up(self) -> None:
        await self._slack.catch_up()

    def shown(self) -> Sequence[tuple[str, float]]:
        found = []
        for each in self._slack.messages:
            payload: Any = each.metadata.get("event_payload")
            if each.metadata.get("event_type") == EVENT_TYPE and isinstance(payload, dict) and each.posted_at:
                found.append((str(payload.get("answer_id")), each.posted_at.timestamp()))
        return found

    def named(self, question_ids: Mapping[str, str]) -> Mapping[str, str]:
        return question_ids

    def figures(self, name: str) -> Iterable[Line]:
        return ()

    async def _commands(self, act: Act, channel: str, user: str) -> None:
        at = time.time()
        seen = await self._slack.send_command(act.question, channel=channel, user=user, command=_COMMAND)
        # what is not acknowledged the person is told by Slack
        self.asked.append(Asked(f"slack:T1:{seen.delivery.trigger_id}", at, is_due=seen.status == _OK))
        if act.again:
            await self._slack.redeliver(seen.delivery)

    async def _wrote(self, message: Message, *, again: bool) -> None:
        at = message.posted_at.timestamp() if message.posted_at else time.time()
        self.asked.append(Asked(f"slack:T1:{message.channel}:{message.ts}", at))
        if again:
            for each in [seen.delivery for seen in self._slack.attempts[-200:]]:
                event = each.payload.get("event")
                if isinstance(event, dict) and event.get("ts") == message.ts:
                    await self._slack.redeliver(each)
                    break
