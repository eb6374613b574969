"""The tables. They are created and changed by the migrations alone; a test compares the two."""

from enum import StrEnum
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    ColumnElement,
    Date,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    UniqueConstraint,
    false,
    text,
    true,
)

from adapters.sql.database.types import Encrypted, Json, Key, PlainText, UtcDateTime
from bot.ports import InboxState
from rag_core.documents import Classification, ContentType, VersionStatus, values_checksum
from rag_core.rules.reader import Effect
from rag_core.rules.structure import RuleKind

metadata = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
    }
)


def one_of(column: str, values: type[StrEnum]) -> CheckConstraint:
    """The column holds one of these values."""
    listed = ", ".join(f"'{value}'" for value in values)
    return CheckConstraint(f"{column} IN ({listed})", name=column)


policy_sources = Table(
    "policy_sources",
    metadata,
    Column("slug", Key, primary_key=True),
    Column("display_name", PlainText, nullable=False),
    Column("aliases", Json, nullable=False),
    CheckConstraint("slug <> '' AND slug = lower(trim(slug))", name="slug"),
)

documents = Table(
    "documents",
    metadata,
    Column("document_id", Key, primary_key=True),
    Column("policy_source", Key, ForeignKey("policy_sources.slug"), nullable=False),
)
"""Title and address of a document are those of its newest version."""

LABELLED = text("labels <> '{}'")
"""Versions that have a label at all: most have none."""

versions = Table(
    "versions",
    metadata,
    Column("doc_id", Key, primary_key=True),
    Column("document_id", Key, ForeignKey("documents.document_id"), nullable=False),
    Column("policy_source", Key, ForeignKey("policy_sources.slug"), nullable=False),
    Column("source_id", Key, nullable=False),
    Column("title", PlainText, nullable=False),
    Column("url", PlainText),
    Column("mime_type", PlainText, nullable=False),
    Column("sha256", Key, nullable=False),
    Column("size", BigInteger, nullable=False),
    Column("origin", Key, nullable=False),
    Column("pipeline", PlainText, nullable=False),
    Column("status", Key, nullable=False),
    Column("effective_from", Date, nullable=False),
    Column("effective_to", Date),
    Column("seen_at", UtcDateTime, nullable=False),
    Column("checked_at", UtcDateTime, nullable=False),
    Column("chunk_count", Integer, nullable=False),
    Column("pages", Integer),
    Column("supersedes", Key),
    Column("classification", Key, nullable=False),
    Column("allowed_groups", Json, nullable=False),
    Column("labels", Json, nullable=False),
    Column("author", PlainText),
    Column("posted_at", UtcDateTime),
    Column("post_number", Integer),
    Column("date_stated", Boolean, nullable=False, server_default=true()),
    Column("open_start", Boolean, nullable=False, server_default=false()),
    one_of("status", VersionStatus),
    one_of("classification", Classification),
    CheckConstraint("effective_to >= effective_from", name="days"),
    CheckConstraint("size >= 0 AND chunk_count >= 0", name="counts"),
    Index("ix_versions_source_id", "source_id"),
    Index("ix_versions_document_id_effective_from", "document_id", "effective_from"),
    # all that counting the documents of the sources needs
    Index(
        "ix_versions_shown",
        "policy_source",
        "document_id",
        "status",
        "classification",
        "effective_from",
        "effective_to",
    ),
    Index("ix_versions_labelled", "policy_source", sqlite_where=LABELLED, postgresql_where=LABELLED),
)

version_texts = Table(
    "version_texts",
    metadata,
    Column("doc_id", Key, ForeignKey("versions.doc_id"), primary_key=True),
    Column("text", PlainText, nullable=False),
    Column("checksum", Key, nullable=False, server_default=""),
)
"""`checksum`, here and of chunks: see `rag_core.documents`."""

