"""Vector segments: rows that were written together, never changed afterwards.

Two files each: `<name>.f32`, the vectors one after the other, and `<name>.rows`, one JSON array a line:
serial, chunk_id, doc_id, section level, first day, day after the last, facets, fingerprint.
"""

import json
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from adapters.local.manifest import Manifest, SegmentEntry, flush_to_disk
from ingest.model.fingerprints import fingerprint
from ingest.ports import IndexEntry
from rag_core.errors import Misconfigured
from rag_core.ports import Vector
from rag_core.retrieval.facets import days_of, facets_of

Ints = npt.NDArray[np.int64]
Matrix = npt.NDArray[np.float32]
Stamp = tuple[int, int, int]


@dataclass(frozen=True, slots=True, eq=False)
class Segment:
    """Columns of a segment. `facets` holds the rows of each facet; `vectors` is None where its file cannot be read."""

    name: str
    serials: Ints
    chunk_ids: list[str]
    doc_ids: list[str]
    levels: list[int]
    starts: Ints
    ends: Ints
    facets: dict[str, Ints]
    fingerprints: list[str]
    vectors: Matrix | None
    stamp: Stamp

    def __len__(self) -> int:
        return len(self.chunk_ids)


class SegmentFile:
    """Writes one segment, row by row."""

    def __init__(self, folder: Path, name: str) -> None:
        self._paths = folder / f"{name}.f32", folder / f"{name}.rows"
        self._vectors: IO[bytes] = self._paths[0].open("wb")
        self._rows: IO[str] = self._paths[1].open("w", encoding="utf-8")
        self._name = name
        self._count = 0

    def add(self, serial: int, entry: IndexEntry, vector: Vector) -> None:
        """Append a chunk with its unit vector."""
        chunk = entry.passage.chunk
        row = [serial, chunk.chunk_id, chunk.doc_id, chunk.policy_section_level, *days_of(entry.passage)]
        self._append([*row, sorted(facets_of(entry.passage)), fingerprint(entry.passage)], vector)

    def copy(self, row: list[Any], vector: Vector) -> None:
        """Append a row of another segment as it is."""
        self._append(row, vector)

    def close(self) -> SegmentEntry:
        """What the manifest says of it, once it is safely on disk."""
        self._vectors.close()
        self._rows.close()
        flush_to_disk(*self._paths)
        return SegmentEntry(self._name, self._count)

    def abandon(self) -> None:
        """Let go of the files; nothing happens after `close`."""
        self._vectors.close()
        self._rows.close()

    def _append(self, row: list[Any], vector: Vector) -> None:
        self._rows.write(json.dumps(row, separators=(",", ":")) + "\n")
        self._vectors.write(np.ascontiguousarray(vector, dtype="<f4").tobytes())
        self._count += 1


def read_segment(folder: Path, entry: SegmentEntry, dimensions: int) -> Segment:
    """A segment's columns; vectors stay on disk and are mapped. Raises Misconfigured("index_broken", path, reason)."""
    rows = read_rows(folder, entry)
    by_facet: dict[str, list[int]] = defaultdict(list)
    for number, row in enumerate(rows):
        for facet in row[6]:
            by_facet[facet].append(number)
    return Segment(
        name=entry.name,
        serials=_column(rows, 0),
        chunk_ids=[row[1] for row in rows],
        doc_ids=[row[2] for row in rows],
        levels=[row[3] for row in rows],
        starts=_column(rows, 4),
        ends=_column(rows, 5),
        facets={facet: np.asarray(numbers, dtype=np.int64) for facet, numbers in by_facet.items()},
        fingerprints=[row[7] for row in rows],
        vectors=read_vectors(folder, entry, dimensions),
        stamp=segment_stamp(folder, entry.name),
    )


def segment_name(manifest: Manifest) -> str:
    """The name of the next segment."""
    return f"{manifest.next_segment:06}"


def segment_stamp(folder: Path, name: str) -> Stamp:
    """Differs for a segment of the same name in an index that was deleted and begun again."""
    found = (folder / f"{name}.rows").stat()
    return found.st_ino, found.st_mtime_ns, found.st_size


def read_rows(folder: Path, entry: SegmentEntry) -> list[list[Any]]:
    """The rows as written. Raises Misconfigured("index_broken", path, reason)."""
    path = folder / f"{entry.name}.rows"
    lines = path.read_text(encoding="utf-8").splitlines()
    try:
        rows: list[list[Any]] = json.loads(f"[{','.join(lines)}]")
    except ValueError as exc:
        raise Misconfigured("index_broken", path=str(path), reason=str(exc)) from exc
    if len(rows) != entry.rows:
        raise Misconfigured("index_broken", path=str(path), reason=f"{len(rows)} rows, not {entry.rows}")
    return rows


def read_vectors(folder: Path, entry: SegmentEntry, dimensions: int) -> Matrix | None:
    """The vectors, mapped read-only; None if the file is missing or has not the size it should have."""
    path = folder / f"{entry.name}.f32"
    try:
        if path.stat().st_size != entry.rows * dimensions * 4:
            return None
        return np.asarray(np.memmap(path, dtype="<f4", mode="r", shape=(entry.rows, dimensions)))
    except OSError:
        return None


def _column(rows: list[list[Any]], place: int) -> Ints:
    return np.asarray([row[place] for row in rows], dtype=np.int64)
