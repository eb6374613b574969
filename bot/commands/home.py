"""The home tab: a person's own questions, example questions, and the state of the sources."""

import asyncio
import re
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Protocol, TypeVar

from bot.access.groups import Access
from bot.access.pseudonyms import Pseudonyms
from bot.model.cache import Expiring
from bot.model.messages import Actor
from bot.model.subscriptions import Subscription, Subscriptions
from bot.wording.home import permission_question, starter_question
from rag_core.answers import Answer
from rag_core.deadlines import within
from rag_core.documents import DocumentVersion
from rag_core.errors import Unavailable
from rag_core.questions import AskRequest
from rag_core.regions import spoken_name
from rag_core.revealing import AsksPolicies

MOST_RECENT = 5
MOST_SECONDS = 4.0
"""How long somebody looks at the tab as it was before."""

Part = TypeVar("Part")


@dataclass(frozen=True, slots=True)
class RecentQuestion:
    answer_id: str
    text: str
    at: datetime


@dataclass(frozen=True, slots=True)
class SourceStatus:
    """`name`: the publisher's. `read_at`: when the last look ended, None for never by itself. `failing`: it failed."""

    name: str
    read_at: datetime | None
    failing: bool


class HomeReading(Protocol):
    """Raises Unavailable."""

    async def recent(self, platform: str, workspace: str, person: str, most: int) -> tuple[RecentQuestion, ...]:
        """What this person asked there, the newest first, each text once. `person`: as records know people."""
        ...

    async def statuses(self) -> tuple[SourceStatus, ...]:
        """Of the publishers of documents that everybody may see."""
        ...


class FirstQuestions(Protocol):
    """`bot.commands.home.Starters`."""

    async def of(self, groups: frozenset[str]) -> tuple[str, ...]:
        """From documents that somebody in these groups may see. Raises Unavailable."""
        ...


class InChannels(Protocol):
    """Which of the channels a person is in; those of which it is not known are left out. Raises Unavailable."""

    async def __call__(self, actor: Actor, channels: frozenset[str]) -> frozenset[str]: ...


@dataclass(frozen=True, slots=True)
class Home:
    """None: could not be read in time."""

    recent: tuple[RecentQuestion, ...] | None = None
    starters: tuple[str, ...] | None = None
    subscriptions: tuple[Subscription, ...] | None = None
    sources: tuple[SourceStatus, ...] | None = None


class HomeReader:
    """Reads all parts at once, and gives up after `seconds` on those that are slow."""

    def __init__(
        self,
        reading: HomeReading,
        starters: FirstQuestions,
        access: Access,
        pseudonyms: Pseudonyms,
        *,
        subscriptions: Subscriptions | None = None,
        in_channels: InChannels | None = None,
        seconds: float = MOST_SECONDS,
    ) -> None:
        self._reading = reading
        self._starters = starters
        self._access = access
        self._pseudonyms = pseudonyms
        self._subscriptions = subscriptions
        self._in_channels = in_channels
        self._seconds = seconds

    async def read(self, actor: Actor, *, public_only: bool = False) -> Home:
        """`public_only`: as if he were in no group."""
        person = self._pseudonyms.of(actor)
        recent, starters, subscriptions, sources = await asyncio.gather(
            self._in_time(self._reading.recent(actor.platform, actor.workspace, person, MOST_RECENT)),
            self._in_time(self._for_him(actor, public_only=public_only)),
            self._in_time(self._of_his_channels(actor)),
            self._in_time(self._reading.statuses()),
        )
        return Home(recent, starters, subscriptions, sources)

    async def _for_him(self, actor: Actor, *, public_only: bool) -> tuple[str, ...]:
        if public_only:
            return await self._starters.of(frozenset())
        return await self._starters.of((await self._access.audience(actor, None, private=True)).groups)

    async def _of_his_channels(self, actor: Actor) -> tuple[Subscription, ...]:
        """Those of other channels are not his to know of: a private one would be named."""
        if self._subscriptions is None or self._in_channels is None:
            return ()
        found = await self._subscriptions.of_workspace(actor.platform, actor.workspace)
        his = await self._in_channels(actor, frozenset(each.channel for each in found)) if found else frozenset()
        return tuple(each for each in found if each.channel in his)

    async def _in_time(self, part: Awaitable[Part]) -> Part | None:
        try:
            async with within(self._seconds):
                return await part
        except (Unavailable, TimeoutError):
            return None


