"""What goes wrong on demand: the next answers of an operation."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field

from aiohttp import web

from ops.sandbox.to_come import InTurn


@dataclass(frozen=True, slots=True)
class Trouble:
    """An answer in place of the real one, after `delay` seconds. `after_doing`: the request is carried out first, so
    that only the answer is lost. `cut`: the connection is closed in place of an answer. `status` 0: the real answer,
    late."""

    status: int = 502
    code: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0
    after_doing: bool = False
    cut: bool = False

    @property
    def only_slow(self) -> bool:
        return not self.status and not self.cut

    async def answer(self, request: web.Request) -> web.Response:
        await asyncio.sleep(self.delay)
        if self.cut and request.transport is not None:
            request.transport.close()
        body = {"error": {"code": self.code or _CODES.get(self.status, "ServiceError"), "message": "trouble"}}
        return web.json_response(body, status=self.status or 500, headers=dict(self.headers))


_CODES = {429: "Throttled", 412: "PreconditionFailed", 502: "BadGateway", 504: "GatewayTimeout"}


def slow(seconds: float) -> Trouble:
    return Trouble(0, delay=seconds)


def cut(*, after_doing: bool = False) -> Trouble:
    """No answer: the connection breaks before or after the request is carried out."""
    return Trouble(after_doing=after_doing, cut=True)


Troubles = InTurn[Trouble]
"""To come, by operation: "POST", "PUT", "DELETE" of activities, "typing", "stream", "create", "members"."""
