"""Windows of 1,000 characters that overlap by 100: a baseline to measure the others against.

They end between two words, without regard to sentences, lists and tables. What even a baseline keeps: a window stays
in its section and place, because a chunk states one heading path and one place, and carries the lead-in of the list it
begins in.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import groupby

from ingest.chunkers.atoms import Atom, lines_of
from ingest.chunkers.cutting import Cutter
from ingest.chunkers.drafts import ChunkDraft, TokenCounter
from ingest.chunkers.fitting import fitted_drafts
from ingest.chunkers.outline import sections
from ingest.places import Places
from rag_core.layout import read_blocks

CHUNKER = "naive-2"

MOST = 1_000
OVERLAP = 100
"""Characters."""


def naive_chunks(
    text: str, anchors: Mapping[int, str], title: str, places: Places, count: TokenCounter, max_tokens: int
) -> list[ChunkDraft]:
    """As `sections.section_chunks`."""
    counted = cache(count)
    found: list[ChunkDraft] = []
    for section in sections(read_blocks(text), anchors, title, places):
        cutter = Cutter(text, lines_of(section, text), counted, max_tokens // 3)
        found.extend(fitted_drafts(cutter, section, max_tokens, _windows))
    return found


def _windows(cutter: Cutter, room: int) -> list[list[Atom]]:
    least = room - cutter.most_lead_in
    found: list[list[Atom]] = []
    for _, run in groupby(range(len(cutter.lines)), key=lambda at: cutter.lines[at].scope):
        words = [word for atom in cutter.whole(list(run)) for word in cutter.words(atom, least)]
        found.extend(_over(words, cutter, room))
    return found


def _over(words: Sequence[Atom], cutter: Cutter, room: int) -> Iterator[list[Atom]]:
    start = 0
    while start < len(words):
        left = room - cutter.tokens(cutter.lead_in(words[start]))
        end = start + 1
        tokens = words[start].tokens
        while end < len(words) and words[end].end - words[start].start <= MOST and tokens + words[end].tokens <= left:
            tokens += words[end].tokens
            end += 1
        yield list(words[start:end])
        if end == len(words):
            return
        overlap = words[end - 1].end - OVERLAP
        start = next(at for at in range(start + 1, end + 1) if at == end or words[at].start >= overlap)
