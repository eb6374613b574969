"""The sections to which what is quoted sends the reader: they are offered, never drawn in."""

import asyncio
from collections.abc import Iterable, Sequence

from rag_core.documents import Passage
from rag_core.regions import seen_from
from rag_core.retrieval.reading import PassageReader

MOST_REFERRED = 3
"""Sections that are offered with one answer."""


async def referred_sections(
    cited: Sequence[Passage],
    found: Iterable[Passage],
    places: Sequence[str],
    reader: PassageReader,
    groups: frozenset[str],
) -> tuple[list[Passage], tuple[str, ...]]:
    """The first passage of each section that `cited` refer to, in the order of the references, and what was degraded
    about reading them.

    Sections that are cited anyway are left out, those for other places than the ones asked about, and those that the
    store does not show to `groups`. What was `found` is not read again.
    """
    known = {_position(each): each for each in (*found, *cited)}
    targets = list(dict.fromkeys((each.chunk.doc_id, index) for each in cited for index in each.chunk.refers_to))
    unread = [target for target in targets if target not in known][: 2 * MOST_REFERRED]
    readings = await asyncio.gather(*(reader.section(doc_id, index, index, groups) for doc_id, index in unread))
    known |= {_position(each): each for read in readings for each in read.passages}
    shown = {_section(each) for each in cited}
    sections: dict[tuple[str, str], Passage] = {}
    for passage in (known[target] for target in targets if target in known):
        if _section(passage) not in shown and _holds_in_one(passage, places):
            sections.setdefault(_section(passage), passage)
    degraded = tuple(part for read in readings for part in read.degraded)
    return list(sections.values())[:MOST_REFERRED], degraded


def _position(passage: Passage) -> tuple[str, int]:
    return passage.chunk.doc_id, passage.chunk.chunk_index


def _section(passage: Passage) -> tuple[str, str]:
    return passage.chunk.doc_id, passage.chunk.policy_path


def _holds_in_one(passage: Passage, places: Sequence[str]) -> bool:
    """Whether it holds in one of the places asked about (none: any will do)."""
    chunk = passage.chunk
    return not places or any(
        set(chunk.regions) & seen_from(place) and not set(chunk.regions_excluded) & seen_from(place) for place in places
    )
