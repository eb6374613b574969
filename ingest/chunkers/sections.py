"""Chunks by section: the default chunker.

A section that fits what the embedder reads is one chunk. A longer one is cut into parts of about equal size at the
ends of lines and sentences; a part that begins inside a list or table carries its lead-in.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import groupby

from ingest.chunkers.atoms import Atom, Line, lines_of
from ingest.chunkers.cutting import Cutter
from ingest.chunkers.drafts import PATH_SEPARATOR, ChunkDraft, TokenCounter
from ingest.chunkers.outline import Section, sections
from ingest.chunkers.packing import packed
from ingest.chunkers.parts import word_spans
from ingest.places import Places
from rag_core.documents import search_text
from rag_core.layout import BlockKind, read_blocks

CHUNKER = "sections-1"
"""Goes into a version's `pipeline`: change it when the same text would be cut differently."""

_TRIES = 8


def section_chunks(
    text: str, anchors: Mapping[int, str], title: str, places: Places, count: TokenCounter, max_tokens: int
) -> list[ChunkDraft]:
    """The chunks of a document's text in normal form; every chunk's search text has at most `max_tokens` tokens.

    `anchors`: by the index of a heading in the text's blocks. `places`: where the whole document holds.
    """
    counted = cache(count)  # lead-ins are weighed again and again
    found = sections(read_blocks(text), anchors, title, places)
    return [draft for section in found for draft in _chunks(text, section, counted, max_tokens)]


def _chunks(text: str, section: Section, count: TokenCounter, max_tokens: int) -> list[ChunkDraft]:
    path = _fitted_path(section.path, max_tokens // 4, count)
    cutter = Cutter(text, lines_of(section, text), count, max_tokens // 3)
    room = max_tokens - count(PATH_SEPARATOR.join(path))
    drafts: list[ChunkDraft] = []
    for _ in range(_TRIES):
        drafts = [_draft(cutter, section, path, part) for part in _parts(cutter, room)]
        largest = max((_size(text, draft, count) for draft in drafts), default=0)
        if largest <= max_tokens:
            break
        # this tokenizer counts more for the whole than for its lines
        room = max(cutter.most_lead_in + max_tokens // 8, room * max_tokens // largest - 1)
    return drafts


def _parts(cutter: Cutter, room: int) -> list[list[Atom]]:
    def room_after(first: Atom) -> int:
        return room - cutter.tokens(cutter.lead_in(first))

    least = room - cutter.most_lead_in
    found: list[list[Atom]] = []
    for _, run in groupby(range(len(cutter.lines)), key=lambda at: cutter.lines[at].scope):
        atoms = cutter.whole(list(run))
        if sum(atom.tokens for atom in atoms) > room_after(atoms[0]):
            atoms = [part for atom in atoms for part in cutter.parts(atom, least)]
        found.extend(packed(atoms, room_after, least))
    return found


def _draft(cutter: Cutter, section: Section, path: tuple[str, ...], part: Sequence[Atom]) -> ChunkDraft:
    first, last = part[0], part[-1]
    lead = cutter.lead_in(first)
    places, rule = first.scope
    atomic = not lead and _is_whole_group(cutter.lines, part)
    return ChunkDraft(first.start, last.end, lead, path, section.level, places, rule, section.anchor, atomic)


def _is_whole_group(lines: Sequence[Line], part: Sequence[Atom]) -> bool:
    """Whether a part is one list or one table, complete, with the paragraph before it at most."""
    kinds = [lines[atom.block].block.kind for atom in part]
    body = kinds[1:] if kinds[0] is BlockKind.PARAGRAPH else kinds
    after = lines[part[-1].block + 1].block.kind if part[-1].block + 1 < len(lines) else None
    is_list = bool(body) and set(body) == {BlockKind.ITEM} and after is not BlockKind.ITEM
    is_table = bool(body) and set(body) <= {BlockKind.HEADER_ROW, BlockKind.ROW} and after is not BlockKind.ROW
    return is_list or is_table


def _size(text: str, draft: ChunkDraft, count: TokenCounter) -> int:
    return count(search_text(PATH_SEPARATOR.join(draft.path), draft.lead_in, text[draft.start : draft.end]))


def _fitted_path(path: tuple[str, ...], most_tokens: int, count: TokenCounter) -> tuple[str, ...]:
    """`path` within `most_tokens`: the headings between the first and the last go first, then words at the ends."""
    while len(path) > 2 and count(PATH_SEPARATOR.join(path)) > most_tokens:
        path = (path[0], *path[2:])
    if len(path) == 2 and count(PATH_SEPARATOR.join(path)) > most_tokens:
        path = path[1:]
    if len(path) == 1 and count(path[0]) > most_tokens:
        fitting = [start for start, _ in word_spans(path[0]) if count(path[0][:start]) < most_tokens]
        path = (path[0][: fitting[-1]].rstrip() or path[0][: most_tokens // 2],)
    return path
