"""What goes wrong on demand: the next answers of an endpoint."""

import asyncio
from collections import defaultdict, deque
from dataclasses import dataclass

from aiohttp import web


@dataclass(frozen=True, slots=True)
class Trouble:
    """An answer in place of the real one: after `delay` seconds, with `status` and Slack's `error` code.

    `after_doing`: the request is carried out first, so that only the answer is lost.
    """

    status: int = 500
    error: str = "internal_error"
    retry_after: int | None = None
    delay: float = 0.0
    after_doing: bool = False

    async def answer(self) -> web.Response:
        await asyncio.sleep(self.delay)
        headers = {} if self.retry_after is None else {"Retry-After": str(self.retry_after)}
        return web.json_response({"ok": False, "error": self.error}, status=self.status, headers=headers)


def rate_limited(retry_after: int) -> Trouble:
    return Trouble(429, "ratelimited", retry_after)


class Troubles:
    """Troubles to come, by endpoint: "response_url", or a method of the API ("chat.postMessage")."""

    def __init__(self) -> None:
        self._queues: defaultdict[str, deque[Trouble]] = defaultdict(deque)

    def add(self, endpoint: str, trouble: Trouble, times: int = 1) -> None:
        self._queues[endpoint].extend([trouble] * times)

    def next(self, endpoint: str) -> Trouble | None:
        queue = self._queues[endpoint]
        return queue.popleft() if queue else None
