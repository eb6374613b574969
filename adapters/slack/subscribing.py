"""`subscribe` and `unsubscribe` in Slack, and the button under an alert."""

import asyncio
from collections.abc import Mapping
from typing import Any

from slack_bolt.async_app import AsyncAck, AsyncApp
from slack_bolt.response import BoltResponse
from slack_sdk.web.async_client import AsyncWebClient

from adapters.slack.commands import COMMAND
from adapters.slack.parts import SlackParts
from adapters.slack.web_api import SlackClients, called
from bot import wording_alerts as wording
from bot.messages import Actor
from bot.render.blocks import context, sections
from bot.render.mrkdwn import escape, shortened
from bot.render.slack_view import SlackAction
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
        return _to_channel([wording.unsubscribed(_mention(user), ended)])

    def _begun(self, done: Subscribed, user: str) -> Message:
        filters, rhythm = done.wish.filters, done.wish.rhythm
        if not done.is_new:
            return _to_channel([wording.rhythm_changed(_mention(user), filters, rhythm, self._names)])
        said = wording.subscribed(_mention(user), filters, rhythm, self._hour, self._names)
        notes = [_note(each, self._names) for each in done.wish.notes]
        return _to_channel([said, wording.subscribed_what(COMMAND)], notes)

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


def add_unsubscribe(bolt: AsyncApp, parts: SlackParts) -> None:
    """The button ends the subscriptions it was shown for, of the channel in which it is clicked."""

    async def stop(ack: AsyncAck, body: dict[str, Any]) -> BoltResponse:
        clicked = _clicked(body)
        if clicked is None or parts.subscribing is None:
            return BoltResponse(status=400)
        actor, channel, ids = clicked
        try:
            async with asyncio.timeout(_WRITE_SECONDS):
                ended = await parts.subscribing.unsubscribe(actor, channel, ids)
                left = len(await parts.subscribing.of_channel(actor, channel))
        except (Unavailable, TimeoutError):
            said = wording.subscribing_failed(f"{COMMAND} unsubscribe")
            parts.tasks.start(_tell_user(parts, actor, channel, said), "unsubscribe")
            return await ack()
        if ended:
            said = wording.unsubscribed_one(_mention(actor.person), left)
            parts.tasks.start(_tell_channel(parts, actor, channel, said), "unsubscribe")
        else:
            parts.tasks.start(_tell_user(parts, actor, channel, wording.nothing_subscribed(COMMAND)), "unsubscribe")
        return await ack()

    bolt.action(SlackAction.UNSUBSCRIBE.value)(stop)


def _clicked(body: Mapping[str, Any]) -> tuple[Actor, str, tuple[str, ...]] | None:
    """Who clicked, where, and which subscriptions; None for what Slack does not send."""
    try:
        team, user, channel = body["user"]["team_id"], body["user"]["id"], body["channel"]["id"]
        [action] = body["actions"]
        value = action["value"]
    except (KeyError, TypeError, ValueError):
        return None
    team = (body.get("team") or {}).get("id") or team
    if not all(isinstance(each, str) and each for each in (team, user, channel, value)):
        return None
    ids = tuple(each for each in value.split(",") if each)
    return (Actor("slack", team, user), channel, ids) if ids else None


async def _tell_channel(parts: SlackParts, actor: Actor, channel: str, text: str) -> None:
    client = await parts.clients.of(actor.workspace)
    await called(client.chat_postMessage(channel=channel, unfurl_links=False, unfurl_media=False, **_said([text])))


async def _tell_user(parts: SlackParts, actor: Actor, channel: str, text: str) -> None:
    client: AsyncWebClient = await parts.clients.of(actor.workspace)
    await called(client.chat_postEphemeral(channel=channel, user=actor.person, **_said([escape(text)])))


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


def _mention(user: str) -> str:
    """Of who typed or clicked: Slack's own id."""
    return f"<@{user}>" if user.isalnum() else escape(user)


def _only_to_user(text: str) -> Message:
    return {"response_type": "ephemeral", **_said([escape(text)])}


def _to_channel(lines: list[str], notes: list[str] | None = None) -> Message:
    return {"response_type": "in_channel", **_said(lines, notes or [])}


def _said(lines: list[str], notes: list[str] | None = None) -> dict[str, Any]:
    """Lines of mrkdwn; `notes` in small print."""
    blocks = [*sections(lines), *([context("\n".join(notes)[:_LINE])] if notes else [])]
    return {"text": "\n".join([*lines, *(notes or [])]), "blocks": blocks}
