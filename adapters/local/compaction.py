"""Keeps segments few and mostly alive, at a cost that grows with what is written, not with what is there."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from adapters.local.manifest import Manifest, SegmentEntry
from adapters.local.segments import SegmentFile, read_rows, read_vectors, segment_name
from rag_core.errors import Misconfigured

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
