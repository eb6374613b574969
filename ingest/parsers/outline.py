"""Numbered lines that are headings although nothing marks them: `4. Obscene content` between `3.` and `5.`."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from ingest.parsers.broken_lines import without_footers
from ingest.parsers.parsed import Piece
from ingest.parsers.place_lines import PlaceLines, names_only_places, opens_with_place
from ingest.parsers.table_heads import with_header_rows_first
from rag_core.layout import Block, BlockKind, collapse, sentence_spans

_NUMBERED = re.compile(r"(\d{1,2})[.)]\s+(?=[A-Z“\"'(])")
_LEAST = 3
"""Numbers in a row that make a series."""
_MOST_HEADING_WORDS = 10
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
        if len(piece.text.split()) > _MOST_HEADING_WORDS:
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


_LONGEST_HEADING = 100
_MOST_WORDS = 14
_UNDERLINE = re.compile(r"(?:={3,}|-{4,})$")
_STATES_A_RULE = re.compile(r"\b(?:must|may|can(?:['’]t|not)?|not|don['’]t|never|should|shall|are|is)\b", re.IGNORECASE)
_CONTENTS = re.compile(r"(?:table of )?contents|(?:in|on) this (?:page|article)", re.IGNORECASE)
_BOLD_LEVEL = 0
"""The level of a heading made of a bold line until `_with_levels` gives it one."""


def settle(pieces: Sequence[Piece]) -> tuple[tuple[Block, ...], dict[int, str]]:
    """The blocks of a document and the anchors of its headings, by index in the blocks."""
    return split(settled(pieces))


def settled(pieces: Sequence[Piece]) -> list[Piece]:
    """The pieces that become blocks, one each: headings found and given their levels."""
    found = with_header_rows_first(_without_underlines(without_footers(pieces)))
    found = _without_empty_headings(_with_glued_headings_apart(found))
    found = with_numbered_headings(found, _short)
    places = PlaceLines(each.text for each in found if each.bold or each.kind is not BlockKind.ITEM)
    found = _with_levels(_with_bold_headings(found, places), places)
    return [each for each in _without_contents(found) if each.text]


def split(pieces: Sequence[Piece]) -> tuple[tuple[Block, ...], dict[int, str]]:
    """Settled pieces as blocks, and the anchors of the headings among them by index."""
    blocks = tuple(Block(each.kind, each.text, each.level, each.marker) for each in pieces)
    anchors = {at: each.anchor for at, each in enumerate(pieces) if each.kind is BlockKind.HEADING and each.anchor}
    return blocks, anchors


def _without_underlines(pieces: Sequence[Piece]) -> list[Piece]:
    """A line of === or --- that empty lines part from the line above still underlines it."""
    found: list[Piece] = []
    for piece in pieces:
        if piece.kind is not BlockKind.PARAGRAPH or not _UNDERLINE.match(piece.text):
            found.append(piece)
            continue
        above = found[-1] if found else None
        if above is not None and above.kind is BlockKind.PARAGRAPH and _short(above.text):
            found[-1] = replace(above, kind=BlockKind.HEADING, level=1 if piece.text[0] == "=" else 2)
    return found


def _with_glued_headings_apart(pieces: Sequence[Piece]) -> list[Piece]:
    """`...relevant disclaimers**Australia**`: the place is the heading of what follows.

    And `... are needed. If your ad is shown in Australia, we allow:` leads into what follows, not into the line it
    stands in.
    """
    found: list[Piece] = []
    for piece in pieces:
        if piece.glued and piece.text.endswith(piece.glued) and names_only_places(piece.glued):
            found.append(replace(piece, text=piece.text.removesuffix(piece.glued).rstrip(), glued=""))
            found.append(Piece(BlockKind.HEADING, piece.glued, _BOLD_LEVEL, bold=True, page=piece.page))
        else:
            found.extend(_with_lead_in_apart(piece))
    return found


def _with_lead_in_apart(piece: Piece) -> Iterator[Piece]:
    if piece.kind is not BlockKind.ITEM or not piece.text.endswith(":"):
        yield piece
        return
    start = sentence_spans(piece.text)[-1][0]
    if start and opens_with_place(piece.text[start:]):
        yield replace(piece, text=piece.text[:start].rstrip())
        yield Piece(BlockKind.PARAGRAPH, piece.text[start:], page=piece.page)
    else:
        yield piece


def _without_empty_headings(pieces: Sequence[Piece]) -> list[Piece]:
    """An empty heading takes the short plain line that follows it."""
    found: list[Piece] = []
    for piece in pieces:
        above = found[-1] if found else None
        if above is not None and above.kind is BlockKind.HEADING and not above.text:
            found.pop()
            if piece.kind is BlockKind.PARAGRAPH and _short(piece.text):
                piece = replace(piece, kind=BlockKind.HEADING, level=above.level, anchor=piece.anchor or above.anchor)
        found.append(piece)
    return found


def _with_bold_headings(pieces: Sequence[Piece], places: PlaceLines) -> list[Piece]:
    found: list[Piece] = []
    for at, piece in enumerate(pieces):
        following = pieces[at + 1] if at + 1 < len(pieces) else None
        before = pieces[at - 1] if at else None
        if following is None or not (
            _is_bold_heading(piece, following) or _is_bare_place(before, piece, following, places)
        ):
            found.append(piece)
        else:
            text = piece.text.removesuffix(":").rstrip()
            found.append(replace(piece, kind=BlockKind.HEADING, text=text, level=_BOLD_LEVEL))
    return found


def _is_bold_heading(piece: Piece, following: Piece) -> bool:
    if piece.kind is not BlockKind.PARAGRAPH or not piece.bold:
        return False
    label = piece.text.removesuffix(":")
    if names_only_places(label):
        return True
    if not _short(piece.text):
        return False
    if not label[:1].isalnum() and label[:1] not in "“\"'(§¿":  # a tick or a cross before a rule
        return False
    leads_in = following.kind is BlockKind.ITEM
    if piece.text.endswith(":"):
        return not leads_in and len(label.split()) <= 3 and following.kind is not BlockKind.HEADING
    return not (leads_in and _STATES_A_RULE.search(label))


def _is_bare_place(before: Piece | None, piece: Piece, following: Piece, places: PlaceLines) -> bool:
    """A country's name alone on a line, but not one of a list of such lines."""
    if following.kind is BlockKind.HEADING or not _is_place_line(piece, places):
        return False
    if before is not None and before.kind is BlockKind.PARAGRAPH and before.text.endswith(":") and not places.many:
        return False
    return not _is_place_line(following, places) and not (before is not None and _is_place_line(before, places))


