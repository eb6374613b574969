"""One state of the index, held in memory, that does not change under a search."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from adapters.local.keywords import KeywordSearcher
from adapters.local.manifest import Manifest
from adapters.local.segments import Ints, Segment
from adapters.local.vectors import ERROR, Passing, Remembered, Vectors
from ingest.ports import IndexedChunk
from rag_core.errors import Unavailable
from rag_core.ports import Vector
from rag_core.questions import QueryTerm
from rag_core.retrieval.facets import Clauses

_MARGIN = 2 * ERROR + 1e-6
"""How far below the last one by quick products a row may be and yet belong to the best by exact ones."""

_DIGITS = 6
"""Scores are compared to this many decimals: the same vector gives the same score in any row."""

Hits = list[tuple[int, float]]
"""Row numbers with their scores, best first; ties: the deeper section, then the smaller chunk id."""


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot:
    """Rows of all segments, numbered through. `keywords` is None where the keyword index could not be opened."""

    manifest: Manifest
    segments: tuple[Segment, ...]
    keywords: KeywordSearcher | None
    columns: "Columns"
    vectors: Vectors
    remembered: Remembered

    @property
    def is_whole(self) -> bool:
        """Whether both legs can be read."""
        return self.keywords is not None and all(segment.vectors is not None for segment in self.segments)

    def passing(self, clauses: Clauses) -> Passing:
        """The rows that pass, but for those that `clauses` leave out by their ids."""
        clauses = replace(clauses, without=frozenset())
        return self.remembered.passing(clauses, lambda: np.flatnonzero(self._mask(clauses)))

    def by_words(self, terms: tuple[QueryTerm, ...], clauses: Clauses, count: int) -> Hits | None:
        """The `count` best rows by BM25; None if the terms hold no word. Raises Unavailable("keyword_leg_failed")."""
        if self.keywords is None:
            raise Unavailable("keyword_leg_failed", reason="not open")
        query = self.keywords.build(terms, clauses)
        if query is None:
            return None
        wanted = count
        while True:
            ranked = self.keywords.best(query, wanted)
            rows = self.columns.rows_of([serial for serial, _ in ranked])
            found = [(row, score) for row, (_, score) in zip(rows, ranked, strict=True) if row >= 0]
            found = [(row, score) for row, score in found if self.columns.chunk_ids[row] not in clauses.without]
            # The keyword index may be ahead of this snapshot, or still hold what was removed: look further down
            if len(found) >= count or len(ranked) < wanted:
                return self._ordered(found)[:count]
            wanted *= 2

    def by_meaning(self, vector: Vector, clauses: Clauses, count: int) -> Hits:
        """The `count` best rows by inner product. Raises Unavailable("vector_leg_failed")."""
        _check(vector)
        passing = self.passing(clauses)
        rows, copied = passing.rows, passing.copied
        if clauses.without:
            ids = self.columns.chunk_ids
            rows, copied = rows[[ids[row] not in clauses.without for row in rows.tolist()]], None
        if len(rows) > count:
            scores = self.vectors.quick(rows, vector) if copied is None else copied @ vector
            cut = np.partition(scores, len(rows) - count)[len(rows) - count]
            rows = rows[scores >= cut - _MARGIN]
        return self._ordered(list(zip(rows.tolist(), self.vectors.exact(rows, vector).tolist(), strict=True)))[:count]

    def cosines(self, rows: Ints, vector: Vector) -> npt.NDArray[np.float64]:
        """The inner products of these rows, which are in rising order.

        Raises Unavailable("vector_leg_failed", reason).
        """
        _check(vector)
        return self.vectors.exact(rows, vector)

    def _mask(self, clauses: Clauses) -> npt.NDArray[np.bool_]:
        mask = self.columns.alive.copy()
        if clauses.day is not None:
            mask &= (self.columns.starts <= clauses.day) & (clauses.day < self.columns.ends)
        for facets in clauses.any_of:
            mask &= self._having(facets)
        if clauses.none_of:
            mask &= ~self._having(clauses.none_of)
        return mask

    def _having(self, facets: frozenset[str]) -> npt.NDArray[np.bool_]:
        """Rows with any of the facets."""
        having = np.zeros(self.columns.count, dtype=np.bool_)
        for segment, start in zip(self.segments, self.columns.offsets, strict=True):
            for facet in facets & segment.facets.keys():
                having[segment.facets[facet] + start] = True
        return having

    def _ordered(self, hits: Hits) -> Hits:
        columns = self.columns
        rounded = [(row, round(score, _DIGITS)) for row, score in hits]
        return sorted(rounded, key=lambda hit: (-hit[1], -columns.levels[hit[0]], columns.chunk_ids[hit[0]]))


def _check(vector: Vector) -> None:
    if not np.isfinite(vector).all():
        raise Unavailable("vector_leg_failed", reason="the question's vector is not finite")


class Columns:
    """The columns of all segments one after the other."""

    def __init__(self, segments: Sequence[Segment], dead: frozenset[int]) -> None:
        self.count = sum(len(segment) for segment in segments)
        self.offsets = np.cumsum([0, *(len(segment) for segment in segments)])[:-1].tolist()
        self.serials = _join([segment.serials for segment in segments])
        # A list: numbers out of an array one by one are slow to sort by
        self.levels = [level for segment in segments for level in segment.levels]
        self.starts = _join([segment.starts for segment in segments])
        self.ends = _join([segment.ends for segment in segments])
        self.chunk_ids = [chunk_id for segment in segments for chunk_id in segment.chunk_ids]
        self.doc_ids = [doc_id for segment in segments for doc_id in segment.doc_ids]
        self.fingerprints = [fingerprint for segment in segments for fingerprint in segment.fingerprints]
        self.alive = ~np.isin(self.serials, np.fromiter(dead, dtype=np.int64, count=len(dead)))

    def rows_of(self, serials: Sequence[int]) -> list[int]:
        """The row of each serial; -1 for one that is not here, or counts no more."""
        if not self.count:
            return [-1] * len(serials)
        wanted = np.asarray(serials, dtype=np.int64)
        rows = np.minimum(np.searchsorted(self.serials, wanted), self.count - 1)
        here = (self.serials[rows] == wanted) & self.alive[rows]
        return [int(row) for row in np.where(here, rows, -1)]

    @cached_property
    def rows_by_doc(self) -> dict[str, list[int]]:
        """Rows that count, by version."""
        by_doc: dict[str, list[int]] = {}
        for row in np.flatnonzero(self.alive).tolist():
            by_doc.setdefault(self.doc_ids[row], []).append(row)
        return by_doc

    def indexed(self) -> dict[str, IndexedChunk]:
        """What there is of each chunk whose row counts."""
        return {
            self.chunk_ids[row]: IndexedChunk(self.doc_ids[row], self.fingerprints[row])
            for row in np.flatnonzero(self.alive).tolist()
        }


def _join(columns: Sequence[Ints]) -> Ints:
    return np.concatenate(columns) if columns else np.zeros(0, dtype=np.int64)
