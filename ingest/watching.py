"""Looking at every source of a catalogue when it is due, for as long as the process lives. One of many leads."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NoReturn, Protocol

from ingest.catalogue import SourceTools, open_sources
from ingest.catalogue.entries import SourceEntry
from ingest.due import AT_ONCE, due_at, items_retry_at
from ingest.looking import Reader
from ingest.outages import Outage, Sleep
from ingest.pipeline import Parts, ingest
from ingest.ports import SourceRun, SourceRuns
from ingest.report import IngestReport
from ingest.retries import MOST_RETRIES, retry_after
from ingest.watch_news import CatalogueRead, IndexBack, Leading, Looked, StandingBy, Tell
from ingest.watched_catalogue import WatchedCatalogue
from rag_core.errors import Misconfigured, PolicyBotError, Rejected, Unavailable

WORK = "watch"
"""What the leader holds a lease on."""

_TICK_SECONDS = 5.0
"""How often the catalogue and the store are looked at while no source is due."""
_STANDBY_SECONDS = 2.0
_IDLE_SECONDS = 60.0


class RestingReader(Reader, Protocol):
    """`rest` ends processes that have nothing to do; the next document starts one again."""

    async def rest(self) -> None: ...


class WatchParts(Parts, Protocol):
    """What a watch needs."""

    @property
    def runs(self) -> SourceRuns: ...
    @property
    def reader(self) -> RestingReader: ...
    @property
    def tools(self) -> SourceTools | None: ...


@dataclass(frozen=True, slots=True)
class Surroundings:
    """`chance`: a number in [0, 1) each time, for the delays that keep many sources from being asked at once."""

    now: Callable[[], datetime]
    sleep: Sleep
    chance: Callable[[], float]
    tell: Tell


async def watch(catalogue: WatchedCatalogue, parts: WatchParts, around: Surroundings, outage: Outage) -> NoReturn:
    """Until cancelled. What is under way then is broken off: what is stored by then stays, the rest is done next time.

    The leader's place is taken within seconds of its end. A source that fails does not stop the others and is tried
    again; a store that does not answer is waited for. Raises Misconfigured for what the operator must change in the
    store's settings.
    """
    leads: bool | None = None
    while True:
        try:
            async with parts.lease.hold(WORK, 0.0) as is_ours:
                if is_ours:
                    announce, leads = not leads, True
                    await _Lead(catalogue, parts, around, outage).run(announce)
            outage.over()
        except Unavailable as error:
            await outage.wait(error)
            continue
        if leads is not False:
            around.tell(StandingBy())
            leads = False
        await around.sleep(_STANDBY_SECONDS)


@dataclass(frozen=True, slots=True)
class _Plan:
    """When a source is due, and from what that follows: as long as this stays the same, so does the time."""

    entry: SourceEntry
    run: SourceRun | None
    due: datetime | None


class _Lead:
    """The leader's work, from the moment it leads."""

    def __init__(self, catalogue: WatchedCatalogue, parts: WatchParts, around: Surroundings, outage: Outage) -> None:
        self._catalogue = catalogue
        self._parts = parts
        self._around = around
        self._outage = outage
        self._plans: dict[str, _Plan] = {}
        self._at_once: set[str] = set()
        self._index = _IndexDebt(parts, around)
        self._rested = True

    async def run(self, announce: bool) -> NoReturn:
        """Until cancelled. Raises Unavailable when the store does not answer."""
        await self._plan()
        unscheduled = tuple(each.entry.id for each in self._plans.values() if each.entry.schedule is None)
        if announce:
            self._around.tell(Leading(len(self._plans), unscheduled))
        while True:
            self._refresh()
            await self._plan()
            now = self._around.now()
            if (entry := self._most_urgent(now)) is not None:
                await self._look(entry)
                continue
            await self._index.settle(now)
            await self._idle(now)

    def _refresh(self) -> None:
        found = self._catalogue.refresh()
        if found is None:
            return
        if isinstance(found, CatalogueRead):
            self._at_once.update(found.changed)
        self._around.tell(found)

    async def _plan(self) -> None:
        """Asked anew each time: another process may have looked at a source meanwhile."""
        runs = await self._parts.runs.known()
        self._outage.over()
        before, self._plans = self._plans, {}
        for source_id, entry in self._catalogue.entries.items():
            known, run = before.get(source_id), runs.get(source_id)
            if known is not None and (known.entry, known.run) == (entry, run):
                self._plans[source_id] = known
            else:
                self._plans[source_id] = _Plan(entry, run, await self._due(entry, run))

    async def _due(self, entry: SourceEntry, run: SourceRun | None) -> datetime | None:
        states = await self._parts.states.known(entry.id)
        retry_at = items_retry_at(states.values(), run)
        return due_at(run, entry.schedule, entry.jitter, self._around.chance(), retry_at)

    def _most_urgent(self, now: datetime) -> SourceEntry | None:
        due = [
            (AT_ONCE if each.entry.id in self._at_once else each.due, at, each.entry)
            for at, each in enumerate(self._plans.values())
        ]
        ready = [(when, at, entry) for when, at, entry in due if when is not None and when <= now]
        return min(ready, key=lambda each: each[:2])[2] if ready else None

    async def _look(self, entry: SourceEntry) -> None:
        run = begun(entry.id, self._plans[entry.id].run, self._around.now())
        await self._parts.runs.keep(run)
        self._at_once.discard(entry.id)
        self._rested = False
        report, problem = await self._ingested(entry)
        look = Looked(entry.id, run.started_at, report, problem)
        ended = _ended(run, look, self._around.now())
        await self._parts.runs.keep(ended)  # where the store is down it fails here, and nothing is said of the source
        await self._plan()
        retry_at = self._plans[entry.id].due if ended.failures and entry.id in self._plans else None
        self._around.tell(replace(look, retry_at=retry_at))
        if report is not None:
            self._index.note(report)

    async def _ingested(self, entry: SourceEntry) -> tuple[IngestReport | None, PolicyBotError | None]:
        only = self._catalogue.catalogue.model_copy(update={"sources": (entry,)})
        try:
            sources = open_sources(only, self._catalogue.path, self._parts.tools)
            return await ingest(sources, self._parts, self._around.now), None
        except (Rejected, Misconfigured, Unavailable) as error:
            return None, error

    async def _idle(self, now: datetime) -> None:
        due = [each.due for each in self._plans.values() if each.due is not None]
        seconds = max((min(due) - now).total_seconds(), 0.0) if due else _IDLE_SECONDS
        if seconds >= _IDLE_SECONDS and not self._rested:
            await self._parts.reader.rest()
            self._rested = True
        await self._around.sleep(min(seconds, _TICK_SECONDS))


