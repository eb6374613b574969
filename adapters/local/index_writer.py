"""Writes the folder that `LocalIndex` searches."""

import asyncio
import shutil
import threading
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np
from filelock import FileLock, Timeout

from adapters.local.keywords import KeywordFolder, KeywordWriter
from adapters.local.manifest import Manifest, SegmentEntry, read_manifest, write_manifest
from adapters.local.opened import OpenedIndex, keywords_folder, vectors_folder
from adapters.local.segments import SegmentFile, read_rows, read_vectors, segment_name
from adapters.local.snapshot import Snapshot
from ingest.ports import IndexedChunk, IndexEntry
from rag_core.errors import Misconfigured, Rejected, Unavailable
from rag_core.ports import Vector

_DEAD_SHARE = 4


def compact(folder: Path, manifest: Manifest) -> Manifest:
    """`manifest` with segments merged where that is due. `folder` holds the segments; old files stay for readers."""
    kept: list[SegmentEntry] = []
    for group in merge_plan(manifest.segments):
        if len(group) == 1 and len(group[0].dead) * _DEAD_SHARE <= group[0].rows:
            kept.append(group[0])
            continue
        kept.append(_merge(folder, manifest, group))
        manifest = replace(manifest, next_segment=manifest.next_segment + 1)
    return replace(manifest, segments=tuple(kept))


def merge_plan(segments: Sequence[SegmentEntry]) -> list[list[SegmentEntry]]:
    """Neighbours to merge, in order: afterwards each segment has over twice the live rows of the next.

    So there are never more than log2(rows) segments, and a row is copied at most that often.
    """
    groups: list[list[SegmentEntry]] = []
    for segment in segments:
        if segment.live == 0:
            continue
        groups.append([segment])
        while len(groups) > 1 and _live(groups[-2]) <= 2 * _live(groups[-1]):
            groups[-2:] = [groups[-2] + groups[-1]]
    return groups


def _live(group: Sequence[SegmentEntry]) -> int:
    return sum(segment.live for segment in group)


def _merge(folder: Path, manifest: Manifest, group: Sequence[SegmentEntry]) -> SegmentEntry:
    merged = SegmentFile(folder, segment_name(manifest))
    try:
        for segment in group:
            vectors = read_vectors(folder, segment, manifest.dimensions)
            if vectors is None:
                raise Misconfigured("index_broken", path=str(folder), reason=f"{segment.name}.f32 cannot be read")
            dead = frozenset(segment.dead)
            for row, vector in zip(read_rows(folder, segment), vectors, strict=True):
                if row[0] not in dead:
                    merged.copy(row, vector)
        return merged.close()
    finally:
        merged.abandon()


Batch = Mapping[str, Sequence[IndexEntry]]
"""All the chunks of each version named."""


def commit_batch(folder: Path, snapshot: Snapshot, batch: Batch) -> None:
    """Replace the versions of the batch in the newest state. Raises Misconfigured("index_broken", path, reason)."""
    manifest = snapshot.manifest
    if not KeywordFolder.exists(keywords_folder(folder, manifest)):
        raise Misconfigured("index_broken", path=str(keywords_folder(folder, manifest)), reason="it is missing")
    vectors_folder(folder, manifest).mkdir(parents=True, exist_ok=True)
    dead = _replaced(snapshot, batch)
    keywords = KeywordFolder(keywords_folder(folder, manifest)).writer()
    try:
        keywords.remove_from(manifest.next_serial)
        keywords.remove(manifest.purge)
        changed = replace(manifest, generation=manifest.generation + 1, segments=_with_dead(snapshot, dead))
        changed = replace(changed, purge=tuple(sorted(dead)))
        changed = _add(folder, changed, keywords, [entry for entries in batch.values() for entry in entries])
        keywords.commit()
        changed = compact(vectors_folder(folder, changed), changed)
        write_manifest(folder, changed)
        if dead:
            keywords.remove(dead)
            keywords.commit()
    finally:
        keywords.close()
    sweep(folder, changed)


