"""Nothing is shown that is not in its source, letter for letter."""

from collections.abc import Mapping

from rag_core.answers import Citation, Quote, Statement
from rag_core.documents import Passage


def is_verbatim(quote: Quote, passage: Passage) -> bool:
    """Whether `quote` stands in its chunk (or the chunk's lead-in) at the offsets it claims."""
    source = passage.chunk.lead_in if quote.lead_in else passage.chunk.chunk_text
    return bool(quote.text.strip()) and quote.start >= 0 and source[quote.start : quote.end] == quote.text


def is_supported(statement: Statement, passages: Mapping[str, Passage]) -> bool:
    """Whether every quote of `statement` is verbatim in a passage that was retrieved."""
    return bool(statement.quotes) and all(
        quote.chunk_id in passages and is_verbatim(quote, passages[quote.chunk_id]) for quote in statement.quotes
    )


def is_sound(citation: Citation, passages: Mapping[str, Passage]) -> bool:
    """Whether a citation's quote is what the chunk has at its offsets."""
    if (passage := passages.get(citation.chunk_id)) is None:
        return False
    chunk = passage.chunk
    start, end = citation.char_start - chunk.char_start, citation.char_end - chunk.char_start
    return 0 <= start < end and chunk.chunk_text[start:end] == citation.quote