MOST_STARTERS = 4
_MOST_TRIED = 10
_LONGEST_TITLE = 80
_KEPT_SECONDS = 600.0
_ODD = re.compile(
    r"[<>@|\[\]{}*_`#\\]|https?:|\b(?:at\s+a\s+glance|overview|introduction|glossary|table\s+of\s+contents)\b",
    re.IGNORECASE,
)
"""Titles with such signs, or of what has no rules of its own, make no question."""


class Library(Protocol):
    """The part of `rag_core.ports.PolicyStore` that is needed."""

    async def versions(self, groups: frozenset[str], document_id: str | None = None) -> list[DocumentVersion]: ...


class Starters:
    """`asker` answers from quotes alone. What was found is kept for 10 minutes, for each set of groups by itself."""

    def __init__(
        self,
        asker: AsksPolicies,
        library: Library,
        names: Mapping[str, str],
        *,
        today: Callable[[], date],
        seconds: float = _KEPT_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._asker = asker
        self._library = library
        self._names = names
        self._today = today
        self._kept: Expiring[tuple[frozenset[str], date], tuple[str, ...]] = Expiring(seconds, most=100, clock=clock)

    async def of(self, groups: frozenset[str]) -> tuple[str, ...]:
        """The same for the same documents on the same day. Raises Unavailable."""
        return await self._kept.get((groups, self._today()), lambda: self._find(groups))

    async def aclose(self) -> None:
        """Gives up what is being looked for."""
        await self._kept.aclose()

    async def _find(self, groups: frozenset[str]) -> tuple[str, ...]:
        versions = await self._library.versions(groups)
        several = len({each.policy_source for each in versions}) > 1
        found: list[str] = []
        for version in list(_one_of_each(versions))[:_MOST_TRIED]:
            platform = self._names.get(version.policy_source, version.policy_source) if several else ""
            if question := await self._answerable(version.title, platform, groups):
                found.append(question)
            if len(found) == MOST_STARTERS:
                break
        return tuple(found)

    async def _answerable(self, title: str, platform: str, groups: frozenset[str]) -> str:
        """On the title's topic, in a place that has a rule of its own where there is one; "" if it has no answer."""
        general = starter_question(title, platform)
        answer = await self._asked(general, groups)
        if answer is None:
            return ""
        place = _own_place(answer) or _own_place(await self._asked(permission_question(title, platform), groups))
        narrow = starter_question(title, platform, spoken_name(place)) if place else ""
        return narrow if narrow and await self._asked(narrow, groups) else general

    async def _asked(self, question: str, groups: frozenset[str]) -> Answer | None:
        reply, _ = await self._asker.ask(AskRequest(question, self._today(), groups=groups))
        return reply if isinstance(reply, Answer) and reply.statements else None


def _own_place(answer: Answer | None) -> str:
    """A place that has a rule of its own; "" where none is known."""
    choices = answer.choices if answer else ()
    return next((each.subject for each in choices if each.kind == "region"), "")


def _one_of_each(versions: Iterable[DocumentVersion]) -> Iterator[DocumentVersion]:
    """Each title once; of every platform the first before the second of any."""
    titles: dict[str, dict[str, DocumentVersion]] = {}
    for version in sorted(versions, key=lambda each: (each.policy_source, each.title, each.doc_id)):
        if 0 < len(version.title) <= _LONGEST_TITLE and not _ODD.search(version.title):
            titles.setdefault(version.policy_source, {}).setdefault(version.title, version)
    ranked = [(place, slug, each) for slug, known in titles.items() for place, each in enumerate(known.values())]
    yield from (each for _, _, each in sorted(ranked, key=lambda ranked: ranked[:2]))
