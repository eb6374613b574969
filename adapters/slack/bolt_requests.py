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
    if fields.get("type") == "event_callback" and not _names_its_kind(fields.get("event")):
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


def _names_its_kind(event: object) -> bool:
    return isinstance(event, dict) and isinstance(event.get("type"), str) and bool(event["type"])
