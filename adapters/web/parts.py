"""What the web listener is made of; `ops.wiring` fills it in."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Literal, Protocol

from aiohttp import web

from adapters.web.callers import Callers, Unauthenticated
from bot.asking import Answered, Asked
from bot.feedback import Said
from bot.links import Links
from bot.messages import Actor
from bot.ports import ChangeFeed, Opinion
from rag_core.ports import PolicyStore
from rag_core.questions import Filters
from rag_core.retrieval.found import SearchFound


class SearchRoad(Protocol):
    """`PolicySearch.search`: raises Rejected for an unusable query or filter, Unavailable when nothing answers."""

    async def __call__(
        self,
        query: str,
        *,
        filters: Filters,
        today: date,
        as_of: date | None,
        groups: frozenset[str],
        limit: int,
        prefer_specific: bool,
    ) -> SearchFound: ...


class AnswerRoad(Protocol):
    """`OwnAnswers.read`: None for what is not there, or not for this person and these groups. Raises Unavailable."""

    async def __call__(self, answer_id: str, actor: Actor, groups: frozenset[str]) -> dict[str, object] | None: ...


class FeedbackRoad(Protocol):
    """`GivingFeedback.give`: None where the person got no such answer. Raises Unavailable."""

    async def __call__(self, actor: Actor, said: Said, given_from: str) -> Opinion | None: ...


@dataclass(frozen=True, slots=True)
class Check:
    """How one dependency is: `reason` is a code, "" where there is nothing to say."""

    status: Literal["ok", "degraded", "down"]
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Readiness:
    """Whether questions can be answered now, and how each dependency is."""

    can_answer: bool
    checks: Mapping[str, Check]


@dataclass(frozen=True, slots=True)
class Exposition:
    """Figures, in the text format that `content_type` names."""

    content_type: str
    body: bytes


@dataclass(frozen=True, slots=True)
class WebParts:
    """`ready` is asked by probes: quick, cheap, raises nothing.

    The host of `links.public_url` may stand in the Host header. `loopback_only`: no peer from another machine,
    as long as no tokens are configured. `proxies`: addresses whose forwarded headers are let through (they are not
    read). `ask_seconds` bounds a search (`ask` bounds itself), `body_seconds` the arrival of a body of at most
    `body_bytes`. `issuer`: whose tokens `callers` takes, "" for nobody's.
    """

    ask: Callable[[Asked], Awaitable[Answered]]
    search: SearchRoad
    store: PolicyStore
    changes: ChangeFeed
    read_answer: AnswerRoad
    give_feedback: FeedbackRoad
    links: Links
    today: Callable[[], date]
    ready: Callable[[], Awaitable[Readiness]]
    metrics: Callable[[], Exposition]
    loopback_only: bool = True
    proxies: frozenset[str] = frozenset()
    ask_seconds: float = 60.0
    body_seconds: float = 10.0
    body_bytes: int = 256 * 1024
    callers: Callers = field(default_factory=Unauthenticated)
    issuer: str = ""


PARTS = web.AppKey("PARTS", WebParts)
