"""The reading order of a page: columns from left to right, what goes across them in between."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from ingest.parsers.pdf.page import PageTable, Segment, TextLine, Word, rows_of, segments_of

Element = Segment | PageTable
Ordered = TextLine | PageTable

_LEAST_LINES = 3
_PROSE_FILLS = 0.6
"""The part of its column's width that a usual line of prose takes; cells of a table take less."""
_PROSE_LETTERS = 18
_MOST_COLUMNS = 6


def reading_order(words: Sequence[Word], tables: Sequence[PageTable]) -> list[Ordered]:
    """Lines and tables as a person reads them. `words`: without those in the tables."""
    segments = [segment for row in rows_of(words) for segment in segments_of(row)]
    return _ordered([*segments, *tables], _MOST_COLUMNS)


def _ordered(elements: Sequence[Element], depth: int) -> list[Ordered]:
    gutter = _gutter(elements) if depth else None
    if gutter is None:
        return _one_column(elements)
    found: list[Ordered] = []
    for band in _bands(elements, gutter):
        left = [each for each in band if each.x1 <= gutter]
        right = [each for each in band if each.x0 >= gutter]
        if len(left) + len(right) < len(band):
            found.extend(_one_column(band))
        else:
            found.extend(_ordered(left, depth - 1))
            found.extend(_ordered(right, depth - 1))
    return found


def _bands(elements: Sequence[Element], gutter: float) -> list[list[Element]]:
    """From top to bottom: what goes across the gutter, and what stands between in columns."""
    across = sorted((each for each in elements if each.x0 < gutter < each.x1), key=lambda each: each.top)
    beside = [each for each in elements if not each.x0 < gutter < each.x1]
    bands: list[list[Element]] = []
    for crossing in across:
        above = [each for each in beside if _middle(each) < _middle(crossing)]
        beside = [each for each in beside if _middle(each) >= _middle(crossing)]
        above, titles = _without_titles(above)
        if above:
            bands.append(above)
        bands.extend([title] for title in titles)
        if bands and not above and any(each.x0 < gutter < each.x1 for each in bands[-1]):
            bands[-1].append(crossing)
        else:
            bands.append([crossing])
    return [*bands, beside] if beside else bands


def _without_titles(above: list[Element]) -> tuple[list[Element], list[Element]]:
    """The headings at the end, below both columns: they belong to what goes across."""
    rest = sorted(above, key=lambda each: each.top)
    titles: list[Element] = []
    while len(rest) > 1 and isinstance(last := rest[-1], Segment) and _stands_out(last, rest[:-1]):
        titles.insert(0, rest.pop())
    return rest, titles


def _stands_out(last: Segment, others: Sequence[Element]) -> bool:
    size = max(word.size for word in last.words)
    sizes = [word.size for each in others if isinstance(each, Segment) for word in each.words[:1]]
    usual = median(sizes) if sizes else size
    apart = last.top - max(each.bottom for each in others)
    return apart > 0.4 * size and (size > 1.1 * usual or all(word.bold for word in last.words))


def _middle(element: Element) -> float:
    return (element.top + element.bottom) / 2


@dataclass(frozen=True, slots=True)
class _Cut:
    at: float
    lines: int
    width: float


def _gutter(elements: Sequence[Element]) -> float | None:
    """Where two columns of prose part; None for one column, and for a table without rulings."""
    segments = [each for each in elements if isinstance(each, Segment)]
    cuts = [_cut_at(segments, edge) for edge in sorted({round(each.x1) for each in segments})]
    found = [cut for cut in cuts if cut is not None]
    return max(found, key=lambda cut: (cut.lines, cut.width)).at if found else None


def _cut_at(segments: Sequence[Segment], edge: float) -> _Cut | None:
    left = [each for each in segments if each.x1 <= edge + 1]
    right = [each for each in segments if each.x0 > edge + 1]
    left, right = _beside(left, right), _beside(right, left)
    if min(len(left), len(right)) < _LEAST_LINES:
        return None
    begins, ends = min(each.x0 for each in right), max(each.x1 for each in left)
    width = begins - ends
    size = median(word.size for each in left for word in each.words)
    if width < 0.8 * size or not _is_prose(left) or not _is_prose(right):
        return None
    middle = (begins + ends) / 2
    across = sum(1 for each in segments if each.x0 < middle < each.x1 and _among(each, left))
    if across > min(len(left), len(right)):
        return None
    return _Cut(middle, min(len(left), len(right)), width)


def _beside(these: Sequence[Segment], those: Sequence[Segment]) -> list[Segment]:
    """Those of `these` that stand at a height where `those` begin and end."""
    if not those:
        return []
    top, bottom = min(each.top for each in those), max(each.bottom for each in those)
    return [each for each in these if top <= _middle(each) <= bottom]


def _among(segment: Segment, lines: Sequence[Segment]) -> bool:
    return min(each.top for each in lines) <= _middle(segment) <= max(each.bottom for each in lines)


def _is_prose(segments: Sequence[Segment]) -> bool:
    width = max(each.x1 for each in segments) - min(each.x0 for each in segments)
    usual = median(each.x1 - each.x0 for each in segments)
    return usual >= _PROSE_FILLS * width and median(len(each.text) for each in segments) >= _PROSE_LETTERS


def _one_column(elements: Sequence[Element]) -> list[Ordered]:
    segments = [each for each in elements if isinstance(each, Segment)]
    found: list[Ordered] = [each for each in elements if isinstance(each, PageTable)]
    if segments:
        left, right = min(each.x0 for each in segments), max(each.x1 for each in segments)
        rows = rows_of(word for each in segments for word in each.words)
        found.extend(TextLine(tuple(segments_of(row)), left, right) for row in rows)
    return sorted(found, key=_place)


def _place(each: Ordered) -> float:
    return each.top if isinstance(each, PageTable) else each.base