class Rebuild:
    """A new index beside the live one, filled batch by batch. Memory: ids only.

    Each call waits for the one before: a caller that was cancelled leaves its thread working.
    """

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        self._folder = folder
        self._manifest = manifest
        self._serial = manifest.next_serial
        self._seen: set[str] = set()
        self._working = threading.Lock()
        self._finished = False
        shutil.rmtree(folder / manifest.build, ignore_errors=True)
        vectors_folder(folder, manifest).mkdir(parents=True)
        self._segment = SegmentFile(vectors_folder(folder, manifest), segment_name(manifest))
        self._keywords = KeywordFolder(keywords_folder(folder, manifest), create=True).writer()

    def add(self, entries: Sequence[IndexEntry]) -> None:
        """A chunk id that came before is passed over."""
        with self._working:
            for entry in entries:
                chunk_id = entry.passage.chunk.chunk_id
                if chunk_id not in self._seen:
                    self._seen.add(chunk_id)
                    self._keywords.add(self._serial, entry)
                    self._segment.add(self._serial, entry, unit(entry.vector))
                    self._serial += 1

    def finish(self) -> None:
        """Swap it in."""
        with self._working:
            segment = self._segment.close()
            self._keywords.commit()
            self._keywords.close()
            complete = replace(
                self._manifest,
                next_serial=self._serial,
                next_segment=self._manifest.next_segment + 1,
                segments=(segment,) if segment.rows else (),
            )
            write_manifest(self._folder, complete)
            self._finished = True
            sweep(self._folder, complete)

    def abandon(self) -> None:
        """Remove it, and the live index is as it was; nothing happens once it is swapped in."""
        with self._working:
            if not self._finished:
                self._segment.abandon()
                self._keywords.close()
                shutil.rmtree(self._folder / self._manifest.build, ignore_errors=True)


def new_manifest(folder: Path, model: str, dimensions: int, generation: int) -> Manifest:
    """The manifest of an empty build beside all that the folder holds."""
    numbers = [int(path.name.removeprefix("build-")) for path in folder.glob("build-[0-9]*")]
    return Manifest(model, dimensions, f"build-{max(numbers, default=0) + 1:06}", generation)


def sweep(folder: Path, manifest: Manifest) -> None:
    """Remove the files that the manifest does not name. What is still open elsewhere may stay until the next time."""
    for build in folder.glob("build-[0-9]*"):
        if build.name != manifest.build:
            shutil.rmtree(build, ignore_errors=True)
    named = {segment.name for segment in manifest.segments}
    for path in vectors_folder(folder, manifest).glob("*"):
        if path.stem not in named:
            with suppress(OSError):
                path.unlink()


def unit(vector: Vector) -> Vector:
    """At unit length, whatever the caller's arithmetic left of it."""
    length = float(np.linalg.norm(vector))
    return (vector / length if length > 0 else vector).astype(np.float32)


def _replaced(snapshot: Snapshot, batch: Batch) -> frozenset[int]:
    """Serials of the rows that the batch replaces: by version, and by chunk id wherever it was."""
    columns = snapshot.columns
    rows = {row for doc_id in batch for row in columns.rows_by_doc.get(doc_id, ())}
    ids = {entry.passage.chunk.chunk_id for entries in batch.values() for entry in entries}
    rows |= {row for row, chunk_id in enumerate(columns.chunk_ids) if chunk_id in ids and columns.alive[row]}
    return frozenset(int(columns.serials[row]) for row in rows)


def _add(folder: Path, manifest: Manifest, keywords: KeywordWriter, entries: Sequence[IndexEntry]) -> Manifest:
    if not entries:
        return manifest
    segment = SegmentFile(vectors_folder(folder, manifest), segment_name(manifest))
    try:
        for serial, entry in enumerate(entries, start=manifest.next_serial):
            keywords.add(serial, entry)
            segment.add(serial, entry, unit(entry.vector))
        written = segment.close()
    finally:
        segment.abandon()
    return replace(
        manifest,
        next_serial=manifest.next_serial + len(entries),
        next_segment=manifest.next_segment + 1,
        segments=(*manifest.segments, written),
    )


def _with_dead(snapshot: Snapshot, dead: frozenset[int]) -> tuple[SegmentEntry, ...]:
    """The snapshot's segments with these serials marked in them."""
    serials = np.asarray(sorted(dead), dtype=np.int64)
    return tuple(
        replace(entry, dead=tuple(sorted({*entry.dead, *np.intersect1d(segment.serials, serials).tolist()})))
        for entry, segment in zip(snapshot.manifest.segments, snapshot.segments, strict=True)
    )


