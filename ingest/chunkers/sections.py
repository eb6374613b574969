"""Pieces of known size into parts of about equal size."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import groupby

from ingest.chunkers.atoms import Atom, lines_of
from ingest.chunkers.cutting import Cutter
from ingest.chunkers.drafts import ChunkDraft, TokenCounter
from ingest.chunkers.fitting import fitted_drafts
from ingest.chunkers.outline import Section, sections
from ingest.places import Places
from rag_core.layout import read_blocks

AIM = 190
"""Tokens of text that a part of a long section should have at most; 120-200 read best in an answer."""


def packed(atoms: Sequence[Atom], room_after: Callable[[Atom], int], least_room: int) -> Iterator[list[Atom]]:
    """`atoms` in order in parts that fit, joined ones together where they do.

    `room_after(atom)`: the tokens of text left in a part that begins with `atom`; never below `least_room`.
    """
    total = sum(atom.tokens for atom in atoms)
    if total <= room_after(atoms[0]):
        yield list(atoms)
        return
    aim = total / -(-total // min(AIM, least_room))
    part: list[Atom] = []
    for group in _groups(atoms, least_room):
        size, cost = _tokens(part), _tokens(group)
        if part and (size + cost > room_after(part[0]) or size + cost / 2 > aim):
            yield part
            part = []
        part = [*part, *group]
    if part:
        yield part


def _groups(atoms: Sequence[Atom], most: int) -> Iterator[list[Atom]]:
    """Atoms with those that are joined to them; a group that does not fit comes apart before its last atoms."""
    group: list[Atom] = []
    for atom in atoms:
        if group and _tokens([*group, atom]) > most:
            yield group
            group = []
        group.append(atom)
        if not atom.joined:
            yield group
            group = []
    if group:
        yield group


def _tokens(atoms: Sequence[Atom]) -> int:
    return sum(atom.tokens for atom in atoms)


CHUNKER = "sections-2"
"""Goes into a version's `pipeline`: change it when the same text would be cut differently."""


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
    cutter = Cutter(text, lines_of(section, text), count, max_tokens // 3)
    return fitted_drafts(cutter, section, max_tokens, even_parts)


def even_parts(cutter: Cutter, room: int) -> list[list[Atom]]:
    """Each run of lines of one scope in parts of about equal size."""

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
