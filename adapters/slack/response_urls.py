"""Posting to a `response_url`: which addresses are believed, and what Slack's answers mean."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus

import aiohttp
from yarl import URL

from rag_core.errors import Rejected, Unavailable

HOOKS = ("https", "hooks.slack.com", 443)
_TIMEOUT = aiohttp.ClientTimeout(total=8.0, connect=3.0)
_MOST_READ = 4096
_CODE = re.compile(r"[a-z][a-z_]{2,60}")

_SLOW_DOWN = frozenset({"ratelimited", "rate_limited", "message_limit_exceeded"})
_DOWN = frozenset({"internal_error", "fatal_error", "service_unavailable", "request_timeout", "rollup_error"})
_BLOCKS_REFUSED = frozenset({"invalid_blocks", "invalid_blocks_format", "msg_blocks_too_long"})
_GONE = frozenset(
    {
        "used_url", "expired_url", "no_channel", "channel_not_found", "not_in_channel", "is_archived",
        "channel_is_archived", "no_team", "team_disabled", "no_service", "no_active_hooks", "user_not_found",
        "account_inactive", "token_revoked", "restricted_action",
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class SlackResponse:
    """What Slack answered: `error` is its code ("" = posted), `retry_after` the seconds it asks to wait."""

    status: int
    error: str
    retry_after: float


def trusted(address: str, api_url: str) -> URL:
    """`address` as a URL, if it is Slack's own or belongs to the configured API's host (a stand-in).

    Raises Rejected: what is posted there is an answer, and a stored address may have been tampered with.
    """
    try:
        url, api = URL(address), URL(api_url)
    except ValueError as exc:
        raise Rejected("reply_address_refused") from exc
    if url.absolute and url.user is None and _origin(url) in (HOOKS, _origin(api)):
        return url
    raise Rejected("reply_address_refused", host=url.host)


def _origin(url: URL) -> tuple[str, str | None, int | None]:
    return url.scheme, url.host, url.port


async def post(session: aiohttp.ClientSession, url: URL, message: Mapping[str, object]) -> SlackResponse:
    """Posts once. Raises Unavailable when nothing came back; `delivered` is "no" or "unknown"."""
    try:
        # A redirect would carry the answer to a host that nobody checked.
        async with session.post(url, json=message, timeout=_TIMEOUT, allow_redirects=False) as response:
            body = await response.content.read(_MOST_READ)
            return SlackResponse(response.status, _error(response.status, body), _seconds(response))
    except (aiohttp.ClientError, TimeoutError) as exc:
        raise _translate(exc) from exc


def blocks_refused(response: SlackResponse) -> bool:
    """Slack does not take these blocks; text alone may pass."""
    return response.error in _BLOCKS_REFUSED


def raise_for(response: SlackResponse) -> None:
    """Nothing if the message was posted, else Unavailable (again later) or Rejected (never)."""
    status, error = response.status, response.error
    if status == HTTPStatus.TOO_MANY_REQUESTS or error in _SLOW_DOWN:
        raise Unavailable("slack_rate_limited", retry_after=response.retry_after)
    if error in _GONE or status in (HTTPStatus.NOT_FOUND, HTTPStatus.GONE):
        raise Rejected("reply_address_gone", error=error)
    if (status >= HTTPStatus.INTERNAL_SERVER_ERROR and not blocks_refused(response)) or error in _DOWN:
        raise Unavailable("slack_error", status=status, error=error)
    if error:
        raise Rejected("reply_refused", status=status, error=error)


def _error(status: int, body: bytes) -> str:
    """Slack answers JSON or a bare code, with or without a status that says so."""
    text = body.decode("utf-8", "replace").strip()
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = {"ok": status == HTTPStatus.OK, "error": text}
    if (isinstance(found, dict) and found.get("ok") is False) or status != HTTPStatus.OK:
        code = str(found.get("error", "")) if isinstance(found, dict) else ""
        return code if _CODE.fullmatch(code) else f"http_{status}"
    return ""


def _seconds(response: aiohttp.ClientResponse) -> float:
    asked = response.headers.get("Retry-After", "")
    return float(asked) if re.fullmatch(r"\d{1,6}", asked, re.ASCII) else 1.0


def _translate(exc: aiohttp.ClientError | TimeoutError) -> Unavailable:
    never_sent = isinstance(exc, aiohttp.ClientConnectorError | aiohttp.ConnectionTimeoutError)
    return Unavailable("slack_unreachable", delivered="no" if never_sent else "unknown")