def _is_place_line(piece: Piece, places: PlaceLines) -> bool:
    return piece.kind is BlockKind.PARAGRAPH and places.is_line(piece.text)


def _short(text: str) -> bool:
    few = len(text) <= _LONGEST_HEADING and len(text.split()) <= _MOST_WORDS
    return few and not text.endswith((".", ",", ";", "!"))


def _with_levels(pieces: Sequence[Piece], places: PlaceLines) -> list[Piece]:
    """Headings made of bold lines go one level below the last real heading; among them, places and topics nest."""
    found: list[Piece] = []
    real = 0
    for section in _real_sections(pieces):
        if section[0].kind is BlockKind.HEADING and section[0].level != _BOLD_LEVEL:
            real = section[0].level
        places_deeper, topics_deeper = _nesting(section, places)
        for piece in section:
            if piece.kind is BlockKind.HEADING and piece.level == _BOLD_LEVEL:
                deeper = places_deeper if places.is_heading(piece.text) else topics_deeper
                piece = replace(piece, level=min((real or 1) + 1 + deeper, 6))
            found.append(piece)
    return found


def _real_sections(pieces: Sequence[Piece]) -> Iterator[list[Piece]]:
    section: list[Piece] = []
    for piece in pieces:
        if piece.kind is BlockKind.HEADING and piece.level != _BOLD_LEVEL and section:
            yield section
            section = []
        section.append(piece)
    if section:
        yield section


def _nesting(section: Sequence[Piece], places: PlaceLines) -> tuple[int, int]:
    """How much deeper than the first bold heading of a section places go, and topics.

    Topics first, places below them; or places first with topics between them, topics below; else all alike.
    """
    are_places = [
        places.is_heading(piece.text)
        for piece in section
        if piece.kind is BlockKind.HEADING and piece.level == _BOLD_LEVEL
    ]
    if not any(are_places) or all(are_places):
        return 0, 0
    if not are_places[0]:
        return 1, 0
    last_place = len(are_places) - 1 - are_places[::-1].index(True)
    return 0, 0 if all(are_places[:last_place]) else 1


def _without_contents(pieces: Sequence[Piece]) -> list[Piece]:
    """A table of contents repeats headings as links: the links give the anchors, the lines go."""
    headings = {_key(piece.text) for piece in pieces if piece.kind is BlockKind.HEADING}
    entries = {_key(piece.text): piece.target for piece in pieces if _is_entry(piece) and _key(piece.text) in headings}
    found: list[Piece] = []
    for piece in pieces:
        if _CONTENTS.fullmatch(piece.text) or (_is_entry(piece) and _key(piece.text) in headings):
            continue
        if piece.kind is BlockKind.HEADING and piece.anchor is None:
            piece = replace(piece, anchor=entries.get(_key(piece.text)))
        found.append(piece)
    return found


def _is_entry(piece: Piece) -> bool:
    return piece.target is not None and piece.kind in (BlockKind.PARAGRAPH, BlockKind.ITEM)


def _key(text: str) -> str:
    return collapse(text).casefold().rstrip(".:")
