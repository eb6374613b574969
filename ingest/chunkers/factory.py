"""Which chunker cuts a document: by name, or by what the document looks like."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from ingest.chunkers import naive, rules, sections, semantic
from ingest.chunkers.drafts import ChunkDraft, TokenCounter
from ingest.chunkers.fitting import fitted_path, size
from ingest.chunkers.rule_numbers import is_rule_book
from ingest.places import Places
from rag_core.errors import Rejected
from rag_core.layout import read_blocks

ChunkerKind = Literal["sections", "rules", "semantic", "naive", "auto"]
Cut = Callable[[str, Mapping[int, str], str, Places, TokenCounter, int], list[ChunkDraft]]
"""(text in normal form, anchors by the index of a heading, title, where the document holds, tokenizer, tokens that the
embedder reads) -> the chunks."""


@dataclass(frozen=True, slots=True)
class Chunker:
    """`name` goes into a version's `pipeline`: it changes when the same text would be cut differently."""

    name: str
    cut: Cut


def _cut_as_detected(
    text: str, anchors: Mapping[int, str], title: str, places: Places, count: TokenCounter, max_tokens: int
) -> list[ChunkDraft]:
    return chunker_of(detect(text)).cut(text, anchors, title, places, count, max_tokens)


_CHUNKERS = {
    "sections": Chunker(sections.CHUNKER, sections.section_chunks),
    "rules": Chunker(rules.CHUNKER, rules.rule_chunks),
    "semantic": Chunker(semantic.CHUNKER, semantic.semantic_chunks),
    "naive": Chunker(naive.CHUNKER, naive.naive_chunks),
    "auto": Chunker(f"auto-1({sections.CHUNKER},{rules.CHUNKER})", _cut_as_detected),
}


def chunker_of(kind: str) -> Chunker:
    """The chunker of this name. Raises Rejected("unknown_chunker", kind=..., known=[...])."""
    try:
        return _CHUNKERS[kind]
    except KeyError:
        raise Rejected("unknown_chunker", kind=kind, known=sorted(_CHUNKERS)) from None


def detect(text: str) -> Literal["sections", "rules"]:
    """What `auto` takes for a document in normal form: `rules` where it is clearly a rule book, else `sections`."""
    return "rules" if is_rule_book(read_blocks(text)) else "sections"


def whole(
    text: str, anchors: Mapping[int, str], title: str, places: Places, count: TokenCounter, max_tokens: int
) -> list[ChunkDraft]:
    """A document that is not to be cut: one chunk of all its text, if the embedder can read that; else by section."""
    body = text.strip()
    if not body:
        return []
    start = text.index(body)
    path = fitted_path((title,), max_tokens // 4, count)
    draft = ChunkDraft(start, start + len(body), "", path, 0, places, is_atomic=True)
    if size(text, draft, count) <= max_tokens:
        return [draft]
    return sections.section_chunks(text, anchors, title, places, count, max_tokens)
