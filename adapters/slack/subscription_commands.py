"""`subscribe` and `unsubscribe` in Slack: from what was typed to the message that answers it."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from adapters.slack.commands import COMMAND
from adapters.slack.web_api import SlackClients, called
from bot.alerts.subscribing import Subscribing, SubscriptionCommands, SubscriptionSaid
from bot.model.messages import Actor
from bot.render.blocks import context, sections
from bot.render.mrkdwn import escape
from bot.wording import alerts as wording
from rag_core.errors import Rejected, Unavailable

Message = dict[str, object]
"""`text`, `blocks` and `response_type`, as an acknowledgement or a `response_url` takes them."""

CHECK_SECONDS = 1.0
_LINE = 600


class SlackSubscribing:
    """The commands. What goes well the whole channel reads, with who did it; the rest only he. `hour`: of digests."""

    def __init__(self, subscribing: Subscribing, clients: SlackClients, names: Mapping[str, str], hour: int) -> None:
        self._commands = SubscriptionCommands(subscribing, names, hour, COMMAND)
        self._clients = clients

    async def run_subscribe(self, team: str, channel: str, user: str, text: str) -> Message:
        """`text`: what stands behind `subscribe`, with `daily` or `weekly` in front if that is wanted."""
        if not await self._may_post(team, channel):
            return _message(SubscriptionSaid((wording.invite_first(COMMAND),)))
        return _message(await self._commands.subscribe(Actor("slack", team, user), channel, text, mention(user)))

    async def run_unsubscribe(self, team: str, channel: str, user: str, _: str = "") -> Message:
        return _message(await self._commands.unsubscribe(Actor("slack", team, user), channel, mention(user)))

    async def stop(self, actor: Actor, channel: str, subscription_ids: Sequence[str]) -> SubscriptionSaid:
        """Ends these of the channel."""
        return await self._commands.stop(actor, channel, subscription_ids, mention(actor.person))

    async def _may_post(self, team: str, channel: str) -> bool:
        """False only where Slack says so: without the scope to ask nobody knows, and the first alert tells."""
        if channel.startswith("D"):
            return True
        try:
            async with asyncio.timeout(CHECK_SECONDS):
                client = await self._clients.of(team)
                answer = await called(client.conversations_info(channel=channel))
        except Rejected as exc:
            return exc.code != "slack_not_in_channel"
        except (Unavailable, TimeoutError):
            return True
        found: Any = answer.get("channel") or {}
        return found.get("is_member", True) is not False


def mention(user: str) -> str:
    """Of who typed or clicked: Slack's own id."""
    return f"<@{user}>" if user.isalnum() else escape(user)


def told(found: SubscriptionSaid) -> dict[str, Any]:
    """As mrkdwn: in public lines stands a mention, the rest is plain text."""
    lines = list(found.lines) if found.is_public else [escape(each) for each in found.lines]
    notes = [escape(each) for each in found.notes]
    blocks = [*sections(lines), *([context("\n".join(notes)[:_LINE])] if notes else [])]
    return {"text": "\n".join([*lines, *notes]), "blocks": blocks}


def _message(found: SubscriptionSaid) -> Message:
    return {"response_type": "in_channel" if found.is_public else "ephemeral", **told(found)}