class LocalIndexWriter:
    """`ingest.ports.IndexWriter` on a folder that several processes share.

    Written versions wait in memory until `commit`, which takes the writer's lock for as long as it lasts; what
    others committed meanwhile is kept. A commit that fails changes nothing, and forgets what was written: by the
    next one it may be out of date. Only `rebuild` makes an index; it holds the lock from beginning to end, because
    what was committed beside it would be lost in the swap.

    Raises Unavailable("index_missing") (rebuild), Unavailable("index_busy", path, seconds) when another writer does
    not finish within `lock_seconds`, Misconfigured("index_unwritable" | "index_broken" | "embedding_model_changed")
    (the last two: rebuild), Misconfigured("wrong_dimensions"), Rejected("vector_not_finite" | "wrong_version").
    """

    def __init__(self, folder: Path, *, model: str, dimensions: int, lock_seconds: float = 30.0) -> None:
        self._opened = OpenedIndex(folder, model, dimensions)
        self._folder = folder
        self._model = model
        self._dimensions = dimensions
        self._lock_seconds = lock_seconds
        self._pending: dict[str, tuple[IndexEntry, ...]] = {}

    async def write(self, doc_id: str, entries: Sequence[IndexEntry]) -> None:
        """Make these all the chunks that the index has of this version, once committed (none: it is removed)."""
        for entry in entries:
            self._check(entry)
            if entry.passage.chunk.doc_id != doc_id:
                raise Rejected("wrong_version", doc_id=doc_id, got=entry.passage.chunk.doc_id)
        self._pending[doc_id] = tuple({entry.passage.chunk.chunk_id: entry for entry in entries}.values())

    async def commit(self) -> Mapping[str, str]:
        """Make what was written visible, to every process. Nothing is ever refused here: the mapping is empty."""
        batch, self._pending = self._pending, {}
        if batch:
            await asyncio.to_thread(self._commit, batch)
        return {}

    async def rebuild(self, entries: AsyncIterator[Sequence[IndexEntry]]) -> Mapping[str, str]:
        """A new index beside the live one, swapped in when complete; a failure leaves the live one as it was.

        Refused are vectors that are no numbers, each with its version.
        """
        lock = await asyncio.to_thread(self._locked)
        try:
            return await self._rebuild(entries)
        except OSError as exc:
            raise _translate(exc, self._folder) from exc
        finally:
            await asyncio.to_thread(lock.release)

    async def indexed(self) -> Mapping[str, IndexedChunk]:
        """Everything that is committed, by chunk id."""
        return await asyncio.to_thread(self._indexed)

    async def is_current(self) -> bool:
        """Whether the folder holds an index of this format and model of which both legs can be read."""
        try:
            snapshot = await asyncio.to_thread(self._opened.snapshot)
        except Misconfigured:
            return False
        return snapshot is not None and snapshot.is_whole

    async def _rebuild(self, entries: AsyncIterator[Sequence[IndexEntry]]) -> dict[str, str]:
        rebuild = await asyncio.to_thread(self._begin)
        refused: dict[str, str] = {}
        finished = False
        try:
            async for batch in entries:
                refused |= self._refused(batch)
                taken = [entry for entry in batch if entry.passage.chunk.doc_id not in refused]
                await asyncio.to_thread(rebuild.add, taken)
            await asyncio.to_thread(rebuild.finish)
            finished = True
        finally:
            if not finished:
                await asyncio.to_thread(rebuild.abandon)
        return refused

    def _refused(self, entries: Sequence[IndexEntry]) -> dict[str, str]:
        """doc_id -> why."""
        refused: dict[str, str] = {}
        for entry in entries:
            try:
                self._check(entry)
            except Rejected as error:
                refused[entry.passage.chunk.doc_id] = str(error)
        return refused

    def _indexed(self) -> Mapping[str, IndexedChunk]:
        snapshot = self._opened.snapshot()
        return snapshot.columns.indexed() if snapshot is not None else {}

    def _begin(self) -> Rebuild:
        return Rebuild(self._folder, new_manifest(self._folder, self._model, self._dimensions, self._generation() + 1))

    def _generation(self) -> int:
        """Of the live index; a rebuild is also the way out of one that cannot be read."""
        try:
            live = read_manifest(self._folder)
        except Misconfigured:
            return 0
        return live.generation if live is not None else 0

    def _commit(self, batch: Batch) -> None:
        lock = self._locked()
        try:
            snapshot = self._opened.snapshot()
            if snapshot is None:
                raise Unavailable("index_missing")
            commit_batch(self._folder, snapshot, batch)
        except OSError as exc:
            raise _translate(exc, self._folder) from exc
        finally:
            lock.release()

    def _locked(self) -> FileLock:
        """The writer's lock, across threads and processes. The system takes it from a process that dies."""
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            # A new object each time: one object may be locked again by whoever holds it
            lock = FileLock(self._folder / "writer.lock", timeout=self._lock_seconds, thread_local=False)
            lock.acquire()
        except Timeout as exc:
            raise Unavailable("index_busy", path=str(self._folder), seconds=self._lock_seconds) from exc
        except OSError as exc:
            raise _translate(exc, self._folder) from exc
        return lock

    def _check(self, entry: IndexEntry) -> None:
        shape = entry.vector.shape
        if shape != (self._dimensions,):
            raise Misconfigured("wrong_dimensions", model=self._model, expected=self._dimensions, got=list(shape))
        if not np.isfinite(entry.vector).all():
            raise Rejected("vector_not_finite", model=self._model, chunk_id=entry.passage.chunk.chunk_id)


def _translate(exc: OSError, folder: Path) -> Misconfigured:
    return Misconfigured("index_unwritable", path=str(folder), reason=str(exc))
