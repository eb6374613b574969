"""What a passage needs to be understood: the text before it, where its own begins in the middle of a thought.

Chunks carry their lead-in and table header with them; what is cut otherwise (a forum's post, a document without
structure, another chunker) is found here.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from rag_core.documents import Passage, PolicyChunk
from rag_core.layout import BlockKind, read_blocks
from rag_core.regions import GLOBAL
from rag_core.retrieval.found import Found
from rag_core.retrieval.reading import PassageReader

FROM_THE_BEST = 5
"""Passages that are completed where they need it: answers quote from these, and each costs a query."""

_LOOKED_BACK = 12

_REFERS_BACK = re.compile(
    r"\W*(?:this|these|those|such|they|it|the\s+(?:above|same|former|latter)|the\s+(?:following\s+)?exceptions?"
    r"|in\s+(?:this|that|these|those|such|addition)|however|otherwise|therefore|except|unless\s+(?:this|that))\b",
    re.IGNORECASE,
)


def begins_in_the_middle(chunk: PolicyChunk) -> bool:
    """Whether its first words mean something only behind what stands before them: "Such ads ...", a list item without
    its lead-in, a row without its header, half a sentence."""
    return chunk.chunk_index > 0 and not chunk.lead_in and _needs_more(chunk.chunk_text)


@lru_cache(maxsize=20_000)
def _needs_more(text: str) -> bool:
    first = next((block for block in read_blocks(text) if block.kind is not BlockKind.HEADING), None)
    if first is None or first.kind is not BlockKind.PARAGRAPH:
        return first is not None and first.kind in (BlockKind.ITEM, BlockKind.ROW)
    return bool(_REFERS_BACK.match(first.text)) or first.text[:1].islower()


async def with_what_stands_before(
    found: Sequence[Found], reader: PassageReader, groups: frozenset[str]
) -> tuple[list[Found], tuple[str, ...]]:
    """`found` (best first), each of the best that begins in the middle followed by the text before it; and what was
    degraded about reading that.

    It comes from the same section, or else from the one above, and through the store's checks.
    """
    known = {each.passage.chunk.chunk_id for each in found}
    completed: list[Found] = []
    degraded: tuple[str, ...] = ()
    for position, each in enumerate(found):
        completed.append(each)
        chunk = each.passage.chunk
        if position >= FROM_THE_BEST or not begins_in_the_middle(chunk):
            continue
        first = max(0, chunk.chunk_index - _LOOKED_BACK)
        read = await reader.section(chunk.doc_id, first, chunk.chunk_index - 1, groups)
        degraded += read.degraded
        before = _before(chunk, read.passages)
        if before is not None and before.chunk.chunk_id not in known:
            known.add(before.chunk.chunk_id)
            completed.append(replace(each, passage=before))
    return completed, degraded


def _before(chunk: PolicyChunk, passages: Sequence[Passage]) -> Passage | None:
    """The last passage of the same section, or of the nearest section above it, for the same places."""
    fitting = [each for each in passages if set(chunk.regions) <= set(each.chunk.regions) or _is_general(each)]
    own = [each for each in fitting if each.chunk.policy_path == chunk.policy_path]
    above = [each for each in fitting if chunk.policy_path.startswith(f"{each.chunk.policy_path} > ")]
    nearest = max(above, key=lambda each: (len(each.chunk.policy_path), each.chunk.chunk_index), default=None)
    return own[-1] if own else nearest


def _is_general(passage: Passage) -> bool:
    return GLOBAL in passage.chunk.regions
