"""Who takes the roads, and how the web listener learns who it is: a bench knows its people by a header."""

from collections.abc import Mapping
from dataclasses import dataclass

from aiohttp import web

from adapters.web.callers import ANYBODY, Caller
from bot.model.messages import Actor
from tests.security.access.library import INNER, SECOND

HEADER = "X-Bench-Asker"


@dataclass(frozen=True, slots=True)
class Asker:
    """Somebody with the groups he is in. Two with one `person` are one person at two times."""

    name: str
    groups: frozenset[str] = frozenset()
    person: str = ""

    @property
    def actor(self) -> Actor:
        return Actor("rest", "bench", self.person or self.name)


MEMBERS = (
    Asker("member", frozenset({INNER}), "first"),
    Asker("other member", frozenset({SECOND}), "second"),
)
"""Controls: what they may see, they must get."""

LEAVERS = (Asker("former member", frozenset(), "first"), Asker("other former member", frozenset(), "second"))
"""The members of a moment ago: whatever was kept for them then must not be theirs now."""

INSIDERS = frozenset(each.name for each in (*MEMBERS, *LEAVERS))

NOBODY = Asker("nobody")

STRANGERS = (
    Asker("member of another group", frozenset({"finance"})),
    Asker("member of groups with similar names", frozenset({f"{INNER}-emea", INNER[:-1], f"x{INNER}", "*", "%", ""})),
    Asker("member in other letters", frozenset({INNER.title(), INNER.upper(), f" {INNER} ", f"group:{INNER}"})),
)
EVERYBODY = (*MEMBERS, *LEAVERS, NOBODY, *STRANGERS)


class BenchCallers:
    """`adapters.web.callers.Callers` by the name in a header; without one it is nobody. For benchmarks only."""

    def __init__(self, askers: Mapping[str, Asker]) -> None:
        self._askers = askers

    async def caller(self, request: web.Request) -> Caller:
        asker = self._askers.get(request.headers.get(HEADER, ""))
        return Caller(asker.actor, asker.groups, known=False) if asker is not None else ANYBODY
