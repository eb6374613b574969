"""First questions, for who does not know what to ask: made from the titles of documents that the person may see, and
each asked before it is offered, so that it has an answer."""

import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date
from typing import Protocol

from bot.asking import AsksPolicies
from bot.expiring import Expiring
from bot.wording_home import starter_question
from rag_core.answers import Answer
from rag_core.documents import DocumentVersion
from rag_core.questions import AskRequest
from rag_core.regions import spoken_name

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
        place = next((each.subject for each in answer.choices if each.kind == "region"), "")
        narrow = starter_question(title, platform, spoken_name(place)) if place else ""
        return narrow if narrow and await self._asked(narrow, groups) else general

    async def _asked(self, question: str, groups: frozenset[str]) -> Answer | None:
        reply, _ = await self._asker.ask(AskRequest(question, self._today(), groups=groups))
        return reply if isinstance(reply, Answer) and reply.statements else None


def _one_of_each(versions: Iterable[DocumentVersion]) -> Iterator[DocumentVersion]:
    """Each title once; of every platform the first before the second of any."""
    titles: dict[str, dict[str, DocumentVersion]] = {}
    for version in sorted(versions, key=lambda each: (each.policy_source, each.title, each.doc_id)):
        if 0 < len(version.title) <= _LONGEST_TITLE and not _ODD.search(version.title):
            titles.setdefault(version.policy_source, {}).setdefault(version.title, version)
    ranked = [(place, slug, each) for slug, known in titles.items() for place, each in enumerate(known.values())]
    yield from (each for _, _, each in sorted(ranked, key=lambda ranked: ranked[:2]))
