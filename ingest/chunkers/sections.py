"""Chunks by section: the default chunker.

A section that fits what the embedder reads is one chunk. A longer one is cut into parts of about equal size at the
ends of lines and sentences; a part that begins inside a list or table carries its lead-in.
"""

from collections.abc import Mapping
from functools import cache
from itertools import groupby

from ingest.chunkers.atoms import Atom, lines_of
from ingest.chunkers.cutting import Cutter
from ingest.chunkers.drafts import ChunkDraft, TokenCounter
from ingest.chunkers.fitting import fitted_drafts
from ingest.chunkers.outline import Section, sections
from ingest.chunkers.packing import packed
from ingest.places import Places
from rag_core.layout import read_blocks

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
