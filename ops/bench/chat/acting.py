"""People in the stand-in's workspace who do what a load says, and the questions that came of it."""

import time

from ops.bench.chat.counting import Asked
from ops.bench.chat.schedule import Act, Way
from ops.sandbox.slack import SlackStandIn
from ops.sandbox.slack.workspace import Message

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


class Acting:
    """`asked` grows with each question that was delivered; `broken` counts malformed ones that broke the server."""

    def __init__(self, slack: SlackStandIn) -> None:
        self.asked: list[Asked] = []
        self.broken = 0
        self._slack = slack
        self._roots: dict[str, str] = {}

    async def act(self, act: Act) -> None:
        """Returns when the bot has acknowledged, or has not in time."""
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
