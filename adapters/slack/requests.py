"""Slack's requests: signature checked, read within limits, and handed to Bolt."""

import asyncio
import hashlib
import hmac
import json
import logging
from collections.abc import Callable, Mapping
from datetime import datetime
from urllib.parse import parse_qsl

import aiohttp
from aiohttp import web
from slack_bolt.async_app import AsyncApp
from slack_bolt.request.async_request import AsyncBoltRequest
from slack_bolt.response import BoltResponse

from adapters.slack.settings import SlackSettings
from rag_core.errors import Rejected

TIMESTAMP = "X-Slack-Request-Timestamp"
SIGNATURE = "X-Slack-Signature"
MAX_AGE_SECONDS = 300
_LONGEST_TIMESTAMP = 12


def signature(signing_secret: str, timestamp: str, body: bytes) -> str:
    """`v0=` and the hexadecimal HMAC-SHA-256 of `v0:{timestamp}:{body}`."""
    signed = b"v0:" + timestamp.encode() + b":" + body
    return "v0=" + hmac.new(signing_secret.encode(), signed, hashlib.sha256).hexdigest()


def is_signed(signing_secret: str, headers: Mapping[str, str], body: bytes, now: float) -> bool:
    """Whether Slack signed `body` within the last 300 seconds (`now`: Unix time). False for any odd header."""
    timestamp = headers.get(TIMESTAMP, "")
    if not (timestamp.isascii() and timestamp.isdigit() and len(timestamp) <= _LONGEST_TIMESTAMP):
        return False
    if abs(now - int(timestamp)) > MAX_AGE_SECONDS:
        return False
    expected = signature(signing_secret, timestamp, body)
    # aiohttp decodes header bytes that are not UTF-8 to surrogates, and compare_digest refuses non-ASCII text.
    given = headers.get(SIGNATURE, "").encode("utf-8", "surrogateescape")
    return hmac.compare_digest(expected.encode(), given)


MAX_BODY_BYTES = 100_000
READ_SECONDS = 3.0  # Slack itself gives up after 3 s


async def read_signed(
    request: web.Request, settings: SlackSettings, clock: Callable[[], datetime]
) -> dict[str, object] | None:
    """The fields of a request that Slack signed; None for Slack's unsigned check of the certificate.

    Raises the aiohttp answers 401 (not signed, or not now), 413 (too large), 400 (unreadable), 408 (too slow).
    """
    body = await _read(request)
    if _is_certificate_check(body):
        return None
    if not is_signed(settings.signing_secret, request.headers, body, clock().timestamp()):
        raise web.HTTPUnauthorized
    try:
        return _fields(body.decode(), request.content_type)
    except (ValueError, RecursionError) as exc:
        raise web.HTTPBadRequest from exc


async def _read(request: web.Request) -> bytes:
    size = request.content_length or 0
    body = bytearray()
    try:
        async with asyncio.timeout(READ_SECONDS):
            while size <= MAX_BODY_BYTES and (piece := await request.content.readany()):
                body += piece
                size = max(size, len(body))
    except TimeoutError as exc:
        raise web.HTTPRequestTimeout from exc
    except (aiohttp.ClientPayloadError, web.RequestPayloadError) as exc:
        raise web.HTTPBadRequest from exc
    if size > MAX_BODY_BYTES:
        raise web.HTTPRequestEntityTooLarge(max_size=MAX_BODY_BYTES, actual_size=size)
    return bytes(body)


def _is_certificate_check(body: bytes) -> bool:
    """Slack sends `ssl_check=1` unsigned now and then; nothing is done for it, so nobody gains by forging it."""
    return b"ssl_check=1" in body.split(b"&")


def _fields(body: str, content_type: str) -> dict[str, object]:
    """JSON of an event, the JSON in `payload` of an interaction, or the form of a command.

    Bolt looks for the word "payload" anywhere in a form and drops the whole form when it is only a word of the
    question, so it is given JSON in every case.
    """
    if content_type == "application/json":
        return _json_object(body)
    form = dict(parse_qsl(body, keep_blank_values=True, strict_parsing=True))
    if not form:
        raise ValueError(body)
    if "payload" in form:
        return _json_object(form["payload"])
    return {**form}


def _json_object(text: str) -> dict[str, object]:
    found: object = json.loads(text)
    if not isinstance(found, dict):
        raise ValueError(text[:20])
    return found


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
