"""What was read in the rules of chunks, and what operators say of them."""

from typing import Any

from sqlalchemy import CheckConstraint, Column, Double, ForeignKey, Index, Integer, Table

from adapters.sql.tables import metadata, one_of
from adapters.sql.types import Json, Key, PlainText, UtcDateTime
from rag_core.documents import values_checksum
from rag_core.rules.reader import Effect
from rag_core.rules.structure import RuleKind

policy_rules = Table(
    "policy_rules",
    metadata,
    Column("chunk_id", Key, ForeignKey("chunks.chunk_id", ondelete="CASCADE"), primary_key=True),
    Column("rule_number", Integer, primary_key=True, autoincrement=False),
    Column("doc_id", Key, ForeignKey("versions.doc_id", ondelete="CASCADE"), nullable=False),
    Column("document_id", Key, nullable=False),
    Column("rule_hash", Key, nullable=False),
    Column("text_hash", Key, nullable=False),
    Column("kind", Key, nullable=False),
    Column("body_start", Integer, nullable=False),
    Column("body_end", Integer, nullable=False),
    Column("reading", Json, nullable=False),
    Column("opinion", Key),
    Column("opinion_certainty", Double, nullable=False),
    Column("reader", Key, nullable=False),
    Column("checksum", Key, nullable=False, server_default=""),
    one_of("kind", RuleKind),
    one_of("opinion", Effect),
    CheckConstraint("rule_number >= 0", name="rule_number"),
    CheckConstraint("body_start >= 0 AND body_end >= body_start", name="offsets"),
    Index("ix_policy_rules_doc_id", "doc_id"),
    Index("ix_policy_rules_text_hash", "text_hash"),
)
"""`reading`: {effects: {effect: probability}, no_rule}. The vector of a rule is in `embeddings`, by its `text_hash`."""


def reading_checksum(row: Any) -> str:
    """Of a row of `policy_rules`: all that an answer may rest on."""
    shares = [float(row.reading["effects"][effect.value]) for effect in Effect] + [float(row.reading["no_rule"])]
    words = [row.chunk_id, row.rule_number, row.document_id, row.rule_hash, row.text_hash, row.reader]
    return values_checksum([*words, *shares])


def correction_checksum(document_id: str, rule_hash: str, effect: str) -> str:
    """Of a row of `rule_corrections`."""
    return values_checksum([document_id, rule_hash, effect])


chunk_readings = Table(
    "chunk_readings",
    metadata,
    Column("chunk_id", Key, ForeignKey("chunks.chunk_id", ondelete="CASCADE"), primary_key=True),
    Column("rules", Key, nullable=False),
    Column("reader", Key, nullable=False),
    Column("model", Key, nullable=False),
)
"""With what the rules of a chunk were read, also where it has none: `ingest.rules.ports.ReadWith`."""

rule_corrections = Table(
    "rule_corrections",
    metadata,
    Column("document_id", Key, ForeignKey("documents.document_id", ondelete="CASCADE"), primary_key=True),
    Column("rule_hash", Key, primary_key=True),
    Column("effect", Key, nullable=False),
    Column("person", PlainText, nullable=False),
    Column("at", UtcDateTime, nullable=False),
    Column("note", PlainText, nullable=False),
    Column("checksum", Key, nullable=False, server_default=""),
    one_of("effect", Effect),
)
"""One row for each correction in force; that it was made, and that it was withdrawn, is in the record."""
