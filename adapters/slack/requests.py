"""What Slack posts: read within limits, checked, and taken apart before Bolt sees it."""

import asyncio
import json
from collections.abc import Callable
from datetime import datetime
from urllib.parse import parse_qsl

import aiohttp
from aiohttp import web

from adapters.slack.settings import SlackSettings
from adapters.slack.signatures import is_signed

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
