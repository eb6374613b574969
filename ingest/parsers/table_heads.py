"""Tables whose header row is not the first: a title, a date, and only then `Country | Allowed?`."""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from ingest.parsers.parsed import Piece
from ingest.places import names_only_places
from rag_core.layout import Block, BlockKind

_IN_TABLE = (BlockKind.HEADER_ROW, BlockKind.ROW)
_LOOKED_AT = 4
"""Rows at the top among which a header row is looked for."""
_MOST_WORDS = 6
_TITLES = re.compile(
    r"(?:country|countries|market|markets|region|regions|territory|location|state|states|product|products|category|"
    r"topic|type|vertical|policy|industry|continent)\b",
    re.IGNORECASE,
)


def with_header_rows_first(pieces: Sequence[Piece]) -> list[Piece]:
    """`pieces` with what stands above the header row of a table as paragraphs before it."""
    found: list[Piece] = []
    for in_table, group in groupby(pieces, key=lambda piece: piece.kind in _IN_TABLE):
        run = list(group)
        found.extend(_ordered(run) if in_table else run)
    return found


def _ordered(run: Sequence[Piece]) -> Iterator[Piece]:
    at = next((at for at in range(1, min(len(run), _LOOKED_AT)) if _is_header(run, at)), None)
    if at is None or not all(_is_title(piece) for piece in run[:at]) or len(run) == at + 1:
        yield from run
        return
    for piece in run[:at]:
        yield Piece(BlockKind.PARAGRAPH, next(iter(_words(piece))), page=piece.page)
    yield Piece(BlockKind.HEADER_ROW, run[at].text, page=run[at].page)
    yield from run[at + 1 :]


def _is_title(piece: Piece) -> bool:
    """A row with words in one cell only, or the same in all."""
    return len(_words(piece)) == 1 and len(_cells(piece)) > 1


def _is_header(run: Sequence[Piece], at: int) -> bool:
    cells = _cells(run[at])
    if run[at].kind is not BlockKind.ROW or len(_words(run[at])) < max(len(cells), 2):
        return False
    if any(len(cell.split()) > _MOST_WORDS for cell in cells) or names_only_places(cells[0]):
        return False
    return _TITLES.match(cells[0]) is not None or sum(names_only_places(cell) for cell in cells[1:]) > 1


def _cells(piece: Piece) -> tuple[str, ...]:
    return Block(piece.kind, piece.text).cells


def _words(piece: Piece) -> dict[str, None]:
    """The cells that say something, each once."""
    return dict.fromkeys(cell for cell in _cells(piece) if cell not in ("-", ""))