chunks = Table(
    "chunks",
    metadata,
    Column("chunk_id", Key, primary_key=True),
    Column("doc_id", Key, ForeignKey("versions.doc_id"), nullable=False),
    Column("chunk_index", Integer, nullable=False),
    Column("chunk_text", PlainText, nullable=False),
    Column("lead_in", PlainText, nullable=False),
    Column("policy_source", Key, ForeignKey("policy_sources.slug"), nullable=False),
    Column("policy_section", PlainText, nullable=False),
    Column("policy_section_level", Integer, nullable=False),
    Column("policy_path", PlainText, nullable=False),
    Column("regions", Json, nullable=False),
    Column("regions_excluded", Json, nullable=False),
    Column("regions_mentioned", Json, nullable=False),
    Column("region_doubt", Boolean, nullable=False),
    Column("content_type", Key, nullable=False),
    Column("rule_number", PlainText),
    Column("page", Integer),
    Column("char_start", Integer, nullable=False),
    Column("char_end", Integer, nullable=False),
    Column("effective_from", Date, nullable=False),
    Column("effective_to", Date),
    Column("doc_url", PlainText),
    Column("anchor", PlainText),
    Column("has_cross_reference", Boolean, nullable=False),
    Column("is_atomic", Boolean, nullable=False),
    Column("summary", PlainText, nullable=False),
    Column("content_hash", Key, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("refers_to", Json, nullable=False, server_default="[]"),
    Column("checksum", Key, nullable=False, server_default=""),
    UniqueConstraint("doc_id", "chunk_index"),
    one_of("content_type", ContentType),
    CheckConstraint("chunk_index >= 0", name="chunk_index"),
    CheckConstraint("char_start >= 0 AND char_end >= char_start", name="offsets"),
    CheckConstraint("effective_to >= effective_from", name="days"),
)

embeddings = Table(
    "embeddings",
    metadata,
    Column("content_hash", Key, primary_key=True),
    Column("model", Key, primary_key=True),
    Column("dimensions", Integer, nullable=False),
    Column("vector", LargeBinary, nullable=False),
    Column("checksum", Key, nullable=False, server_default=""),
    CheckConstraint("dimensions > 0 AND length(vector) = 4 * dimensions", name="vector"),
)
"""`vector`: float32, little-endian."""

outbox = Table(
    "outbox",
    metadata,
    Column("item_id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True),
    Column("doc_id", Key, ForeignKey("versions.doc_id"), nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("next_try_at", UtcDateTime, nullable=False),
    Column("last_reason", PlainText),
    Index("ix_outbox_next_try_at", "next_try_at"),
    # an id is never given twice: a late `done` must not remove somebody else's item
    sqlite_autoincrement=True,
)

inbox = Table(
    "inbox",
    metadata,
    Column("question_id", Key, primary_key=True),
    Column("claim_key", Key, nullable=False),
    Column("state", Key, nullable=False),
    Column("actor", Json, nullable=False),
    Column("conversation", Json, nullable=False),
    Column("text", PlainText, nullable=False),
    Column("filters", Json, nullable=False),
    Column("as_of", Date),
    Column("history", Json, nullable=False),
    Column("reply_address", Encrypted),
    Column("received_at", UtcDateTime, nullable=False),
    Column("queued_at", UtcDateTime, nullable=False),
    Column("worker", Key),
    Column("lease_until", UtcDateTime),
    Column("attempt", Integer, nullable=False),
    Column("was_sending", Boolean, nullable=False),
    Column("finished_at", UtcDateTime),
    Column("conversation_key", Key, nullable=False),
    Column("not_before", UtcDateTime),
    Column("postponed", Integer, nullable=False, server_default=text("0")),
    Column("private", Boolean, nullable=False, server_default=false()),
    Column("waits", Integer, nullable=False, server_default=text("0")),
    Column("defaults", Json, nullable=False, server_default=text("'{}'")),
    UniqueConstraint("claim_key"),
    one_of("state", InboxState),
    CheckConstraint("(state IN ('running', 'sending')) = (lease_until IS NOT NULL)", name="lease"),
    CheckConstraint("(state IN ('sent', 'failed')) = (finished_at IS NOT NULL)", name="finished"),
    CheckConstraint("(finished_at IS NOT NULL) = (reply_address IS NULL)", name="reply_address"),
)
"""`reply_address` is encrypted, and gone once the question is finished; so is who asked what, where. `queued_at`: since
when it waits. `conversation_key`: see `bot.model.memory`. `not_before`: put off until then, `postponed` times so far.
`waits`: how often it was put back quietly, for the platform's sake or when its worker stopped."""


def _index_unfinished(name: str, *columns: ColumnElement[Any]) -> None:
    unfinished = inbox.c.finished_at.is_(None)
    Index(name, *columns, sqlite_where=unfinished, postgresql_where=unfinished)


_index_unfinished("ix_inbox_unfinished", inbox.c.queued_at, inbox.c.question_id)
_index_unfinished("ix_inbox_conversation_unfinished", inbox.c.conversation_key, inbox.c.queued_at, inbox.c.question_id)

answers = Table(
    "answers",
    metadata,
    Column("answer_id", Key, primary_key=True),
    Column("answered_from", PlainText, nullable=False),
    Column("workspace", Key, nullable=False),
    Column("person", Key, nullable=False),
    Column("question_text", PlainText, nullable=False),
    Column("reply", Json, nullable=False),
    Column("trace", Json),
    Column("answered_at", UtcDateTime, nullable=False),
    Index("ix_answers_answered_at", "answered_at"),
    Index("ix_answers_person", "person"),
)

conversations = Table(
    "conversations",
    metadata,
    Column("conversation_key", Key, primary_key=True),
    Column("platform", Key, nullable=False),
    Column("workspace", Key, nullable=False),
    Column("channel", Key, nullable=False),
    Column("thread", Key, nullable=False),
    Column("started_at", UtcDateTime, nullable=False),
    Column("last_at", UtcDateTime, nullable=False),
    Column("topics", Json, nullable=False),
    Column("document_ids", Json, nullable=False),
    Index("ix_conversations_last_at", "last_at"),
)
"""`topics` and `document_ids`: what was discussed, as lists."""

messages = Table(
    "messages",
    metadata,
    Column("answer_id", Key, primary_key=True),
    Column("conversation_key", Key, ForeignKey("conversations.conversation_key"), nullable=False),
    Column("person", Key, nullable=False),
    Column("asked", PlainText, nullable=False),
    Column("understood", PlainText, nullable=False),
    Column("kind", Key, nullable=False),
    Column("scope", Json, nullable=False),
    Column("topics", Json, nullable=False),
    Column("citations", Json, nullable=False),
    Column("tokens_in", Integer),
    Column("tokens_out", Integer),
    Column("at", UtcDateTime, nullable=False),
    Column("needed", Json, nullable=False, server_default=text("'[]'")),
    Index("ix_messages_conversation_key_at", "conversation_key", "at"),
    Index("ix_messages_person", "person"),
)
"""A question and what came of it. `person` is a pseudonym, as in answers. `scope`: {as_of, regions, policy_sources,
content_types, before}; `needed`: the groups that it was answered for."""

source_items = Table(
    "source_items",
    metadata,
    Column("source_id", Key, primary_key=True),
    Column("origin", Key, primary_key=True),
    Column("revision", PlainText),
    Column("misses", Integer, nullable=False),
    Column("failures", Integer, nullable=False),
    Column("failed_with", PlainText),
    Column("retry_at", UtcDateTime),
)
"""What is remembered between two runs of a source; never more than its items."""

source_runs = Table(
    "source_runs",
    metadata,
    Column("source_id", Key, primary_key=True),
    Column("started_at", UtcDateTime, nullable=False),
    Column("finished_at", UtcDateTime),
    Column("outcome", PlainText, nullable=False),
    Column("failures", Integer, nullable=False),
)
"""The last look at each source."""

removals = Table(
    "removals",
    metadata,
    Column("removal_id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True),
    Column("kind", Key, nullable=False),
    Column("target", Key, nullable=False),
    Column("person", PlainText, nullable=False),
    Column("at", UtcDateTime, nullable=False),
    Column("reason", PlainText, nullable=False),
    Column("all_days", Boolean, nullable=False),
    Column("undone_at", UtcDateTime),
    Column("undone_by", PlainText),
    CheckConstraint("kind IN ('document', 'source')", name="kind"),
    CheckConstraint("(undone_at IS NULL) = (undone_by IS NULL)", name="undone"),
    Index(
        "uq_removals_in_force",
        "kind",
        "target",
        "all_days",
        unique=True,
        sqlite_where=text("undone_at IS NULL"),
        postgresql_where=text("undone_at IS NULL"),
    ),
    sqlite_autoincrement=True,
)
"""Rows are added, and marked as undone; never deleted."""

raw_files = Table(
    "raw_files",
    metadata,
    Column("sha256", Key, primary_key=True),
    Column("size", BigInteger, nullable=False),
    Column("content", LargeBinary, nullable=False),
    CheckConstraint("size = length(content)", name="size"),
)

policy_changes = Table(
    "policy_changes",
    metadata,
    Column("change_id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True),
    Column("doc_id", Key, ForeignKey("versions.doc_id"), nullable=False),
    Column("previous_doc_id", Key),
    Column("document_id", Key, nullable=False),
    Column("policy_source", Key, nullable=False),
    Column("kind", Key, nullable=False),
    Column("changed_on", Date, nullable=False),
    Column("recorded_at", UtcDateTime, nullable=False),
    Column("details", Json, nullable=False),
    CheckConstraint("kind IN ('added', 'changed', 'formatting', 'removed')", name="kind"),
    Index("ix_policy_changes_changed_on", "changed_on"),
    Index("ix_policy_changes_document_id", "document_id"),
    UniqueConstraint("doc_id", "kind"),
    sqlite_autoincrement=True,
)
"""One row for each version that came or went. `details`: `rag_core.changes`, as JSON. `changed_on`: from which day."""

model_calls = Table(
    "model_calls",
    metadata,
    Column("call_id", Key, primary_key=True),
    Column("at", UtcDateTime, nullable=False),
    Column("model", Key, nullable=False),
    Column("role", Key, nullable=False),
    Column("outcome", Key, nullable=False),
    Column("prompt_tokens", Integer, nullable=False),
    Column("completion_tokens", Integer, nullable=False),
    Column("counted", Boolean, nullable=False),
    Column("seconds", Double, nullable=False),
    Column("cost", Double),
    CheckConstraint("prompt_tokens >= 0 AND completion_tokens >= 0 AND seconds >= 0 AND cost >= 0", name="amounts"),
    Index("ix_model_calls_at", "at"),
)
"""One row a call of a language model: see `bot.model_usage`. No text of a question or an answer."""


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
"""With what the rules of a chunk were read, also where it has none: `ingest.model.rules.ReadWith`."""

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
