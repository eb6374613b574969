"""Rules as they are kept beside their chunks, and what the store does with them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from rag_core.documents import Passage
from rag_core.rules.cues import Opinion
from rag_core.rules.reader import Effect, RuleReading, RuleReadings
from rag_core.rules.rule import RULES_VERSION
from rag_core.rules.structure import RuleKind


@dataclass(frozen=True, slots=True)
class ReadWith:
    """What rules were read with: the reader's version, the embedding model, and how text is cut into rules."""

    reader: str
    model: str
    rules: str = RULES_VERSION


@dataclass(frozen=True, slots=True)
class ReadRule:
    """A rule as it is kept. `number`: its place in `rules_in(passage)`; the body is `chunk_text[body_start:body_end]`.
    The hashes: see `rag_core.rules.rule`."""

    number: int
    rule_hash: str
    text_hash: str
    kind: RuleKind
    body_start: int
    body_end: int
    reading: RuleReading
    opinion: Opinion


@dataclass(frozen=True, slots=True)
class ReadChunk:
    """A chunk with all of its rules, read; without rules where it has none."""

    chunk_id: str
    doc_id: str
    document_id: str
    rules: tuple[ReadRule, ...]


@dataclass(frozen=True, slots=True)
class Correction:
    """What an operator says that a rule does. It holds wherever these words stand in the document, in later versions as
    well."""

    document_id: str
    rule_hash: str
    effect: Effect
    person: str
    at: datetime
    note: str = ""


class RuleStore(RuleReadings, Protocol):
    """What was read in the rules of chunks, and corrections by operators, each on record. Raises Unavailable.

    Implemented in `adapters.sql.policies.rules`.
    """

    async def count_lacking(self, read_with: ReadWith) -> int:
        """How many chunks `lacking` would give in all."""
        ...

    async def lacking(self, read_with: ReadWith, limit: int, after: str = "") -> list[Passage]:
        """Chunks that are shown for some day and were not read with all of this yet, by chunk id, after `after`."""
        ...

    async def known(self, reader: str, text_hashes: Sequence[str]) -> dict[str, RuleReading]:
        """What this version of a reader read in texts before, wherever they stood."""
        ...

    async def keep(self, read_with: ReadWith, chunks: Sequence[ReadChunk]) -> None:
        """All of it in one transaction; replaces what was read in these chunks before."""
        ...

    async def corrections(self, document_id: str) -> dict[str, Correction]:
        """Those in force, by the hash of the rule."""
        ...

    async def correct(self, correction: Correction) -> None:
        """Replaces an earlier one of the same rule."""
        ...

    async def withdraw(self, document_id: str, rule_hash: str, person: str, at: datetime) -> Correction:
        """As it was. Raises Rejected("unknown_correction")."""
        ...
