"""Numbered lines that are headings although nothing marks them: `4. Obscene content` between `3.` and `5.`."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from ingest.parsers.parsed import Piece
from rag_core.layout import BlockKind

_NUMBERED = re.compile(r"(\d{1,2})[.)]\s+(?=[A-Z“\"'(])")
_LEAST = 3
"""Numbers in a row that make a series."""
_MOST_WORDS = 10
_DEEPEST = 6


def with_numbered_headings(pieces: Sequence[Piece], is_short: Callable[[str], bool]) -> list[Piece]:
    """`pieces` with such lines as headings, one level above the headings between them.

    A series counts up by one, from line to line, and between its lines stands text; headings of the same series that
    are marked count with it and give the level.
    """
    numbers = {at: number for at, piece in enumerate(pieces) if (number := _number(pieces, at, is_short)) is not None}
    found = list(pieces)
    for series in _series(numbers):
        plain = [at for at in series if pieces[at].kind is not BlockKind.HEADING]
        level = _level(pieces, series)
        if len(series) >= _LEAST and plain and level is not None:
            for at in plain:
                found[at] = replace(found[at], kind=BlockKind.HEADING, level=level)
    return found


def _number(pieces: Sequence[Piece], at: int, is_short: Callable[[str], bool]) -> int | None:
    piece = pieces[at]
    match = _NUMBERED.match(piece.text)
    if match is None or piece.kind not in (BlockKind.PARAGRAPH, BlockKind.HEADING):
        return None
    if piece.kind is BlockKind.PARAGRAPH:
        following = pieces[at + 1] if at + 1 < len(pieces) else None
        stands_alone = following is not None and not _NUMBERED.match(following.text)
        if not stands_alone or not is_short(piece.text) or piece.text.endswith(":"):
            return None
        if len(piece.text.split()) > _MOST_WORDS:
            return None
    return int(match[1])


def _series(numbers: dict[int, int]) -> list[list[int]]:
    """The indices of lines whose numbers follow each other."""
    series: list[list[int]] = []
    last = 0
    for at, number in numbers.items():
        if series and number == last + 1:
            series[-1].append(at)
        elif not series or number != last:
            series.append([at])
        last = number
    return series


def _level(pieces: Sequence[Piece], series: Sequence[int]) -> int | None:
    """The level of the marked headings of a series, else one above what stands between; None if that is no room."""
    marked = [pieces[at].level for at in series if pieces[at].kind is BlockKind.HEADING and pieces[at].level]
    if marked:
        return marked[0]
    last = series[-1]
    between = [
        piece.level
        for at, piece in enumerate(pieces[series[0] : last], series[0])
        if piece.kind is BlockKind.HEADING and piece.level and at not in series
    ]
    if between:
        return min(between) - 1 if min(between) > 1 else None
    above = [piece.level for piece in pieces[: series[0]] if piece.kind is BlockKind.HEADING and piece.level]
    return min((above[-1] if above else 1) + 1, _DEEPEST)
