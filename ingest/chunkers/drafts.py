"""What a chunker gives: pieces of a document's text, before they belong to a version."""

from collections.abc import Callable
from dataclasses import dataclass

from ingest.places import Places

PATH_SEPARATOR = " > "

TokenCounter = Callable[[str], int]
"""How many tokens the embedder reads of a text, what it adds at the ends included."""

LETTERS_A_TOKEN = 25
"""At most, on average: letters without end are one token to a tokenizer that does not know them."""


@dataclass(frozen=True, slots=True)
class ChunkDraft:
    """`text[start:end]` of a document in normal form, with what is known of it; the fields are those of PolicyChunk.

    `warning`: what a person who checks the chunks should look at: "table_split" (a table did not fit, this is a part of
    it with its header as the lead-in), "list_split" (the same of a numbered list).
    """

    start: int
    end: int
    lead_in: str
    path: tuple[str, ...]
    level: int
    places: Places
    rule_number: str | None = None
    anchor: str | None = None
    is_atomic: bool = False
    warning: str | None = None
