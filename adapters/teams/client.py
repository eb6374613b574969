"""One HTTP call to Microsoft: bounded, without redirects, with what its answer says of waiting and of errors."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import Any

import aiohttp
from yarl import URL

Json = Mapping[str, Any]

NOT_SENT = (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError)
"""Errors before anything was written to the other side."""

FAILED = (aiohttp.ClientError, TimeoutError, OSError)

_MOST_READ = 4_194_304
_LONGEST_CODE = 60


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Json:
        """The object in it; an empty one for anything else."""
        try:
            found = json.loads(self.body)
        except (ValueError, RecursionError):
            return {}
        return found if isinstance(found, dict) else {}

    @property
    def retry_after(self) -> float | None:
        """Seconds that it asks to wait; None where it does not say."""
        return retry_seconds(self.headers.get("Retry-After", ""), datetime.now(UTC))

    @property
    def error(self) -> str:
        """Its own code: Graph and the connector say {"error": {"code": ...}}, log-in {"error": "invalid_client"}."""
        error = self.json.get("error")
        code = error.get("code") if isinstance(error, dict) else error
        is_code = isinstance(code, str) and code.replace("_", "").isalnum()
        return str(code)[:_LONGEST_CODE] if is_code else f"http_{self.status}"

    @property
    def is_ok(self) -> bool:
        return HTTPStatus.OK <= self.status < HTTPStatus.MULTIPLE_CHOICES


async def call(
    session: aiohttp.ClientSession,
    method: str,
    address: URL,
    *,
    headers: Mapping[str, str] | None = None,
    json_body: Json | None = None,
    data: bytes | Mapping[str, str] | None = None,
    times: aiohttp.ClientTimeout | None = None,
) -> Answer:
    """What was answered, whatever its status. `times`: the session's unless another is given.

    Raises one of FAILED, NOT_SENT among them.
    """
    # a redirect would carry the token to a host that nobody checked
    async with session.request(
        method,
        address,
        headers=headers,
        json=json_body,
        data=data,
        timeout=times or session.timeout,
        allow_redirects=False,
    ) as response:
        text = b""
        while len(text) < _MOST_READ and (more := await response.content.read(_MOST_READ - len(text))):
            text += more
        return Answer(response.status, dict(response.headers), text)


def retry_seconds(asked: str, now: datetime) -> float | None:
    """What a Retry-After says: seconds, or the moment to wait for (RFC 9110)."""
    if asked.isascii() and asked.isdigit() and len(asked) < 7:
        return float(asked)
    try:
        until = parsedate_to_datetime(asked)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    until = until if until.tzinfo else until.replace(tzinfo=UTC)
    return max(0.0, (until - now).total_seconds())
