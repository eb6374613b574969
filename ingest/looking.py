"""What a source has now, next to what is stored of it: fetched and read as far as it is not known to be unchanged."""

import asyncio
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Protocol

from ingest.naming import document_names
from ingest.parsers.parsed import ParsedDocument
from ingest.planner import up_to_date
from ingest.ports import Discovered, ItemState, RawDocument, RawFiles, Source, SourceStates
from ingest.reading import Reading, is_read_alike, pipeline_of, read_parsed
from ingest.report import Failure, IngestReport, Progress, failure
from ingest.retries import retry_after
from rag_core.documents import DocumentVersion
from rag_core.errors import Rejected, Unavailable
from rag_core.ports import Embedder

_LEFT_ALONE = timedelta(days=1)


class Parsing(Protocol):
    """`ingest.parsing_process.ParsingProcess`: raises Rejected for what cannot be read, or costs too much."""

    async def parse(self, content: bytes, mime_type: str) -> ParsedDocument: ...


class LookingParts(Protocol):
    """What looking needs of `ingest.pipeline.Parts`."""

    @property
    def states(self) -> SourceStates: ...
    @property
    def raw_files(self) -> RawFiles: ...
    @property
    def embedder(self) -> Embedder: ...
    @property
    def parsing(self) -> Parsing: ...


@dataclass(slots=True)
class Found:
    """`unreadable`: origins of which nothing is known now, so that nothing stored of them changes. `states`: what is
    to be remembered, once the rest is stored."""

    stored: Sequence[DocumentVersion]
    unchanged: list[DocumentVersion] = field(default_factory=list)
    readings: dict[str, Reading] = field(default_factory=dict)
    unreadable: set[str] = field(default_factory=set)
    states: dict[str, ItemState] = field(default_factory=dict)
    gone: list[str] = field(default_factory=list)


async def look(
    source: Source,
    items: Sequence[Discovered],
    stored: Sequence[DocumentVersion],
    parts: LookingParts,
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
    known = await parts.states.known(source.source_id)
    settled = up_to_date(stored)
    names = document_names(item.origin for item in items)
    for at, item in enumerate(items):
        progress(at, len(items), item.file_name)
        state = known.get(item.origin, ItemState(item.origin))
        if _must_wait(state, item, now):
            found.unreadable.add(item.origin)
            found.states[item.origin] = state
            report.failed.append(Failure(source.source_id, item.origin, str(state.failed_with)))
            continue
        try:
            raw = await _fetched(source, item, state, settled.get(item.origin), parts.embedder.max_tokens)
            if raw is None:
                found.unchanged.append(settled[item.origin])
            else:
                await _read(source, raw, names[item.origin], settled.get(item.origin), parts, now, found, keep_raw)
            told = raw.revision if raw is not None else state.revision
            revision = item.revision if told is None else told
            found.states[item.origin] = ItemState(item.origin, revision)
        except (Rejected, Unavailable) as error:
            found.unreadable.add(item.origin)
            found.states[item.origin] = _failed(state, item, error, now)
            report.failed.append(failure(source.source_id, item.origin, error))
    _count_misses(source, items, known, found)
    return found


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
    parts: LookingParts,
    now: datetime,
    found: Found,
    keep_raw: bool,
) -> None:
    pipeline = pipeline_of(source.defaults, raw, parts.embedder.max_tokens)
    digest = hashlib.sha256(raw.content).hexdigest()
    if settled is not None and (settled.sha256, settled.pipeline) == (digest, pipeline):
        found.unchanged.append(settled)
        return
    if keep_raw:
        await parts.raw_files.keep(digest, raw.content)
    parsed = await parts.parsing.parse(raw.content, raw.mime_type)
    embedder = parts.embedder
    found.readings[raw.origin] = await asyncio.to_thread(
        read_parsed, parsed, raw, name, source.defaults, now, embedder.count_tokens, embedder.max_tokens
    )


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
