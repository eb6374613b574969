"""The one file that says what the index is. Replacing it is the commit; whatever it does not name is not there."""

import json
import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from rag_core.errors import Misconfigured

FORMAT = 2
"""Raised whenever what is written changes its shape: then an index must be rebuilt."""

_NAME = "manifest.json"


@dataclass(frozen=True, slots=True)
class SegmentEntry:
    """A vector segment, how many rows its files hold, and the serials of those that count no more."""

    name: str
    rows: int
    dead: tuple[int, ...] = ()

    @property
    def live(self) -> int:
        return self.rows - len(self.dead)


@dataclass(frozen=True, slots=True)
class Manifest:
    """One state of the index.

    Every row ever written gets the next serial number, so segments in order have rising serials. `purge` are
    serials that the keyword index may still hold although they count no more; so may serials that are not
    below `next_serial`, left by a writer that died.
    """

    model: str
    dimensions: int
    build: str
    generation: int = 0
    next_serial: int = 1
    next_segment: int = 1
    segments: tuple[SegmentEntry, ...] = ()
    purge: tuple[int, ...] = ()
    format: int = FORMAT

    @property
    def rows(self) -> int:
        """Rows that count."""
        return sum(segment.live for segment in self.segments)


def manifest_stamp(folder: Path) -> tuple[int, int, int] | None:
    """Changes whenever the manifest does; None where there is none."""
    try:
        found = (folder / _NAME).stat()
    except FileNotFoundError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size


def read_manifest(folder: Path) -> Manifest | None:
    """What the index is, None where there is none. Raises Misconfigured("index_broken", path, reason)."""
    path = folder / _NAME
    try:
        fields = json.loads(path.read_text(encoding="utf-8"))
        if fields["format"] != FORMAT:
            raise Misconfigured("index_broken", path=str(path), reason=f"format {fields['format']}, not {FORMAT}")
        segments = tuple(SegmentEntry(e["name"], e["rows"], tuple(e["dead"])) for e in fields.pop("segments"))
        return Manifest(**(fields | {"segments": segments, "purge": tuple(fields["purge"])}))
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError) as exc:
        raise Misconfigured("index_broken", path=str(path), reason=str(exc)) from exc


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Replace the manifest in one step that survives a crash and a power cut."""
    path = folder / _NAME
    new = folder / f"{_NAME}.new"
    new.write_text(json.dumps(asdict(manifest), separators=(",", ":")), encoding="utf-8")
    flush_to_disk(new)
    new.replace(path)
    flush_to_disk(folder)


def check_model(manifest: Manifest, model: str, dimensions: int) -> None:
    """Vectors of two models cannot be compared. Raises Misconfigured("embedding_model_changed", ...)."""
    if (manifest.model, manifest.dimensions) != (model, dimensions):
        raise Misconfigured(
            "embedding_model_changed",
            index_model=manifest.model,
            model=model,
            index_dimensions=manifest.dimensions,
            dimensions=dimensions,
        )


def flush_to_disk(*paths: Path) -> None:
    """fsync of files or folders."""
    for path in paths:
        if path.is_dir() and os.name == "nt":
            continue
        handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def dead_serials(entries: Iterable[SegmentEntry]) -> frozenset[int]:
    """Serials of all rows that count no more."""
    return frozenset(serial for entry in entries for serial in entry.dead)
