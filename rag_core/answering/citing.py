"""A part of a passage as a citation."""

from rag_core.answers import Citation
from rag_core.documents import Passage


def cited(number: int, passage: Passage, start: int, end: int) -> Citation:
    """Quotes `start` to `end`, offsets in the chunk's text, to the letter."""
    chunk, version = passage.chunk, passage.version
    return Citation(
        number=number,
        chunk_id=chunk.chunk_id,
        doc_id=chunk.doc_id,
        document_id=version.document_id,
        policy_source=chunk.policy_source,
        title=version.title,
        url=chunk.doc_url or version.url,
        anchor=chunk.anchor,
        section_path=chunk.policy_path,
        rule_number=chunk.rule_number,
        page=chunk.page,
        regions=chunk.regions,
        effective_from=version.effective_from,
        effective_to=version.effective_to,
        checked_at=version.checked_at,
        char_start=chunk.char_start + start,
        char_end=chunk.char_start + end,
        quote=chunk.chunk_text[start:end],
        author=version.author,
        posted_at=version.posted_at,
        post_number=version.post_number,
        date_stated=version.date_stated,
    )
