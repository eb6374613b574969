"""Who calls, hand-written: by a bearer token, or always the same."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from aiohttp import web

from adapters.web.callers import Caller
from adapters.web.problems import RequestRefused


@dataclass
class FakeCallers:
    """Whoever calls is `anybody`, unless `known` has the request's bearer token; None: nobody else is let in."""

    anybody: Caller | None = None
    known: Mapping[str, Caller] = field(default_factory=dict)

    async def caller(self, request: web.Request) -> Caller:
        scheme, _, token = request.headers.get("Authorization", "").partition(" ")
        found = self.known.get(token) if scheme.lower() == "bearer" else None
        if found is None and self.anybody is None:
            raise RequestRefused(401, "credentials_invalid")
        return found or self.anybody  # type: ignore[return-value]  # one of them is somebody
