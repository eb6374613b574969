"""On which page of the printed document a place in its text is."""

from bisect import bisect_right
from collections.abc import Mapping, Sequence

from rag_core.layout import read_blocks


def page_starts(text: str, pages: Mapping[int, int]) -> tuple[tuple[int, int], ...]:
    """(offset, page) for each line of `text` (normal form) where a page begins; `pages` by index of its blocks."""
    if not pages:
        return ()
    blocks = enumerate(read_blocks(text))
    return tuple((text.rfind("\n", 0, block.start) + 1, pages[at]) for at, block in blocks if at in pages)


def page_at(starts: Sequence[tuple[int, int]], offset: int) -> int | None:
    """The page of the place `offset`; None in a document without pages."""
    at = bisect_right(starts, offset, key=lambda start: start[0])
    return starts[max(at - 1, 0)][1] if starts else None
