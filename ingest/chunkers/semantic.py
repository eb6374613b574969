"""Small sections joined with what follows them."""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import groupby

from ingest.chunkers.atoms import Atom, Line, lines_of
from ingest.chunkers.cutting import Cutter
from ingest.chunkers.drafts import ChunkDraft, TokenCounter
from ingest.chunkers.fitting import fitted_drafts, size
from ingest.chunkers.marks import has_cross_reference
from ingest.chunkers.outline import Section, sections
from ingest.places import Places
from rag_core.layout import BlockKind, read_blocks


@dataclass(frozen=True, slots=True)
class _Limits:
    """`headings`: where the line of each heading of the text begins."""

    headings: Sequence[int]
    count: TokenCounter
    max_tokens: int
    least: int
    most: int
    after_heading: int


def join_small(
    text: str,
    drafts: Sequence[ChunkDraft],
    count: TokenCounter,
    max_tokens: int,
    *,
    least: int,
    most: int,
    after_heading: int,
) -> list[ChunkDraft]:
    """`drafts` with those below `least` characters joined to their neighbours of the next section, within `most`.

    Only under a common heading and for the same places and rule. The text of a joined draft begins with its first
    heading, where that is no longer in its path. A heading inside keeps `after_heading` characters, or its whole
    section.
    """
    blocks = read_blocks(text)
    headings = [text.rfind("\n", 0, block.start) + 1 for block in blocks if block.kind is BlockKind.HEADING]
    limits = _Limits(headings, count, max_tokens, least, most, after_heading)
    found: list[ChunkDraft] = []
    for at, draft in enumerate(drafts):
        following = drafts[at + 1] if at + 1 < len(drafts) else None
        taken = found[-2].end if len(found) > 1 else 0
        joined = _joined(text, found[-1], draft, following, limits, taken) if found else None
        if joined is not None:
            found[-1] = joined
        else:
            found.append(draft)
    return found


def _joined(
    text: str, one: ChunkDraft, other: ChunkDraft, following: ChunkDraft | None, limits: _Limits, taken: int
) -> ChunkDraft | None:
    """`taken`: up to where the text belongs to drafts before `one`, which may hold for other places."""
    lengths = (one.end - one.start, other.end - other.start)
    common = _common(one.path, other.path)
    if min(lengths) >= limits.least or other.lead_in or one.path == other.path or not common:
        return None
    if one.places != other.places or one.rule_number != other.rule_number:
        return None
    goes_on = following is not None and following.path == other.path
    if goes_on and lengths[1] < limits.after_heading:
        return None
    level = one.level if common == one.path else max(min(one.level, other.level) - 1, 0)
    start = one.start if common == one.path else _heading_start(limits.headings, one.start)
    joined = replace(one, start=start, end=other.end, path=common, level=level, is_atomic=False)
    fits = taken <= start and other.end - start <= limits.most and size(text, joined, limits.count) <= limits.max_tokens
    return joined if fits else None


def _common(one: Sequence[str], other: Sequence[str]) -> tuple[str, ...]:
    """The path of the joined draft: that of the one above, or the parent of both; () if they are further apart."""
    if tuple(other[: len(one)]) == tuple(one):
        return tuple(one)
    return tuple(one[:-1]) if one[:-1] == other[:-1] else ()


def _heading_start(headings: Sequence[int], start: int) -> int:
    """Where the line of the last heading at or before `start` begins; `start` where there is none."""
    at = bisect_right(headings, start)
    return headings[at - 1] if at else start


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
