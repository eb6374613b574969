"""How many threads a matrix product may use in this process."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from adapters.local.segments import Ints, Matrix, Segment
from rag_core.errors import Unavailable
from rag_core.ports import Vector
from rag_core.retrieval.facets import Clauses


def limit_blas_threads() -> None:
    """One BLAS thread. Set here and not in the user's shell.

    Measured on 2 cores with 100,000 rows: one caller waits 6.6 ms instead of 5.2 with two threads, but four
    callers get 181 queries a second instead of 97, and at 3,000 rows 18,800 instead of 6,800.
    """
    threadpool_limits(limits=1, user_api="blas")


ERROR = 1e-4
"""A quick product is nearer than this to the exact one: single precision, unit vectors of up to 1,600 dimensions."""

_GATHER_BELOW = 0.05
"""Share of rows under which copying them out is quicker than multiplying all (measured at 100,000 rows)."""

_COPY_BELOW = 0.5
"""Share of rows under which a copy kept side by side pays: 1.0 ms for a fifth of 100,000 rows, 5.1 ms for all."""

_REMEMBERED = 64
_A_WHILE = 500
"""Searches."""

Scores = npt.NDArray[np.float32]


class Vectors:
    """The vectors of all segments, by row. Raises Unavailable("vector_leg_failed", reason)."""

    def __init__(self, segments: Sequence[Segment]) -> None:
        self._segments = segments
        ends = np.cumsum([0, *(len(segment) for segment in segments)])
        self._starts, self.count = ends[:-1].tolist(), int(ends[-1])

    def exact(self, rows: Ints, vector: Vector) -> npt.NDArray[np.float64]:
        """In double precision: the same vector gives the same number in any row. Rows in rising order."""
        if not len(rows):  # where there is no segment, nothing says how long a row is
            return np.zeros(0, dtype=np.float64)
        return self.gather(rows).astype(np.float64) @ vector.astype(np.float64)

    def quick(self, rows: Ints, vector: Vector) -> Scores:
        """Within `ERROR` of the exact ones."""
        if not len(rows):
            return np.zeros(0, dtype=np.float32)
        if len(rows) < _GATHER_BELOW * self.count:
            return self.gather(rows) @ vector
        scores = np.empty(self.count, dtype=np.float32)
        for segment, start in zip(self._segments, self._starts, strict=True):
            np.dot(_readable(segment), vector, out=scores[start : start + len(segment)])
        return scores[rows]

    def gather(self, rows: Ints) -> Matrix:
        """The vectors of these rows, which are in rising order, copied side by side."""
        edges = np.searchsorted(rows, [*self._starts, self.count]).tolist()
        parts = [
            _readable(segment)[rows[low:high] - start]
            for segment, start, low, high in zip(self._segments, self._starts, edges, edges[1:], strict=False)
        ]
        return np.concatenate(parts) if parts else np.zeros((0, 0), dtype=np.float32)


@dataclass(slots=True, eq=False)
class Passing:
    """The rows that pass a filter, in rising order; `copied`: their vectors side by side, where that is kept.

    `asked`: when it was asked for last, counted in searches.
    """

    rows: Ints
    copied: Matrix | None = None
    asked: int = 0


class Remembered:
    """The filters asked lately: most questions come with the same audience, day and places.

    A filter that is asked again gets a copy of its vectors, so that the others are not multiplied. All copies
    together are no more than all the vectors; one gives way once it was not asked for in a while, and not before:
    copying costs more than it saves where many filters take turns. Safe across threads.
    """

    def __init__(self, vectors: Vectors) -> None:
        self._vectors = vectors
        self._lock = threading.Lock()
        self._searches = 0
        self._known: OrderedDict[Clauses, Passing] = OrderedDict()

    def passing(self, clauses: Clauses, find: Callable[[], Ints]) -> Passing:
        """What passes; `find` tells it of a filter that is not known."""
        with self._lock:
            known = self._known.get(clauses)
            again = known is not None and self._is_worth_a_copy(known)
            if known is not None:
                self._keep(clauses, known)
        if known is None:
            known = Passing(find())
        elif again:
            known = Passing(known.rows, self._vectors.gather(known.rows))
        else:
            return known
        with self._lock:
            self._keep(clauses, known)
        return known

    def _is_worth_a_copy(self, passing: Passing) -> bool:
        if passing.copied is not None or len(passing.rows) >= _COPY_BELOW * self._vectors.count:
            return False
        taken = 0
        for each in self._known.values():
            if each.asked < self._searches - _A_WHILE:
                each.copied = None
            taken += len(each.copied) if each.copied is not None else 0
        return taken + len(passing.rows) <= self._vectors.count

    def _keep(self, clauses: Clauses, passing: Passing) -> None:
        self._searches += 1
        passing.asked = self._searches
        self._known[clauses] = passing
        self._known.move_to_end(clauses)
        if len(self._known) > _REMEMBERED:
            self._known.popitem(last=False)


def _readable(segment: Segment) -> Matrix:
    if segment.vectors is None:
        raise Unavailable("vector_leg_failed", reason=f"segment {segment.name} cannot be read")
    return segment.vectors
