"""Writes the folder that `LocalIndex` searches."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path

import numpy as np
from filelock import FileLock, Timeout

from adapters.local.index_segments import Batch, Rebuild, commit_batch, new_manifest
from adapters.local.manifest import read_manifest
from adapters.local.opened import OpenedIndex
from ingest.ports import IndexedChunk, IndexEntry
from rag_core.errors import Misconfigured, Rejected, Unavailable


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
