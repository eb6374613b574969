"""What goes wrong on demand: the next answers of an endpoint."""

import asyncio
from collections import defaultdict, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from aiohttp import web


@dataclass(frozen=True, slots=True)
class Trouble:
    """An answer in place of the real one: after `delay` seconds, with `status` and the platform's `error` code.
    An `error` of None is the platform's usual one.

    `after_doing`: the request is carried out first, so that only the answer is lost. `cut`: the connection is
    closed instead of answering. `status` 200 with no `error` is a slow answer, but the real one.
    """

    status: int = 500
    error: str | None = None
    retry_after: int | None = None
    delay: float = 0.0
    after_doing: bool = False
    cut: bool = False
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def only_slow(self) -> bool:
        return self.status == 200 and self.error == "" and not self.cut


def slow(seconds: float) -> Trouble:
    """The real answer, late."""
    return Trouble(200, "", delay=seconds)


def cut(*, after_doing: bool = False) -> Trouble:
    """No answer: the connection breaks before or after the request is carried out."""
    return Trouble(after_doing=after_doing, cut=True)


def rate_limited(retry_after: int) -> Trouble:
    return Trouble(429, "ratelimited", retry_after)


def refused(error: str) -> Trouble:
    """`ok: false` with this code, status 200, as Slack says no."""
    return Trouble(200, error)


class Troubles:
    """To come, by endpoint, in turn. `body`: what the platform says in such an answer."""

    def __init__(self, body: Callable[[Trouble], object]) -> None:
        self._body = body
        self._queues: defaultdict[str, deque[Trouble]] = defaultdict(deque)

    def add(self, endpoint: str, trouble: Trouble, times: int = 1) -> None:
        self._queues[endpoint].extend([trouble] * times)

    async def answer(
        self,
        endpoint: str,
        request: web.Request,
        act: Callable[[], web.Response],
        passed_over: Callable[[Trouble], None] = lambda _: None,
    ) -> web.Response:
        """What `act` answers, or the trouble that is next; `passed_over` is told of one for which nothing is done."""
        queue = self._queues.get(endpoint)
        trouble = queue.popleft() if queue else None
        if trouble is None:
            return act()
        if trouble.only_slow:
            await asyncio.sleep(trouble.delay)
            return act()
        if trouble.after_doing:
            act()
        else:
            passed_over(trouble)
        await asyncio.sleep(trouble.delay)
        if trouble.cut and request.transport is not None:
            request.transport.close()
        later = {} if trouble.retry_after is None else {"Retry-After": str(trouble.retry_after)}
        return web.json_response(self._body(trouble), status=trouble.status, headers={**trouble.headers, **later})
