"""What the web listener is made of; `ops.wiring` fills it in."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Literal, Protocol

from aiohttp import web

from adapters.web.callers import Callers, Unauthenticated, own_name
from adapters.web.credentials import FailedAttempts, TokenHolders
from adapters.web.peers import Waiting
from bot.answers.feedback import Said
from bot.commands.search import SearchRoad
from bot.model.links import Links
from bot.model.messages import Actor
from bot.ports import Opinion
from bot.questions.answerer import Answered, Asked
from bot.questions.limits import SteadyLimits
from rag_core.ports import ChangeReader, PolicyStore


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
class PageSignIn:
    """What signing in to the pages takes."""

    holders: TokenHolders
    attempts: FailedAttempts


@dataclass(frozen=True, slots=True)
class WebParts:
    """`ready` is asked by probes: quick, cheap, raises nothing.

    The host of `links.public_url` may stand in the Host header. `loopback_only`: no peer from another machine,
    as long as nobody is authenticated. `proxies`: addresses whose forwarded headers are let through (X-Forwarded-For
    says for whom failed credentials count, nothing else is read). `limits`: of what those who are known do, who are
    counted by the name that `counted_as` gives.
    `origins`: whose pages may call the API from a browser. `sign_in`: people may sign in to the pages. `ask_seconds`
    bounds a search (`ask` bounds itself), `body_seconds` the arrival of a body of at most `body_bytes`.
    `issuer`: whose tokens `callers` takes, "" for nobody's. `waiting` bounds the questions of one address.
    """

    ask: Callable[[Asked], Awaitable[Answered]]
    search: SearchRoad
    store: PolicyStore
    changes: ChangeReader
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
    limits: SteadyLimits | None = None
    counted_as: Callable[[Actor], Actor] = own_name
    issuer: str = ""
    origins: frozenset[str] = frozenset()
    sign_in: PageSignIn | None = None
    waiting: Waiting = field(default_factory=Waiting)

    @property
    def is_https(self) -> bool:
        """Whether people reach the pages encrypted."""
        return is_https(self.links.public_url)

    @property
    def cookie(self) -> str:
        """The name of the pages' cookie."""
        return cookie_name(self.links.public_url)


def is_https(public_url: str) -> bool:
    return public_url.lower().startswith("https://")


def cookie_name(public_url: str) -> str:
    """Browsers take one that begins with __Host- from this very host only, and only encrypted."""
    return "__Host-adpolicy" if is_https(public_url) else "adpolicy"


PARTS = web.AppKey("PARTS", WebParts)
