"""`subscribe` and `unsubscribe` in Slack: from what was typed to the message that answers it."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from adapters.slack.commands import COMMAND
from adapters.slack.web_api import SlackClients, called
from bot import wording_alerts as wording
from bot.messages import Actor
from bot.render.blocks import context, sections
from bot.render.mrkdwn import escape, shortened
from bot.subscribing import Subscribed, Subscribing
from bot.wording import region_name, source_name
from rag_core.errors import PolicyBotError, Rejected, Unavailable
from rag_core.questions import ScopeNote

Message = dict[str, object]
"""`text`, `blocks` and `response_type`, as an acknowledgement or a `response_url` takes them."""

CHECK_SECONDS = 1.0
_WRITE_SECONDS = 2.0
_LINE = 600


class SlackSubscribing:
    """The commands. What goes well the whole channel reads, with who did it; the rest only he. `hour`: of digests."""

    def __init__(self, subscribing: Subscribing, clients: SlackClients, names: Mapping[str, str], hour: int) -> None:
        self._subscribing = subscribing
        self._clients = clients
        self._names = names
        self._hour = hour

    async def run_subscribe(self, team: str, channel: str, user: str, text: str) -> Message:
        """`text`: what stands behind `subscribe`, with `daily` or `weekly` in front if that is wanted."""
        try:
            async with asyncio.timeout(_WRITE_SECONDS):
                if not await self._may_post(team, channel):
                    return _only_to_user(wording.invite_first(COMMAND))
                done = await self._subscribing.subscribe(Actor("slack", team, user), channel, text)
        except Rejected as exc:
            return _only_to_user(_why_not(exc))
        except (Unavailable, TimeoutError):
            return _only_to_user(wording.subscribing_failed(f"{COMMAND} subscribe"))
        return self._begun(done, user)

    async def run_unsubscribe(self, team: str, channel: str, user: str, _: str = "") -> Message:
        try:
            async with asyncio.timeout(_WRITE_SECONDS):
                ended = await self._subscribing.unsubscribe(Actor("slack", team, user), channel)
        except (Unavailable, TimeoutError):
            return _only_to_user(wording.subscribing_failed(f"{COMMAND} unsubscribe"))
        if not ended:
            return _only_to_user(wording.nothing_subscribed(COMMAND))
        return _to_channel([wording.unsubscribed(mention(user), ended)])

    async def stop(self, actor: Actor, channel: str, subscription_ids: Sequence[str]) -> tuple[int, int]:
        """Ends these of the channel: how many, and how many it has left. Raises Unavailable, TimeoutError."""
        async with asyncio.timeout(_WRITE_SECONDS):
            ended = await self._subscribing.unsubscribe(actor, channel, subscription_ids)
            return ended, len(await self._subscribing.of_channel(actor, channel))

    def _begun(self, done: Subscribed, user: str) -> Message:
        filters, rhythm = done.wish.filters, done.wish.rhythm
        if not done.is_new:
            return _to_channel([wording.rhythm_changed(mention(user), filters, rhythm, self._names)])
        confirmed = wording.subscribed(mention(user), filters, rhythm, self._hour, self._names)
        notes = [_note(each, self._names) for each in done.wish.notes]
        return _to_channel([confirmed, wording.subscribed_what(COMMAND)], notes)

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


def _why_not(error: PolicyBotError) -> str:
    details = error.details
    if error.code == "unknown_words":
        words: Any = details.get("words", ())
        return wording.unknown_words([shortened(str(each), 40, str) for each in words][:5], COMMAND)
    most: Any = details.get("most", 0)
    if error.code == "too_many_subscriptions":
        return wording.too_many_subscriptions(most, COMMAND)
    return wording.workspace_is_full(most)


def _note(note: ScopeNote, names: Mapping[str, str]) -> str:
    meant = [source_name(each, names) if each in names else region_name(each) for each in note.meant]
    return escape(wording.understood_as(note.said, ", ".join(meant)))


def mention(user: str) -> str:
    """Of who typed or clicked: Slack's own id."""
    return f"<@{user}>" if user.isalnum() else escape(user)


def _only_to_user(text: str) -> Message:
    return {"response_type": "ephemeral", **said([escape(text)])}


def _to_channel(lines: list[str], notes: list[str] | None = None) -> Message:
    return {"response_type": "in_channel", **said(lines, notes or [])}


def said(lines: list[str], notes: list[str] | None = None) -> dict[str, Any]:
    """Lines of mrkdwn; `notes` in small print."""
    blocks = [*sections(lines), *([context("\n".join(notes)[:_LINE])] if notes else [])]
    return {"text": "\n".join([*lines, *(notes or [])]), "blocks": blocks}
