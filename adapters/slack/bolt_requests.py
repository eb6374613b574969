"""What Slack sends, as Bolt takes it: the same from HTTP and from Socket Mode."""

import asyncio
import json
import logging
from collections.abc import Mapping

from slack_bolt.async_app import AsyncApp
from slack_bolt.request.async_request import AsyncBoltRequest
from slack_bolt.response import BoltResponse

from rag_core.errors import Rejected

_log = logging.getLogger(__name__)

DISPATCH_SECONDS = 2.9
"""Slack gives up after 3 s: then it tells people so, and delivers events again."""


async def dispatched(bolt: AsyncApp, asked: AsyncBoltRequest) -> BoltResponse:
    """What the app answers; 503 where that takes too long, and nothing of it goes on behind Slack's back."""
    try:
        async with asyncio.timeout(DISPATCH_SECONDS):
            return await bolt.async_dispatch(asked)
    except TimeoutError:
        _log.warning("slack request not taken in time")
        return BoltResponse(status=503)


def bolt_request(fields: Mapping[str, object], *, over_socket: bool = False) -> AsyncBoltRequest:
    """Raises Rejected("slack_request_unreadable") for valid JSON of no shape that Slack sends.

    No header is passed on: some make Bolt run in another way, and Slack's signature does not cover them.
    """
    if not _is_of_its_kind(fields):
        raise Rejected("slack_request_unreadable")
    try:
        if over_socket:
            return AsyncBoltRequest(mode="socket_mode", body=dict(fields))
        return AsyncBoltRequest(body=json.dumps(fields))
    except (AttributeError, KeyError, TypeError) as exc:
        raise Rejected("slack_request_unreadable") from exc


def is_only_told(fields: Mapping[str, object]) -> bool:
    """Whether nothing can be done about it: that Slack left out events for a minute."""
    return fields.get("type") == "app_rate_limited"


def _is_of_its_kind(fields: Mapping[str, object]) -> bool:
    """Whether there is what Bolt takes for granted: it looks no further before it reads it."""
    match fields.get("type"):
        case "event_callback":
            return _has_texts(fields.get("event"), "type")
        case "view_submission" | "view_closed":
            return _has_texts(fields.get("view"), "type", "callback_id")
        case "block_actions" | "interactive_message":
            actions = fields.get("actions")
            return isinstance(actions, list) and bool(actions) and isinstance(actions[0], dict)
        case _:
            return True


def _has_texts(part: object, *names: str) -> bool:
    return isinstance(part, dict) and all(isinstance(part.get(name), str) for name in names) and bool(part["type"])
