"""The slash command as Slack sends it, and its `subscribe` and `unsubscribe`."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from adapters.slack.access import said_outside
from adapters.slack.addresses import SlackAddress
from adapters.slack.client import SlackClients, called
from adapters.slack.messages import unescaped
from adapters.slack.payloads import enterprise_of
from bot.alerts.subscribing import Subscribing, SubscriptionCommands, SubscriptionSaid
from bot.model.messages import Actor
from bot.render.blocks import context, sections
from bot.render.mrkdwn import escape
from bot.wording import alerts as wording
from rag_core.errors import Rejected, Unavailable

COMMAND = "/adpolicy"
RESPONSE_URL = "slack.response_url"
"""`ReplyAddress.kind` of a command as older versions kept it; fields: response_url, team, channel, user."""


def command_text(fields: Mapping[str, object]) -> str:
    """What was typed after the command: Slack escapes three characters in it, and only these."""
    text = fields.get("text")
    if not isinstance(text, str):
        return ""
    return unescaped(text).strip()


def address_of(fields: Mapping[str, object]) -> SlackAddress:
    """Where a command is answered: for everybody in the channel, unless changed. Raises Rejected when a field that
    Slack always sends is missing."""
    team = _required(fields, "team_id")
    return SlackAddress(
        team=team,
        channel=_required(fields, "channel_id"),
        user=_required(fields, "user_id"),
        enterprise=enterprise_of(fields),
        response_url=_required(fields, "response_url"),
        outside=said_outside(fields, team),
    )


def claim_key(fields: Mapping[str, object]) -> str:
    """The same for every delivery. Raises Rejected."""
    return f"slack:{_required(fields, 'team_id')}:{_required(fields, 'trigger_id')}"


def _required(fields: Mapping[str, object], name: str) -> str:
    found = fields.get(name)
    if not isinstance(found, str) or not found:
        raise Rejected("slack_field_missing", field=name)
    return found


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
