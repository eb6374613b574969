"""Which row of a table is its header, where the format does not say: `Country | Allowed?`, perhaps below a title."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
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


_SHORT = 5
"""Words of a cell of a first row that is taken for the header by its look."""
_CONTRAST = 0.6
"""The part of a column's cells that are of another kind than what stands above them."""
_VERDICT = re.compile(
    r"(?:yes|no|not?|x|[✅❌✓✔✗✘☑☒🚫]|(?:not |conditionally |partly |un)?(?:allowed|permitted|prohibited|forbidden|"
    r"banned|restricted|limited|accepted|approved|eligible|required|available)|n/?a|-)\W*",
    re.IGNORECASE,
)


def with_header_rows_first(pieces: Sequence[Piece]) -> list[Piece]:
    """`pieces` with the header rows of tables marked as such, and what stands above them as paragraphs before."""
    found: list[Piece] = []
    for in_table, group in groupby(pieces, key=lambda piece: piece.kind in _IN_TABLE):
        run = list(group)
        found.extend(_ordered(_without_false_header(run)) if in_table else run)
    return found


def _without_false_header(run: Sequence[Piece]) -> list[Piece]:
    """A table of Markdown must have a header: left empty, or a row like all others (`Mexico | no`), it is none."""
    if run[0].kind is not BlockKind.HEADER_ROW or len(run) == 1:
        return list(run)
    if not _words(run[0]):
        return list(run[1:])
    first, *others = _cells(run[0])
    if names_only_places(first) and any(cell != "-" and _VERDICT.fullmatch(cell) for cell in others):
        return [replace(run[0], kind=BlockKind.ROW), *run[1:]]
    return list(run)


def _ordered(run: Sequence[Piece]) -> Iterator[Piece]:
    if _opens_with_header(run):
        yield replace(run[0], kind=BlockKind.HEADER_ROW)
        yield from run[1:]
        return
    at = next((at for at in range(1, min(len(run), _LOOKED_AT)) if _is_header(run, at)), None)
    if at is None or not all(_is_title(piece) for piece in run[:at]) or len(run) == at + 1:
        yield from run
        return
    for piece in run[:at]:
        yield Piece(BlockKind.PARAGRAPH, next(iter(_words(piece))), page=piece.page)
    yield Piece(BlockKind.HEADER_ROW, run[at].text, page=run[at].page)
    yield from run[at + 1 :]


def _opens_with_header(run: Sequence[Piece]) -> bool:
    """Whether the first row names what stands below it: short, different words, and cells of another kind below."""
    cells = _cells(run[0])
    if (
        any(piece.kind is BlockKind.HEADER_ROW for piece in run)
        or len(run) < 2
        or len(_words(run[0])) < max(len(cells), 2)
    ):
        return False
    is_titled = _TITLES.match(cells[0]) is not None
    if names_only_places(cells[0]) or not all(_is_name(cell) for cell in cells):
        return False
    if not is_titled and any(_VERDICT.fullmatch(cell) for cell in cells):
        return False
    below = [_cells(piece) for piece in run[1:]]
    return any(_differs(cell, [row[at] for row in below if at < len(row)]) for at, cell in enumerate(cells))


def _is_name(cell: str) -> bool:
    """Whether a cell may be a column's name, and not a statement or a value."""
    return len(cell.split()) <= _SHORT and not re.search(r"\d", cell) and not cell.endswith((".", ":", ";", "!"))


def _differs(name: str, below: Sequence[str]) -> bool:
    """Whether most cells of a column are values, and its first is none."""
    values = [cell for cell in below if _kind(cell) not in ("name", _kind(name))]
    return bool(below) and len(values) >= _CONTRAST * len(below)


def _kind(cell: str) -> str:
    if _VERDICT.fullmatch(cell) and not cell.endswith("?"):
        return "verdict"
    if re.search(r"\d", cell):
        return "number"
    if names_only_places(cell):
        return "place"
    return "name" if _is_name(cell) else "text"


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
