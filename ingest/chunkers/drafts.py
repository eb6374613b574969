"""What a chunker gives: pieces of a document's text, before they belong to a version."""

from collections.abc import Callable
from dataclasses import dataclass

from ingest.places import Places

PATH_SEPARATOR = " > "

TokenCounter = Callable[[str], int]
"""How many tokens the embedder reads of a text, what it adds at the ends included."""


@dataclass(frozen=True, slots=True)
class ChunkDraft:
    """`text[start:end]` of a document in normal form, with what is known of it; the fields are those of PolicyChunk."""

    start: int
    end: int
    lead_in: str
    path: tuple[str, ...]
    level: int
    places: Places
    rule_number: str | None = None
    anchor: str | None = None
    is_atomic: bool = False
