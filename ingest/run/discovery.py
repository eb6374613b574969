"""What a source has now, next to what is stored of it: fetched and read as far as it is not known to be unchanged."""

import asyncio
import hashlib
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Iterable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from typing import TypeVar

from ingest.model.names import document_names
from ingest.model.report import Failure, IngestReport, Progress, failure
from ingest.model.retries import retry_after
from ingest.parts import DocumentReader, IngestParts
from ingest.planner import stated_ends_of, up_to_date
from ingest.ports import Discovered, ItemState, RawDocument, Source
from ingest.reader.contents import ReadingTask
from ingest.reader.version import Reading, is_read_alike, pipeline_of, reading_of, says_end, task_of
from rag_core.documents import DocumentVersion, VersionStatus
from rag_core.errors import Rejected, Unavailable

_LEFT_ALONE = timedelta(days=1)
_AT_ONCE = 4
"""Documents in memory: for each of the two reading processes one that it reads, and one that is kept or waits."""


@dataclass(slots=True)
class Found:
    """`unreadable`: origins of which nothing is known now, so that nothing stored of them changes. `states`: what is
    to be remembered, once the rest is stored. `ends`: by doc_id, the stated ends of unchanged versions that are others
    now (None: withdrawn)."""

    stored: Sequence[DocumentVersion]
    unchanged: list[DocumentVersion] = field(default_factory=list)
    readings: dict[str, Reading] = field(default_factory=dict)
    unreadable: set[str] = field(default_factory=set)
    states: dict[str, ItemState] = field(default_factory=dict)
    gone: list[str] = field(default_factory=list)
    ends: dict[str, date | None] = field(default_factory=dict)


async def look(
    source: Source,
    items: Sequence[Discovered],
    stored: Sequence[DocumentVersion],
    parts: IngestParts,
    now: datetime,
    progress: Progress,
    report: IngestReport,
    *,
    keep_raw: bool,
) -> Found:
    """Everything the source has. `keep_raw`: the bytes of what is read go into `RawFiles`.

    What it no longer has counts as gone after `SourceDefaults.misses` looks in a row.
    """
    found = Found(stored)
    names = document_names(item.origin for item in items)
    looking = _Looking(source, parts, now, keep_raw, names, up_to_date(stored), stated_ends_of(stored))
    known = await parts.states.known(source.source_id)
    done = 0

    async def fetched(item: Discovered) -> _Seen:
        progress(done, len(items), item.file_name)
        return await looking.fetched(item, known.get(item.origin, ItemState(item.origin)))

    async with aclosing(in_order(items, fetched, looking.read, _AT_ONCE)) as seen:
        async for each in seen:
            done += 1
            looking.note(each, found, report)
    _count_misses(source, items, known, found)
    return found


@dataclass(frozen=True, slots=True)
class _End:
    """None: there is none any more."""

    day: date | None


@dataclass(frozen=True, slots=True)
class _Seen:
    """How far one item came. `state`: what was known of it. `raw`: None where it need not, or could not, be read.

    `reading`: None where it is what is stored already. `end`: the end that it states now, where that has changed.
    """

    item: Discovered
    state: ItemState
    raw: RawDocument | None = None
    reading: Reading | None = None
    end: _End | None = None
    error: Rejected | Unavailable | None = None
    waits: bool = False


@dataclass(frozen=True, slots=True)
class _Looking:
    """One look at a source. `names`: by origin; `settled`: see `up_to_date`; `ends`: see `stated_ends_of`."""

    source: Source
    parts: IngestParts
    now: datetime
    keep_raw: bool
    names: Mapping[str, str]
    settled: Mapping[str, DocumentVersion]
    ends: Mapping[str, date]

    async def fetched(self, item: Discovered, state: ItemState) -> _Seen:
        if _must_wait(state, item, self.now):
            return _Seen(item, state, waits=True)
        try:
            settled = self.settled.get(item.origin)
            raw = await _fetched(self.source, item, state, settled, self.parts.embedder.max_tokens)
            return _Seen(item, state, raw)
        except (Rejected, Unavailable) as error:
            return _Seen(item, state, error=error)

    async def read(self, item: Discovered, seen: _Seen) -> _Seen:
        if seen.raw is None:
            return seen
        try:
            settled, name = self.settled.get(item.origin), self.names[item.origin]
            reading = await _read(self.source, seen.raw, name, settled, self.parts, self.now, self.keep_raw)
            if reading is None and settled is not None:
                end = self.ends.get(settled.doc_id)
                task = task_of(seen.raw, self.source.defaults, self.now.date())
                return replace(seen, end=await _new_end(task, settled, end, self.parts.reader))
            return replace(seen, reading=reading)
        except (Rejected, Unavailable) as error:
            return replace(seen, error=error)

    def note(self, seen: _Seen, found: Found, report: IngestReport) -> None:
        origin, error = seen.item.origin, seen.error
        if seen.waits:
            found.unreadable.add(origin)
            found.states[origin] = seen.state
            report.failed.append(Failure(self.source.source_id, origin, str(seen.state.failed_with)))
        elif error is not None:
            found.unreadable.add(origin)
            found.states[origin] = _failed(seen.state, seen.item, error, self.now)
            report.failed.append(failure(self.source.source_id, origin, error))
        else:
            if seen.reading is None:
                found.unchanged.append(self.settled[origin])
                if seen.end is not None:
                    found.ends[self.settled[origin].doc_id] = seen.end.day
            else:
                found.readings[seen.reading.arrival.version.origin] = seen.reading
            told = seen.raw.revision if seen.raw is not None else seen.state.revision
            found.states[origin] = ItemState(origin, seen.item.revision if told is None else told)


