"""Chunks of 100 to 1,000 characters that end where a thought ends, for prose with few headings.

- Tables, numbered lists and lines that refer to other sections stay whole, beyond 1,000 characters too, as long as the
  embedder can read them; a larger table is parted between rows and its header becomes the lead-in ("table_split").
- A heading keeps at least 200 characters of what follows it: a part below that takes the next piece, whatever its size.
- Sections below 100 characters join their neighbour under the same parent heading, if both hold for the same place.
- Up to 150 characters of whole sentences from the end of a part open the next one too. The slices overlap then; each
  still is exact. Items and rows are not repeated: their lead-in does what an overlap is for, and a rule shown twice
  would count twice.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import groupby

from ingest.chunkers.atoms import Atom, Line, lines_of
from ingest.chunkers.cutting import Cutter
from ingest.chunkers.drafts import ChunkDraft, TokenCounter
from ingest.chunkers.fitting import fitted_drafts
from ingest.chunkers.joining import join_small
from ingest.chunkers.marks import has_cross_reference
from ingest.chunkers.outline import Section, sections
from ingest.places import Places
from rag_core.layout import BlockKind, read_blocks

CHUNKER = "semantic-2"

MOST = 1_000
LEAST = 100
OVERLAP = 150
AFTER_HEADING = 200
"""Characters."""

_TABLE = (BlockKind.HEADER_ROW, BlockKind.ROW)
Fits = Callable[[Sequence[Atom]], bool]


def semantic_chunks(
    text: str, anchors: Mapping[int, str], title: str, places: Places, count: TokenCounter, max_tokens: int
) -> list[ChunkDraft]:
    """As `sections.section_chunks`."""
    counted = cache(count)
    found = sections(read_blocks(text), anchors, title, places)
    drafts = [draft for section in found for draft in _chunks(text, section, counted, max_tokens)]
    return join_small(text, drafts, counted, max_tokens, least=LEAST, most=MOST, after_heading=AFTER_HEADING)


def _chunks(text: str, section: Section, count: TokenCounter, max_tokens: int) -> list[ChunkDraft]:
    cutter = Cutter(text, lines_of(section, text), count, max_tokens // 3)
    return fitted_drafts(cutter, section, max_tokens, _parts)


def _parts(cutter: Cutter, room: int) -> list[list[Atom]]:
    def read_whole(part: Sequence[Atom]) -> bool:
        return sum(atom.tokens for atom in part) <= room - cutter.tokens(cutter.lead_in(part[0]))

    found: list[list[Atom]] = []
    least_room = room - cutter.most_lead_in
    for _, run in groupby(range(len(cutter.lines)), key=lambda at: cutter.lines[at].scope):
        units = [
            piece for unit in _units(cutter.lines, list(run)) for piece in _pieces(cutter, unit, read_whole, least_room)
        ]
        found.extend(_overlapping(_packed(units, cutter.lines, read_whole), cutter.lines, read_whole))
    return found


def _units(lines: Sequence[Line], run: Sequence[int]) -> Iterator[list[int]]:
    """Lines that belong together: a table, a numbered list, an item with those below it, each with its lead-in."""
    unit: list[int] = []
    for at in run:
        if unit and not (lines[unit[-1]].joined or _same_group(lines, unit, at)):
            yield unit
            unit = []
        unit.append(at)
    if unit:
        yield unit


def _same_group(lines: Sequence[Line], unit: Sequence[int], at: int) -> bool:
    before, block = lines[unit[-1]].block, lines[at].block
    if block.kind is BlockKind.ROW:
        return before.kind in _TABLE
    if block.kind is not BlockKind.ITEM or before.kind is not BlockKind.ITEM:
        return False
    first = next(lines[each].block for each in unit if lines[each].block.kind is BlockKind.ITEM)
    return block.level > first.level or (first.marker != "-" and block.marker != "-")


def _pieces(cutter: Cutter, unit: Sequence[int], read_whole: Fits, least_room: int) -> list[list[Atom]]:
    """A unit as one piece where it may stay whole, else in lines, else in sentences."""
    atoms = cutter.whole(unit)
    if read_whole(atoms) and (_length(atoms) <= MOST or _is_atomic(cutter, unit)):
        return [atoms]
    return [piece for atom in atoms for piece in _line_pieces(cutter, atom, read_whole, least_room)]


def _line_pieces(cutter: Cutter, atom: Atom, read_whole: Fits, least_room: int) -> list[list[Atom]]:
    if atom.tokens <= least_room and (atom.end - atom.start <= MOST or _is_atomic(cutter, [atom.block])):
        return [[atom]]
    if cutter.lines[atom.block].block.kind in _TABLE:
        return [[part] for part in cutter.parts(atom, least_room)]
    return [[part] for part in cutter.sentences(atom, least_room)]


def _is_atomic(cutter: Cutter, unit: Sequence[int]) -> bool:
    blocks = [cutter.lines[at].block for at in unit]
    numbered = any(block.kind is BlockKind.ITEM and block.marker != "-" for block in blocks)
    table = any(block.kind in _TABLE for block in blocks)
    return table or numbered or any(has_cross_reference(block.text) for block in blocks)


def _packed(units: Sequence[list[Atom]], lines: Sequence[Line], read_whole: Fits) -> list[list[Atom]]:
    """As many units as fit in each part; what would be left below the least size stays with the part before it."""
    parts: list[list[Atom]] = []
    for unit in units:
        joined = [*parts[-1], *unit] if parts else unit
        short = bool(parts) and _length(parts[-1]) < AFTER_HEADING
        most = MOST - OVERLAP if len(parts) > 1 and _is_prose(lines, joined[0]) else MOST
        if parts and read_whole(joined) and (_length(joined) <= most or short):
            parts[-1] = joined
        else:
            parts.append(unit)
    if len(parts) > 1 and _length(parts[-1]) < LEAST and read_whole([*parts[-2], *parts[-1]]):
        parts[-2:] = [[*parts[-2], *parts[-1]]]
    return parts


def _overlapping(parts: Sequence[list[Atom]], lines: Sequence[Line], read_whole: Fits) -> Iterator[list[Atom]]:
    """Each part with the sentences before it that fit into the overlap."""

    def too_long(opening: Sequence[Atom], part: Sequence[Atom]) -> bool:
        return _length(opening) > OVERLAP or _length([*opening, *part]) > MOST

    before: list[Atom] = []
    for part in parts:
        opening: list[Atom] = []
        for atom in reversed(before if _is_prose(lines, part[0]) else []):
            wider = [atom, *opening]
            if too_long(wider, part) or not _is_prose(lines, atom) or not read_whole([*wider, *part]):
                break
            opening = wider
        yield [*opening, *part]
        before = part


def _is_prose(lines: Sequence[Line], atom: Atom) -> bool:
    return lines[atom.block].block.kind is BlockKind.PARAGRAPH


def _length(part: Sequence[Atom]) -> int:
    return part[-1].end - part[0].start
