"""Looking in Slack for what we may have posted: by the answer's id in the metadata of a message."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from slack_sdk.web.async_client import AsyncWebClient

from adapters.slack.web_api import called
from bot.render.slack.message import EVENT_TYPE
from rag_core.errors import Rejected

_PAGE, _MOST_PAGES = 200, 5


@dataclass(frozen=True, slots=True)
class Found:
    """`is_whole`: it is the terminal message; else what a stream left behind."""

    ts: str
    is_whole: bool


async def find_reply(client: AsyncWebClient, channel: str, thread: str, since: str, answer_id: str) -> Found | None:
    """None: it is not there, or nobody lets us look. Raises Unavailable (`slack_rate_limited`: for apps outside the
    Marketplace Slack allows one look a minute)."""
    cursor = ""
    for _ in range(_MOST_PAGES):
        try:
            page = await called(_read(client, channel, thread, since, cursor))
        except Rejected:
            return None
        if found := _among(page.get("messages"), answer_id, in_thread=bool(thread)):
            return found
        cursor = str((page.get("response_metadata") or {}).get("next_cursor") or "")
        if not cursor:
            return None
    return None


def _read(client: AsyncWebClient, channel: str, thread: str, since: str, cursor: str) -> Any:
    asked: dict[str, Any] = {"channel": channel, "oldest": since, "limit": _PAGE, "include_all_metadata": True}
    asked |= {"cursor": cursor} if cursor else {}
    return client.conversations_replies(ts=thread, **asked) if thread else client.conversations_history(**asked)


def _among(messages: object, answer_id: str, *, in_thread: bool) -> Found | None:
    half = ""
    for each in messages if isinstance(messages, list) else []:
        if not isinstance(each, Mapping):
            continue
        if _answers(each, answer_id):
            return Found(str(each.get("ts")), is_whole=True)
        # a stream has no metadata before its end; another app's we are not allowed to change
        if in_thread and each.get("streaming_state") and not each.get("metadata"):
            half = str(each.get("ts"))
    return Found(half, is_whole=False) if half else None


def _answers(message: Mapping[str, Any], answer_id: str) -> bool:
    metadata = message.get("metadata")
    if not isinstance(metadata, Mapping) or metadata.get("event_type") != EVENT_TYPE:
        return False
    payload = metadata.get("event_payload")
    return isinstance(payload, Mapping) and payload.get("answer_id") == answer_id
