"""Notices in Slack: rendered by kind, posted once, looked for where nobody knows whether they were."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from slack_sdk.web.async_client import AsyncWebClient

from adapters.slack.client import SlackClients, called
from adapters.slack.delivery.posting import SlackPoster
from bot.model.messages import Conversation
from bot.model.notices import TURN_SECONDS, Notice, NoticeKind, NoticeLease, Renderer, subject_of
from bot.model.posted import MessagePlace, Posted, PostedMessages
from bot.questions.pace import channel_name
from rag_core.errors import Rejected, Unavailable

EVENT_TYPE = "adpolicy_notice"
_LOOKED_THROUGH = 100
_EARLIER_SECONDS = 120.0
"""Clocks differ: messages from so long before it was queued are looked through as well."""


class SlackNoticeSink:
    """NoticeSink. A kind joins by a line in `renderers`. Without `posted` nobody can find the messages again.

    Its messages take turns in each channel with all others of ours: a turn that is more than TURN_SECONDS away is not
    waited for, since a worker serves many channels.
    """

    def __init__(
        self,
        clients: SlackClients,
        renderers: Mapping[NoticeKind, Renderer],
        posted: PostedMessages | None,
        poster: SlackPoster,
        now: Callable[[], datetime],
    ) -> None:
        self._clients = clients
        self._renderers = renderers
        self._posted = posted
        self._poster = poster
        self._now = now
        self._unsaved: dict[str, tuple[str, str]] = {}

    async def send(self, lease: NoticeLease) -> None:
        notice = lease.notice
        place = self._unsaved.get(notice.notice_id) or await self._place(lease)
        if place is None:
            return
        self._unsaved[notice.notice_id] = place  # until it is written down: it must not be posted again for that
        await self._save(notice, *place)
        del self._unsaved[notice.notice_id]

    async def _place(self, lease: NoticeLease) -> tuple[str, str] | None:
        """Channel and ts of the message, there already or posted now; None: there is nothing to say."""
        notice = lease.notice
        render = self._renderers.get(notice.kind)
        if render is None:
            raise Rejected("notice_kind_unknown", kind=notice.kind.value)
        try:
            client = await self._clients.of(notice.workspace)
            if lease.was_sending and (found := await _find(client, notice)):
                return found
            message = await render(notice)
            if message is not None:
                await self._poster.turn(
                    channel_name(Conversation("slack", notice.workspace, notice.channel)), TURN_SECONDS
                )
        except Unavailable as exc:  # nothing was posted by now: whoever tries again need not look for it
            raise Unavailable(exc.code, **{**exc.details, "delivered": "no"}) from exc
        return None if message is None else await _post(client, notice, message)

    async def _save(self, notice: Notice, channel: str, ts: str) -> None:
        about = subject_of(notice)
        if self._posted is None or about is None or not ts:
            return
        place = MessagePlace("slack", notice.workspace, channel, ts, notice.thread or ts)
        await self._posted.save(Posted(place, *about, self._now()))


async def _post(client: AsyncWebClient, notice: Notice, message: Mapping[str, object]) -> tuple[str, str]:
    arguments: dict[str, Any] = {
        "unfurl_links": False,
        "unfurl_media": False,
        **message,
        "metadata": {"event_type": EVENT_TYPE, "event_payload": {"notice_id": notice.notice_id}},
    }
    if notice.thread:
        arguments["thread_ts"] = notice.thread
    answer = await called(client.chat_postMessage(channel=notice.channel, **arguments))
    return str(answer.get("channel") or notice.channel), str(answer.get("ts") or "")


async def _find(client: AsyncWebClient, notice: Notice) -> tuple[str, str] | None:
    """Channel and ts of the notice's message among the newest ones. None as well where the scopes do not let us look:
    then it is posted, and may be there twice; nothing may be lost."""
    try:
        channel = await _conversation(client, notice.channel)
        oldest = str(notice.queued_at.timestamp() - _EARLIER_SECONDS)
        seen: dict[str, Any] = {
            "channel": channel, "oldest": oldest, "limit": _LOOKED_THROUGH, "include_all_metadata": True,
        }  # fmt: skip
        look = (
            client.conversations_replies(ts=notice.thread, **seen)
            if notice.thread
            else client.conversations_history(**seen)
        )
        answer = await called(look)
    except Rejected as exc:
        if exc.code == "slack_refused":
            return None
        raise
    for message in answer.get("messages") or ():
        metadata = message.get("metadata") or {}
        told = metadata.get("event_payload") or {}
        if metadata.get("event_type") == EVENT_TYPE and told.get("notice_id") == notice.notice_id:
            return channel, str(message.get("ts") or "")
    return None


async def _conversation(client: AsyncWebClient, channel: str) -> str:
    """Of a person: the conversation that messages to him are in."""
    if not channel.startswith(("U", "W")):
        return channel
    answer = await called(client.conversations_open(users=channel))
    return str((answer.get("channel") or {}).get("id") or channel)
