"""Rows of all segments, numbered through."""

from pathlib import Path

from adapters.local.manifest import SegmentEntry
from adapters.local.segments import Segment, SegmentFile, read_segment
from adapters.local.snapshot import Columns
from tests.fakes.indexes import DIMENSIONS, one_chunk, vectorised


def segment(folder: Path, name: str, *serials: int) -> Segment:
    file = SegmentFile(folder, name)
    for serial in serials:
        (entry,) = vectorised(one_chunk(f"acme_{serial}", "alcohol"))
        file.add(serial, entry, entry.vector)
    entry_: SegmentEntry = file.close()
    return read_segment(folder, entry_, DIMENSIONS)


def test_rows_of_serials_that_are_here_and_count(tmp_path: Path) -> None:
    columns = Columns([segment(tmp_path, "a", 3, 4, 7), segment(tmp_path, "b", 9, 12)], frozenset({4}))
    assert columns.rows_of([12, 3, 7, 9]) == [4, 0, 2, 3]
    assert columns.rows_of([4, 1, 5, 13, 0]) == [-1, -1, -1, -1, -1]
    assert columns.rows_of([]) == []


def test_an_index_without_rows_has_no_serial(tmp_path: Path) -> None:
    assert Columns([], frozenset()).rows_of([1, 2]) == [-1, -1]


def test_what_counts_no_more_is_in_no_list(tmp_path: Path) -> None:
    columns = Columns([segment(tmp_path, "a", 1, 2)], frozenset({2}))
    assert [chunk.doc_id for chunk in columns.indexed().values()] == ["acme_1_2026-01-01"]
    assert columns.rows_by_doc == {"acme_1_2026-01-01": [0]}
