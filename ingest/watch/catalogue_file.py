"""A catalogue file that is read again when it was changed."""

from pathlib import Path

from ingest.catalogue import Catalogue, read_catalogue
from ingest.catalogue.entries import SourceEntry
from ingest.watch.news import CatalogueKept, CatalogueRead
from rag_core.errors import Misconfigured


class WatchedCatalogue:
    """The catalogue as it could be used last. Raises Misconfigured if it cannot be used at first."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._seen = _state(path)
        self.catalogue: Catalogue = read_catalogue(path)

    @property
    def entries(self) -> dict[str, SourceEntry]:
        """By source id, in the file's order."""
        return _by_id(self.catalogue)

    def refresh(self) -> CatalogueRead | CatalogueKept | None:
        """Read the file again if it is not what it was when last looked at; None if it is."""
        state = _state(self.path)
        if state == self._seen:
            return None
        self._seen = state
        try:
            fresh = read_catalogue(self.path)
        except Misconfigured as error:
            return CatalogueKept(error)
        before, self.catalogue = self.entries, fresh
        now = self.entries
        changed = tuple(each for each in now if each in before and now[each] != before[each])
        added, gone = tuple(now.keys() - before.keys()), tuple(before.keys() - now.keys())
        return CatalogueRead(tuple(sorted(added)), changed, tuple(sorted(gone)))


def _by_id(catalogue: Catalogue) -> dict[str, SourceEntry]:
    return {entry.id: entry for entry in catalogue.sources}


def _state(path: Path) -> tuple[int, int, int] | None:
    """What changes whenever a file is written or replaced; None where there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
