"""One state of the index, held in memory, that does not change under a search."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from adapters.local.facets import Clauses
from adapters.local.keywords import KeywordSearcher
from adapters.local.manifest import Manifest
from adapters.local.segments import Ints, Segment
from rag_core.errors import Unavailable
from rag_core.ports import Vector
from rag_core.questions import QueryTerm

_GATHER_BELOW = 0.05
"""Share of rows under which copying them out is quicker than multiplying all (measured at 100,000 rows)."""

_REMEMBERED_FILTERS = 64
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
    _remembered: dict[Clauses, Ints] = field(default_factory=dict)

    def passing(self, clauses: Clauses) -> Ints:
        """The rows that pass, in order. Remembered: most questions come with the same audience, day and places."""
        rows = self._remembered.get(clauses)
        if rows is None:
            rows = np.flatnonzero(self._mask(clauses))
            if len(self._remembered) >= _REMEMBERED_FILTERS:
                self._remembered.clear()
            self._remembered[clauses] = rows
        return rows

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
            # The keyword index may be ahead of this snapshot, or still hold what was removed: look further down
            if len(found) >= count or len(ranked) < wanted:
                return self._ordered(found)[:count]
            wanted *= 2

    def by_meaning(self, vector: Vector, clauses: Clauses, count: int) -> Hits:
        """The `count` best rows by inner product. Raises Unavailable("vector_leg_failed")."""
        rows = self.passing(clauses)
        scores = self.cosines(rows, vector)
        if len(rows) > count:
            cut = np.partition(scores, len(rows) - count)[len(rows) - count]
            best = scores >= cut - 10.0**-_DIGITS
            rows, scores = rows[best], scores[best]
        return self._ordered(list(zip(rows.tolist(), scores.tolist(), strict=True)))[:count]

    def cosines(self, rows: Ints, vector: Vector) -> npt.NDArray[np.float32]:
        """The inner products of these rows, which are in rising order.

        Raises Unavailable("vector_leg_failed", reason).
        """
        if not np.isfinite(vector).all():
            raise Unavailable("vector_leg_failed", reason="the question's vector is not finite")
        gather = len(rows) < _GATHER_BELOW * self.columns.count
        scores = np.zeros(self.columns.count, dtype=np.float32)
        for segment, start in zip(self.segments, self.columns.offsets, strict=True):
            if segment.vectors is None:
                raise Unavailable("vector_leg_failed", reason=f"segment {segment.name} cannot be read")
            end = start + len(segment)
            if gather:
                inside = rows[np.searchsorted(rows, start) : np.searchsorted(rows, end)]
                scores[inside] = segment.vectors[inside - start] @ vector
            else:
                np.dot(segment.vectors, vector, out=scores[start:end])
        return scores[rows]

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

    def doc_of_chunk(self) -> dict[str, str]:
        """chunk_id -> doc_id of the rows that count."""
        return {self.chunk_ids[row]: self.doc_ids[row] for row in np.flatnonzero(self.alive).tolist()}


def _join(columns: Sequence[Ints]) -> Ints:
    return np.concatenate(columns) if columns else np.zeros(0, dtype=np.int64)