class _IndexDebt:
    """What is stored and not in the index yet is brought there between the looks: at first, because somebody may have
    been killed in between, and whenever the index did not answer."""

    def __init__(self, parts: WatchParts, around: Surroundings) -> None:
        self._parts = parts
        self._around = around
        self._failures = 0
        self._retry_at: datetime | None = AT_ONCE

    def note(self, report: IngestReport) -> None:
        """A look has just tried it too."""
        if report.not_indexed is None:
            self._failures, self._retry_at = 0, None
            return
        self._failures = min(self._failures + 1, MOST_RETRIES)
        wait = retry_after(self._failures)
        self._retry_at = self._around.now() + wait if wait is not None else None

    async def settle(self, now: datetime) -> None:
        if self._retry_at is None or now < self._retry_at:
            return
        owed = self._failures > 0
        report = await ingest((), self._parts, self._around.now)
        self.note(report)
        if owed and report.not_indexed is None:
            self._around.tell(IndexBack())


def begun(source_id: str, last: SourceRun | None, now: datetime) -> SourceRun:
    """A look that begins. One that was broken off counts as a failure from the second time in a row on: what brings the
    process down is not to be tried without end."""
    if last is None:
        return SourceRun(source_id, now)
    return SourceRun(source_id, now, failures=last.failures + (1 if last.finished_at is None else 0))


def _ended(run: SourceRun, look: Looked, now: datetime) -> SourceRun:
    if look.failure is None:
        return replace(run, finished_at=now, failures=0)
    return replace(run, finished_at=now, outcome=look.failure.code, failures=run.failures + 1)
