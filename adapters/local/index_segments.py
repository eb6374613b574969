"""Keeps segments few and mostly alive, at a cost that grows with what is written, not with what is there."""

import shutil
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np

from adapters.local.keywords import KeywordFolder, KeywordWriter
from adapters.local.manifest import Manifest, SegmentEntry, write_manifest
from adapters.local.opened import keywords_folder, vectors_folder
from adapters.local.segments import SegmentFile, read_rows, read_vectors, segment_name
from adapters.local.snapshot import Snapshot
from ingest.ports import IndexEntry
from rag_core.errors import Misconfigured
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
