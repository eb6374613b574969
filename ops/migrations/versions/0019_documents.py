"""Sources, documents, versions, chunks and their rules, and what changed in them."""

from typing import Any

import sqlalchemy as sa
from alembic import op

from ops.migrations.columns import (
    BIG,
    BOOL,
    BYTES,
    DATE,
    INT,
    JSON,
    KEY,
    MOMENT,
    REAL,
    SERIAL,
    TEXT,
    index,
    new_tables,
    one_of,
    optional,
    primary,
    required,
)

revision, down_revision = "0019", None

TABLES = new_tables()


def upgrade() -> None:
    TABLES.create_all(op.get_bind(), checkfirst=False)


def downgrade() -> None:
    TABLES.drop_all(op.get_bind(), checkfirst=False)


def table(name: str, *parts: Any, **options: Any) -> None:
    sa.Table(name, TABLES, *parts, **options)


table(
    "policy_sources",
    *primary(KEY, "slug"),
    *required(TEXT, "display_name"),
    *required(JSON, "aliases"),
    sa.CheckConstraint("slug <> '' AND slug = lower(trim(slug))", name="slug"),
)
table(
    "documents",
    *primary(KEY, "document_id"),
    sa.Column("policy_source", KEY, sa.ForeignKey("policy_sources.slug"), nullable=False),
)
table(
    "versions",
    *primary(KEY, "doc_id"),
    sa.Column("document_id", KEY, sa.ForeignKey("documents.document_id"), nullable=False),
    sa.Column("policy_source", KEY, sa.ForeignKey("policy_sources.slug"), nullable=False),
    *required(KEY, "source_id"),
    *required(TEXT, "title"),
    *optional(TEXT, "url"),
    *required(TEXT, "mime_type"),
    *required(KEY, "sha256"),
    *required(BIG, "size"),
    *required(KEY, "origin"),
    *required(TEXT, "pipeline"),
    *required(KEY, "status"),
    *required(DATE, "effective_from"),
    *optional(DATE, "effective_to"),
    *required(MOMENT, "seen_at checked_at"),
    *required(INT, "chunk_count"),
    *optional(INT, "pages"),
    *optional(KEY, "supersedes"),
    *required(KEY, "classification"),
    *required(JSON, "allowed_groups labels"),
    *optional(TEXT, "author"),
    *optional(MOMENT, "posted_at"),
    *optional(INT, "post_number"),
    sa.Column("date_stated", BOOL, server_default=sa.true(), nullable=False),
    sa.Column("open_start", BOOL, server_default=sa.false(), nullable=False),
    one_of("classification", "public restricted"),
    sa.CheckConstraint("size >= 0 AND chunk_count >= 0", name="counts"),
    sa.CheckConstraint("effective_to >= effective_from", name="days"),
    one_of("status", "processing live held failed retired"),
    index("ix_versions_document_id_effective_from", "document_id effective_from"),
    index("ix_versions_labelled", "policy_source", where="labels <> '{}'"),
    index("ix_versions_shown", "policy_source document_id status classification effective_from effective_to"),
    index("ix_versions_source_id", "source_id"),
)
table(
    "version_texts",
    sa.Column("doc_id", KEY, sa.ForeignKey("versions.doc_id"), primary_key=True),
    *required(TEXT, "text"),
    sa.Column("checksum", KEY, server_default=sa.text("''"), nullable=False),
)
table(
    "chunks",
    *primary(KEY, "chunk_id"),
    sa.Column("doc_id", KEY, sa.ForeignKey("versions.doc_id"), nullable=False),
    *required(INT, "chunk_index"),
    *required(TEXT, "chunk_text lead_in"),
    sa.Column("policy_source", KEY, sa.ForeignKey("policy_sources.slug"), nullable=False),
    *required(TEXT, "policy_section"),
    *required(INT, "policy_section_level"),
    *required(TEXT, "policy_path"),
    *required(JSON, "regions regions_excluded regions_mentioned"),
    *required(BOOL, "region_doubt"),
    *required(KEY, "content_type"),
    *optional(TEXT, "rule_number"),
    *optional(INT, "page"),
    *required(INT, "char_start char_end"),
    *required(DATE, "effective_from"),
    *optional(DATE, "effective_to"),
    *optional(TEXT, "doc_url anchor"),
    *required(BOOL, "has_cross_reference is_atomic"),
    *required(TEXT, "summary"),
    *required(KEY, "content_hash"),
    *required(MOMENT, "created_at"),
    sa.Column("refers_to", JSON, server_default=sa.text("'[]'"), nullable=False),
    sa.Column("checksum", KEY, server_default=sa.text("''"), nullable=False),
    sa.CheckConstraint("chunk_index >= 0", name="chunk_index"),
    one_of("content_type", "ad_text image video landing_page general"),
    sa.CheckConstraint("effective_to >= effective_from", name="days"),
    sa.CheckConstraint("char_start >= 0 AND char_end >= char_start", name="offsets"),
    sa.UniqueConstraint("doc_id", "chunk_index"),
)
table(
    "embeddings",
    *primary(KEY, "content_hash model"),
    *required(INT, "dimensions"),
    *required(BYTES, "vector"),
    sa.CheckConstraint("dimensions > 0 AND length(vector) = 4 * dimensions", name="vector"),
)
table(
    "outbox",
    *primary(SERIAL, "item_id"),
    sa.Column("doc_id", KEY, sa.ForeignKey("versions.doc_id"), nullable=False),
    *required(MOMENT, "created_at"),
    *required(INT, "attempts"),
    *required(MOMENT, "next_try_at"),
    *optional(TEXT, "last_reason"),
    index("ix_outbox_next_try_at", "next_try_at"),
    sqlite_autoincrement=True,
)
table(
    "policy_rules",
    sa.Column("chunk_id", KEY, sa.ForeignKey("chunks.chunk_id", ondelete="CASCADE"), primary_key=True),
    sa.Column("rule_number", INT, autoincrement=False, primary_key=True),
    sa.Column("doc_id", KEY, sa.ForeignKey("versions.doc_id", ondelete="CASCADE"), nullable=False),
    *required(KEY, "document_id rule_hash text_hash kind"),
    *required(INT, "body_start body_end"),
    *required(JSON, "reading"),
    *optional(KEY, "opinion"),
    *required(REAL, "opinion_certainty"),
    *required(KEY, "reader"),
    one_of("kind", "sentence item list row"),
    sa.CheckConstraint("body_start >= 0 AND body_end >= body_start", name="offsets"),
    one_of("opinion", "prohibits limits requires allows informs"),
    sa.CheckConstraint("rule_number >= 0", name="rule_number"),
    index("ix_policy_rules_doc_id", "doc_id"),
    index("ix_policy_rules_text_hash", "text_hash"),
)
table(
    "chunk_readings",
    sa.Column("chunk_id", KEY, sa.ForeignKey("chunks.chunk_id", ondelete="CASCADE"), primary_key=True),
    *required(KEY, "rules reader model"),
)
table(
    "rule_corrections",
    sa.Column("document_id", KEY, sa.ForeignKey("documents.document_id", ondelete="CASCADE"), primary_key=True),
    *primary(KEY, "rule_hash"),
    *required(KEY, "effect"),
    *required(TEXT, "person"),
    *required(MOMENT, "at"),
    *required(TEXT, "note"),
    one_of("effect", "prohibits limits requires allows informs"),
)

