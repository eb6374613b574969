"""A quote with the text around it in its document, for those who may see the document."""

from collections.abc import Mapping

from bot.answers.seen import InContext, SeenAnswer
from bot.model.visible import read_out
from rag_core.documents import Passage
from rag_core.ports import PolicyStore

_AROUND = 350
"""Characters that are shown before and after a quote."""

_ENOUGH = 60
"""With fewer around it in its own passage, the passages beside it are read."""

MOST = 20
"""Of more sources nobody reads the context in a modal."""


async def in_context(seen: SeenAnswer, store: PolicyStore, groups: frozenset[str]) -> dict[str, InContext]:
    """The citations of an answer that was read for these groups, by chunk. Raises Unavailable."""
    found: dict[str, InContext] = {}
    listed = seen.record.reply.get("citations")
    for each in listed if isinstance(listed, list) else []:
        passage = seen.passages.get(str(each.get("chunk_id")))
        if passage is not None and len(found) < MOST:
            found[passage.chunk.chunk_id] = await _placed(each, passage, store, groups)
    return found


async def _placed(
    citation: Mapping[str, object], passage: Passage, store: PolicyStore, groups: frozenset[str]
) -> InContext:
    quote, chunk = str(citation.get("quote", "")), passage.chunk
    before, after = _split(quote, citation.get("char_start"), passage)
    if len(before) + len(after) < _ENOUGH:
        beside = await store.section(chunk.doc_id, chunk.chunk_index - 1, chunk.chunk_index + 1, groups)
        texts = {each.chunk.chunk_index: each.chunk.chunk_text for each in beside}
        before = f"{texts.get(chunk.chunk_index - 1, '')}\n{before}"
        after = f"{after}\n{texts.get(chunk.chunk_index + 1, '')}"
    return InContext(_end_of(read_out(before)), quote, _start_of(read_out(after)))


def _split(quote: str, char_start: object, passage: Passage) -> tuple[str, str]:
    """What stands before and after the quote in its own passage; of a lead-in, all of the passage stands after it."""
    chunk = passage.chunk
    start = char_start - chunk.char_start if isinstance(char_start, int) else -1
    if start < 0 or chunk.chunk_text[start : start + len(quote)] != quote:
        start = chunk.chunk_text.find(quote)
    if start < 0:
        return "", chunk.chunk_text
    return f"{chunk.lead_in}\n{chunk.chunk_text[:start]}", chunk.chunk_text[start + len(quote) :]


def _end_of(text: str) -> str:
    """Its last words, without the beginning of a word."""
    return text if len(text) <= _AROUND else text[-_AROUND:].partition(" ")[2]


def _start_of(text: str) -> str:
    return text if len(text) <= _AROUND else text[:_AROUND].rpartition(" ")[0]
