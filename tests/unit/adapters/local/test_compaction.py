"""Which segments are merged, and that merging keeps the rows."""

import math
from itertools import pairwise
from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from adapters.local.index_writer import compact, merge_plan
from adapters.local.manifest import Manifest, SegmentEntry
from adapters.local.segments import SegmentFile, read_segment
from tests.fakes.indexes import DIMENSIONS, one_chunk, vectorised

SEGMENTS = st.lists(
    st.integers(1, 1000).flatmap(lambda rows: st.tuples(st.just(rows), st.integers(0, rows))), max_size=30
).map(lambda sizes: [SegmentEntry(str(n), rows, tuple(range(dead))) for n, (rows, dead) in enumerate(sizes)])


@given(SEGMENTS)
def test_a_plan_keeps_order_and_every_live_row_in_few_segments(segments: list[SegmentEntry]) -> None:
    plan = merge_plan(segments)
    assert [segment for group in plan for segment in group] == [segment for segment in segments if segment.live]
    sizes = [sum(segment.live for segment in group) for group in plan]
    assert all(earlier > 2 * later for earlier, later in pairwise(sizes))
    assert len(plan) <= math.log2(sum(sizes) + 1) + 1


def written(folder: Path, *counts: int) -> Manifest:
    """Segments with so many rows each; serials rise from 1."""
    serial, entries = 1, []
    for number, count in enumerate(counts, start=1):
        file = SegmentFile(folder, f"{number:06}")
        for _ in range(count):
            (entry,) = vectorised(one_chunk(f"acme_{serial}", f"alcohol rule {serial}"))
            file.add(serial, entry, entry.vector)
            serial += 1
        entries.append(file.close())
    return Manifest("m", DIMENSIONS, "build-000001", 1, serial, len(counts) + 1, tuple(entries))


def with_dead(manifest: Manifest, *dead: tuple[int, ...]) -> Manifest:
    segments = tuple(
        SegmentEntry(entry.name, entry.rows, gone) for entry, gone in zip(manifest.segments, dead, strict=True)
    )
    return Manifest("m", DIMENSIONS, "build-000001", 1, manifest.next_serial, manifest.next_segment, segments)


def test_merging_keeps_live_rows_with_their_vectors(tmp_path: Path) -> None:
    before = with_dead(written(tmp_path, 3, 2), (2,), (4,))
    old = [read_segment(tmp_path, entry, DIMENSIONS) for entry in before.segments]
    after = compact(tmp_path, before)
    (entry,) = after.segments
    merged = read_segment(tmp_path, entry, DIMENSIONS)
    assert (entry.rows, entry.dead, after.next_segment) == (3, (), 4)
    assert merged.serials.tolist() == [1, 3, 5]
    kept = [(old[0], 0), (old[0], 2), (old[1], 1)]
    assert merged.chunk_ids == [segment.chunk_ids[row] for segment, row in kept]
    assert merged.vectors is not None
    for row, (segment, place) in enumerate(kept):
        assert segment.vectors is not None
        assert np.array_equal(merged.vectors[row], segment.vectors[place])
        assert {f for f, rows in merged.facets.items() if row in rows} == {
            f for f, rows in segment.facets.items() if place in rows
        }


def test_a_segment_is_rewritten_only_when_much_of_it_is_dead(tmp_path: Path) -> None:
    manifest = written(tmp_path, 8)
    few = with_dead(manifest, (1, 2))
    assert compact(tmp_path, few).segments == few.segments
    (rewritten,) = compact(tmp_path, with_dead(manifest, (1, 2, 3))).segments
    assert (rewritten.name, rewritten.rows, rewritten.dead) == ("000002", 5, ())


def test_a_segment_without_live_rows_goes(tmp_path: Path) -> None:
    manifest = with_dead(written(tmp_path, 2), (1, 2))
    assert compact(tmp_path, manifest).segments == ()