table(
    "source_items",
    *primary(KEY, "source_id origin"),
    *optional(TEXT, "revision"),
    *required(INT, "misses failures"),
    *optional(TEXT, "failed_with"),
    *optional(MOMENT, "retry_at"),
)
table(
    "source_runs",
    *primary(KEY, "source_id"),
    *required(MOMENT, "started_at"),
    *optional(MOMENT, "finished_at"),
    *required(TEXT, "outcome"),
    *required(INT, "failures"),
)
table(
    "removals",
    *primary(SERIAL, "removal_id"),
    *required(KEY, "kind target"),
    *required(TEXT, "person"),
    *required(MOMENT, "at"),
    *required(TEXT, "reason"),
    *required(BOOL, "all_days"),
    *optional(MOMENT, "undone_at"),
    *optional(TEXT, "undone_by"),
    one_of("kind", "document source"),
    sa.CheckConstraint("(undone_at IS NULL) = (undone_by IS NULL)", name="undone"),
    index("uq_removals_in_force", "kind target all_days", unique=True, where="undone_at IS NULL"),
    sqlite_autoincrement=True,
)
table(
    "raw_files",
    *primary(KEY, "sha256"),
    *required(BIG, "size"),
    *required(BYTES, "content"),
    sa.CheckConstraint("size = length(content)", name="size"),
)
table(
    "policy_changes",
    *primary(SERIAL, "change_id"),
    sa.Column("doc_id", KEY, sa.ForeignKey("versions.doc_id"), nullable=False),
    *optional(KEY, "previous_doc_id"),
    *required(KEY, "document_id policy_source kind"),
    *required(DATE, "changed_on"),
    *required(MOMENT, "recorded_at"),
    *required(JSON, "details"),
    one_of("kind", "added changed formatting removed"),
    sa.UniqueConstraint("doc_id", "kind"),
    index("ix_policy_changes_changed_on", "changed_on"),
    index("ix_policy_changes_document_id", "document_id"),
    sqlite_autoincrement=True,
)
table(
    "change_marks",
    sa.Column("change_id", BIG, autoincrement=False, primary_key=True),
    *required(KEY, "fingerprint"),
    index("ix_change_marks_fingerprint", "fingerprint"),
)
