"""Errors as RFC 9457 problem details: what happened and what to do next, never how it happened inside."""

import json
import logging
import math
import uuid
from collections.abc import Awaitable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from aiohttp import web

from bot import wording
from bot.wording import rest
from rag_core.errors import Rejected, Unavailable

_log = logging.getLogger(__name__)
_T = TypeVar("_T")

PROBLEM_JSON = "application/problem+json"
RETRY_AFTER_SECONDS = "5"

_TOO_SLOW = "too_slow"
_DEFAULT_WAIT = 60
_CODES = {404: "not_found", 405: "method_not_allowed", 413: "body_too_large"}


@dataclass(frozen=True, slots=True)
class Problem:
    """`code` is stable, for programs; title and detail are for people; `members`: further facts (`known`, `errors`)."""

    status: int
    code: str
    title: str
    detail: str
    members: Mapping[str, object] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)

    def as_json(self) -> dict[str, object]:
        return {
            **self.members,
            "type": f"urn:adpolicy:problem:{self.code}",
            "title": self.title,
            "status": self.status,
            "detail": self.detail,
            "code": self.code,
        }

    def as_response(self) -> web.Response:
        body = json.dumps(self.as_json(), default=str).encode()
        return web.Response(body=body, status=self.status, content_type=PROBLEM_JSON, headers=self.headers)


class RequestRefused(Exception):
    """The HTTP request is none that can be served, for a reason outside policies; `code` picks the sentence."""

    def __init__(self, status: int, code: str, headers: Mapping[str, str] | None = None, **members: object) -> None:
        words = rest.request_problem(code, members)
        self.problem = Problem(status, code, words.title, words.detail, members, headers or {})
        super().__init__(f"{status} {code}")


async def attempt(work: Awaitable[_T]) -> _T | Problem:
    """What `work` returns, or the problem it ended in. Redirects pass.

    The listener's outer edge: whatever is raised inside becomes a message here, logged under an id if unexpected.
    """
    try:
        return await work
    except web.HTTPException as exc:
        if exc.status < 400:
            raise
        return _of_http(exc)
    except Exception as exc:  # noqa: BLE001 - the edge: without it a defect would end as the server's own bare 500
        return _of(exc)


def _of(exc: Exception) -> Problem:
    match exc:
        case RequestRefused():
            return exc.problem
        case Rejected(code="rate_limited" | "requests_limited" | "attempts_limited" | "questions_waiting"):
            return _too_many(exc)
        case Rejected():
            return _problem(422, exc.code, rest.request_problem(exc.code, exc.details), exc.details)
        case Unavailable():
            return _unavailable(exc.code)
        case TimeoutError():
            return _unavailable(_TOO_SLOW)
        case _:
            return _unexpected(exc)


def _problem(status: int, code: str, words: wording.Problem, members: Mapping[str, object]) -> Problem:
    return Problem(status, code, words.title, words.detail, members)


def _too_many(exc: Rejected) -> Problem:
    words = rest.request_problem(exc.code, exc.details)
    wait = exc.details.get("seconds")
    seconds = math.ceil(wait) if isinstance(wait, int | float) else _DEFAULT_WAIT
    return Problem(429, exc.code, words.title, words.detail, exc.details, {"Retry-After": str(max(1, seconds))})


def _unavailable(code: str) -> Problem:
    reference = _reference()
    _log.warning("%s: a request got no answer, reference %s", code, reference)
    words = rest.unavailable(code, reference)
    return Problem(503, code, words.title, words.detail, {"id": reference}, {"Retry-After": RETRY_AFTER_SECONDS})


def _of_http(exc: web.HTTPException) -> Problem:
    code = _CODES.get(exc.status, "bad_request")
    words = rest.request_problem(code, {})
    headers = {"Allow": exc.headers["Allow"]} if "Allow" in exc.headers else {}
    return Problem(exc.status, code, words.title, words.detail, headers=headers)


def _unexpected(exc: Exception) -> Problem:
    facts = {"id": _reference()}
    _log.error("unexpected error %s on the web listener", facts["id"], exc_info=exc)
    return _problem(500, "internal", rest.request_problem("internal", facts), facts)


def _reference() -> str:
    return uuid.uuid4().hex[:12]