def _must_wait(state: ItemState, item: Discovered, now: datetime) -> bool:
    """Whether it failed a moment ago, or too often; a new revision of it is tried at once."""
    return state.retry_at is not None and now < state.retry_at and item.revision in (None, state.revision)


def _failed(state: ItemState, item: Discovered, error: Rejected | Unavailable, now: datetime) -> ItemState:
    """What can never be read is looked at in every run, as before: it may have been mended. What did not answer is
    left alone for a while, and after several times until somebody asks for it or it changes."""
    failures = state.failures + 1
    wait = retry_after(failures) if isinstance(error, Unavailable) else timedelta(0)
    retry_at = now + (wait if wait is not None else _LEFT_ALONE) if wait != timedelta(0) else None
    revision = item.revision if item.revision is not None else state.revision
    return ItemState(item.origin, revision, 0, failures, error.code, retry_at)


async def _fetched(
    source: Source, item: Discovered, state: ItemState, settled: DocumentVersion | None, max_tokens: int
) -> RawDocument | None:
    """None: it is what is stored already, and would be read alike."""
    usable = settled is not None and not state.failures and is_read_alike(settled, source.defaults, max_tokens)
    if not usable or state.revision is None:
        return await source.fetch(item)
    if item.revision == state.revision:
        return None
    return await source.fetch(item, state.revision)


async def _read(
    source: Source,
    raw: RawDocument,
    name: str,
    settled: DocumentVersion | None,
    parts: IngestParts,
    now: datetime,
    keep_raw: bool,
) -> Reading | None:
    """None: it is what is stored already."""
    pipeline = pipeline_of(source.defaults, raw, parts.embedder.max_tokens)
    digest = hashlib.sha256(raw.content).hexdigest()
    if settled is not None and (settled.sha256, settled.pipeline) == (digest, pipeline):
        return None
    if keep_raw:
        await parts.raw_files.keep(digest, raw.content)
    contents = await parts.reader.read(task_of(raw, source.defaults, now.date()))
    return reading_of(contents, raw, name, source.defaults, now, parts.embedder.max_tokens)


async def _new_end(
    task: ReadingTask, settled: DocumentVersion, known: date | None, reader: DocumentReader
) -> _End | None:
    """What unchanged bytes state for their end, where that differs from the `known` one; else None.

    What the document says of itself wins, so it is read as soon as its source does not explain the known end.
    """
    said = says_end(task.facts)
    if settled.status is not VersionStatus.LIVE or said == (known if said is None else settled.effective_to):
        return None
    ends = (await reader.read(task)).facts.effective_to
    return None if ends == known else _End(ends)


def _count_misses(source: Source, items: Sequence[Discovered], known: dict[str, ItemState], found: Found) -> None:
    here = {item.origin for item in items}
    live = {version.origin for version in up_to_date(found.stored).values()}
    for origin in sorted((live | known.keys()) - here):
        state = known.get(origin, ItemState(origin))
        if origin in live and state.misses + 1 < source.defaults.misses:
            found.unreadable.add(origin)
            found.states[origin] = replace(state, misses=state.misses + 1)
        else:
            found.gone.append(origin)


Item = TypeVar("Item")
Half = TypeVar("Half")
Done = TypeVar("Done")


async def in_order(
    items: Iterable[Item],
    first: Callable[[Item], Awaitable[Half]],
    then: Callable[[Item, Half], Coroutine[None, None, Done]],
    at_once: int,
) -> AsyncGenerator[Done, None]:
    """What `then` made of each item and of what `first` gave for it, in the order of the items.

    `first` is never at work twice; `then` may be, for `at_once` items, and no more than those wait to be given out:
    all but the one that is given out go on meanwhile.
    What either of them raises comes out at its item's turn. Close it (`contextlib.aclosing`): what is not given out
    by then is cancelled, and has ended when that returns.
    """
    running: deque[asyncio.Task[Done]] = deque()
    try:
        for item in items:
            try:
                half = await first(item)
            except Exception:
                while running:
                    yield await running.popleft()
                raise
            running.append(asyncio.create_task(then(item, half)))
            if len(running) >= at_once:
                yield await running.popleft()
        while running:
            yield await running.popleft()
    finally:
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
