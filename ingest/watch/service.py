"""When a source is due to be looked at. Pure."""

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import NoReturn

from ingest.catalogue import open_sources
from ingest.catalogue.entries import SourceEntry
from ingest.catalogue.schedules import Schedule
from ingest.model.report import IngestReport
from ingest.model.retries import MOST_RETRIES, retry_after
from ingest.parts import IngestParts
from ingest.ports import ItemState, SourceRun
from ingest.run.pipeline import ingest
from ingest.watch.catalogue_file import WatchedCatalogue
from ingest.watch.news import CatalogueRead, IndexBack, Leading, Looked, StandingBy, StoreBack, StoreDown, Tell
from rag_core.errors import Misconfigured, PolicyBotError, Rejected, Unavailable

AT_ONCE = datetime.min.replace(tzinfo=UTC)


def due_at(
    run: SourceRun | None,
    schedule: Schedule | None,
    jitter: timedelta,
    chance: float,
    items_retry_at: datetime | None = None,
) -> datetime | None:
    """When the next look is due after `run`, the last one; None: never. `chance` in [0, 1) is the share of `jitter`.

    A source that was never looked at is due at once; so is one whose look was broken off, the second time and later
    after a wait. What failed is tried again after 5, 10, 20, 40 and 80 minutes, then only by its schedule, and never
    sooner than after 80. A time that was missed counts once, however often it was: what comes after the last look lies
    in the past then, and what comes after the next look does not.
    """
    if run is None:
        return AT_ONCE
    if run.finished_at is None:
        return run.started_at + _wait(run.failures)
    if run.failures and (wait := retry_after(run.failures)) is not None:
        return run.finished_at + wait
    due = schedule.next_after(run.started_at, jitter, chance) if schedule else None
    if run.failures:
        return max(due, run.finished_at + _wait(run.failures)) if due else None
    return min((each for each in (due, items_retry_at) if each is not None), default=None)


def _wait(failures: int) -> timedelta:
    return retry_after(min(failures, MOST_RETRIES)) or timedelta(0)


def items_retry_at(states: Iterable[ItemState], run: SourceRun | None) -> datetime | None:
    """When the first document that did not answer is to be tried again; None where there is none left to try."""
    since = run.started_at if run else AT_ONCE
    waiting = (each.retry_at for each in states if each.retry_at is not None and each.failures <= MOST_RETRIES)
    return min((each for each in waiting if each > since), default=None)


_FIRST_SECONDS = 1.0
_LONGEST_SECONDS = 30.0

Sleep = Callable[[float], Awaitable[None]]


class Outage:
    """Says once that the store is down, and once that it is back; waits longer and longer in between."""

    def __init__(self, sleep: Sleep, tell: Tell) -> None:
        self._sleep = sleep
        self._tell = tell
        self._waits = 0

    async def wait(self, error: Unavailable) -> None:
        """The store has just failed with `error`: until it should be asked again."""
        if not self._waits:
            self._tell(StoreDown(error))
        seconds = min(_FIRST_SECONDS * 2**self._waits, _LONGEST_SECONDS)
        self._waits = min(self._waits + 1, 10)
        await self._sleep(seconds)

    def over(self) -> None:
        """The store has just answered."""
        if self._waits:
            self._tell(StoreBack())
        self._waits = 0


WORK = "watch"
"""What the leader holds a lease on."""

_TICK_SECONDS = 5.0
"""How often the catalogue and the store are looked at while no source is due."""
_STANDBY_SECONDS = 2.0
_IDLE_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Surroundings:
    """`chance`: a number in [0, 1) each time, for the delays that keep many sources from being asked at once."""

    now: Callable[[], datetime]
    sleep: Sleep
    chance: Callable[[], float]
    tell: Tell


async def watch(catalogue: WatchedCatalogue, parts: IngestParts, around: Surroundings, outage: Outage) -> NoReturn:
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

    def __init__(self, catalogue: WatchedCatalogue, parts: IngestParts, around: Surroundings, outage: Outage) -> None:
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

    def __init__(self, parts: IngestParts, around: Surroundings) -> None:
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
