"""What goes wrong on demand: the next answers of an endpoint."""

import asyncio
from dataclasses import dataclass, replace

from aiohttp import web

from ops.sandbox.to_come import InTurn


@dataclass(frozen=True, slots=True)
class Trouble:
    """An answer in place of the real one: after `delay` seconds, with `status` and Slack's `error` code.

    `after_doing`: the request is carried out first, so that only the answer is lost. `cut`: the connection is
    closed instead of answering. `status` 200 with no `error` is a slow answer, but the real one.
    """

    status: int = 500
    error: str = "internal_error"
    retry_after: int | None = None
    delay: float = 0.0
    after_doing: bool = False
    cut: bool = False

    @property
    def only_slow(self) -> bool:
        return self.status == 200 and not self.error and not self.cut

    async def answer(self, request: web.Request | None = None) -> web.Response:
        await asyncio.sleep(self.delay)
        if self.cut and request is not None and request.transport is not None:
            request.transport.close()
        headers = {} if self.retry_after is None else {"Retry-After": str(self.retry_after)}
        return web.json_response({"ok": False, "error": self.error}, status=self.status, headers=headers)


def rate_limited(retry_after: int) -> Trouble:
    return Trouble(429, "ratelimited", retry_after)


def refused(error: str) -> Trouble:
    """`ok: false` with this code, status 200, as Slack says no."""
    return Trouble(200, error)


def slow(seconds: float) -> Trouble:
    """The real answer, late."""
    return Trouble(200, "", delay=seconds)


def cut(*, after_doing: bool = False) -> Trouble:
    """No answer: the connection breaks before or after the request is carried out."""
    return replace(Trouble(after_doing=after_doing), cut=True)


Troubles = InTurn[Trouble]
"""To come, by endpoint: "response_url", or a method of the API ("chat.postMessage")."""
