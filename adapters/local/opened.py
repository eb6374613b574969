"""The index as a process sees it: reopened when another process has committed."""

import threading
from pathlib import Path

from adapters.local.keywords import KeywordFolder, KeywordSearcher
from adapters.local.manifest import Manifest, check_model, dead_serials, manifest_stamp, read_manifest
from adapters.local.segments import Segment, read_segment, segment_stamp
from adapters.local.snapshot import Columns, Snapshot
from adapters.local.vectors import Remembered, Vectors, limit_blas_threads
from rag_core.errors import Misconfigured, Unavailable

_ATTEMPTS = 20


def keywords_folder(folder: Path, manifest: Manifest) -> Path:
    return folder / manifest.build / "keywords"


def vectors_folder(folder: Path, manifest: Manifest) -> Path:
    return folder / manifest.build / "vectors"


class OpenedIndex:
    """Gives the newest snapshot. Segments never change, so those already read are kept. Safe across threads."""

    def __init__(self, folder: Path, model: str, dimensions: int) -> None:
        self.folder = folder
        self._model = model
        self._dimensions = dimensions
        self._lock = threading.Lock()
        self._stamp: tuple[int, int, int] | None = None
        self._snapshot: Snapshot | None = None
        self._keywords: tuple[str, KeywordFolder] | None = None

    def snapshot(self) -> Snapshot | None:
        """The newest state; None where there is no index.

        Raises Misconfigured("embedding_model_changed" | "index_broken"), Unavailable("index_busy").
        """
        with self._lock:
            stamp = manifest_stamp(self.folder)
            for _ in range(_ATTEMPTS):
                if stamp == self._stamp:
                    return self._snapshot
                snapshot, failure = self._open()
                before, stamp = stamp, manifest_stamp(self.folder)
                if stamp != before:
                    continue  # committed meanwhile: files may have gone under our hands, or be of two states
                if failure is not None:
                    raise failure
                self._snapshot, self._stamp = snapshot, stamp
            if stamp == self._stamp:
                return self._snapshot
            raise Unavailable("index_busy", path=str(self.folder))

    def close(self) -> None:
        """Let go of files and memory. A later `snapshot` opens again."""
        with self._lock:
            self._snapshot, self._stamp, self._keywords = None, None, None

    def _open(self) -> tuple[Snapshot | None, Misconfigured | None]:
        """A snapshot, or why there is none: which counts only if the manifest is still the same afterwards."""
        try:
            manifest = read_manifest(self.folder)
            if manifest is None:
                return None, None
            check_model(manifest, self._model, self._dimensions)
            return self._read(manifest), None
        except Misconfigured as exc:
            return None, exc
        except OSError as exc:
            return None, _translate(exc, self.folder)

    def _read(self, manifest: Manifest) -> Snapshot:
        limit_blas_threads()
        segments = tuple(self._segments(manifest))
        vectors = Vectors(segments)
        return Snapshot(
            manifest=manifest,
            segments=segments,
            keywords=self._searcher(manifest),
            columns=Columns(segments, dead_serials(manifest.segments)),
            vectors=vectors,
            remembered=Remembered(vectors),
        )

    def _segments(self, manifest: Manifest) -> list[Segment]:
        folder = vectors_folder(self.folder, manifest)
        known = {segment.stamp: segment for segment in self._snapshot.segments} if self._snapshot is not None else {}
        return [
            known.get(segment_stamp(folder, entry.name)) or read_segment(folder, entry, self._dimensions)
            for entry in manifest.segments
        ]

    def _searcher(self, manifest: Manifest) -> KeywordSearcher | None:
        """None if the keyword index cannot be opened: searches then say that it is missing."""
        try:
            if self._keywords is None or self._keywords[0] != manifest.build:
                self._keywords = manifest.build, KeywordFolder(keywords_folder(self.folder, manifest))
            return self._keywords[1].searcher()
        except Unavailable:
            self._keywords = None
            return None


def _translate(exc: OSError, folder: Path) -> Misconfigured:
    return Misconfigured("index_broken", path=exc.filename or str(folder), reason=str(exc))
