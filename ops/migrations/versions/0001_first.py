"""Policies and their versions, chunks, embeddings, the outbox, the inbox and answers."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision: str = "0001"
down_revision: str | None = None
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None

# identifiers are compared and sorted byte by byte on every database
KEY = sa.Text().with_variant(postgresql.TEXT(collation="C"), "postgresql")
TEXT = sa.Text()
JSON = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")
MOMENT = sa.DateTime(timezone=True)
SERIAL = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    _create_sources()
    _create_versions()
    _create_chunks()
    _create_embeddings()
    _create_outbox()
    _create_inbox()
    _create_answers()


def downgrade() -> None:
    for table in (
        "answers",
        "inbox",
        "outbox",
        "embeddings",
        "chunks",
        "version_texts",
        "versions",
        "documents",
        "policy_sources",
    ):
        op.drop_table(table)


def _create_sources() -> None:
    op.create_table(
        "policy_sources",
        sa.Column("slug", KEY, nullable=False),
        sa.Column("display_name", TEXT, nullable=False),
        sa.Column("aliases", JSON, nullable=False),
        sa.PrimaryKeyConstraint("slug", name="pk_policy_sources"),
        sa.CheckConstraint("slug <> '' AND slug = lower(trim(slug))", name=op.f("ck_policy_sources_slug")),
    )
    op.create_table(
        "documents",
        sa.Column("document_id", KEY, nullable=False),
        sa.Column("policy_source", KEY, nullable=False),
        sa.PrimaryKeyConstraint("document_id", name="pk_documents"),
        _references("documents", "policy_source", "policy_sources.slug"),
    )


def _create_versions() -> None:
    op.create_table(
        "versions",
        sa.Column("doc_id", KEY, nullable=False),
        sa.Column("document_id", KEY, nullable=False),
        sa.Column("policy_source", KEY, nullable=False),
        sa.Column("source_id", KEY, nullable=False),
        sa.Column("title", TEXT, nullable=False),
        sa.Column("url", TEXT),
        sa.Column("mime_type", TEXT, nullable=False),
        sa.Column("sha256", KEY, nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("origin", KEY, nullable=False),
        sa.Column("pipeline", TEXT, nullable=False),
        sa.Column("status", KEY, nullable=False),
        sa.Column("effective_from", sa.Date(), nullable=False),
        sa.Column("effective_to", sa.Date()),
        sa.Column("seen_at", MOMENT, nullable=False),
        sa.Column("checked_at", MOMENT, nullable=False),
        sa.Column("chunk_count", sa.Integer(), nullable=False),
        sa.Column("pages", sa.Integer()),
        sa.Column("supersedes", KEY),
        sa.Column("classification", KEY, nullable=False),
        sa.Column("allowed_groups", JSON, nullable=False),
        sa.Column("labels", JSON, nullable=False),
        sa.Column("author", TEXT),
        sa.Column("posted_at", MOMENT),
        sa.Column("post_number", sa.Integer()),
        sa.PrimaryKeyConstraint("doc_id", name="pk_versions"),
        _references("versions", "document_id", "documents.document_id"),
        _references("versions", "policy_source", "policy_sources.slug"),
        _one_of("versions", "status", "processing", "live", "held", "failed", "retired"),
        _one_of("versions", "classification", "public", "restricted"),
        sa.CheckConstraint("effective_to >= effective_from", name=op.f("ck_versions_days")),
        sa.CheckConstraint("size >= 0 AND chunk_count >= 0", name=op.f("ck_versions_counts")),
    )
    op.create_index("ix_versions_source_id", "versions", ["source_id"])
    op.create_index("ix_versions_document_id_effective_from", "versions", ["document_id", "effective_from"])
    op.create_index("ix_versions_policy_source", "versions", ["policy_source"])
    op.create_table(
        "version_texts",
        sa.Column("doc_id", KEY, nullable=False),
        sa.Column("text", TEXT, nullable=False),
        sa.PrimaryKeyConstraint("doc_id", name="pk_version_texts"),
        _references("version_texts", "doc_id", "versions.doc_id"),
    )


def _create_chunks() -> None:
    op.create_table(
        "chunks",
        sa.Column("chunk_id", KEY, nullable=False),
        sa.Column("doc_id", KEY, nullable=False),
        sa.Column("chunk_index", sa.Integer(), nullable=False),
        sa.Column("chunk_text", TEXT, nullable=False),
        sa.Column("lead_in", TEXT, nullable=False),
        sa.Column("policy_source", KEY, nullable=False),
        sa.Column("policy_section", TEXT, nullable=False),
        sa.Column("policy_section_level", sa.Integer(), nullable=False),
        sa.Column("policy_path", TEXT, nullable=False),
        sa.Column("regions", JSON, nullable=False),
        sa.Column("regions_excluded", JSON, nullable=False),
        sa.Column("regions_mentioned", JSON, nullable=False),
        sa.Column("region_doubt", sa.Boolean(), nullable=False),
        sa.Column("content_type", KEY, nullable=False),
        sa.Column("rule_number", TEXT),
        sa.Column("page", sa.Integer()),
        sa.Column("char_start", sa.Integer(), nullable=False),
        sa.Column("char_end", sa.Integer(), nullable=False),
        sa.Column("effective_from", sa.Date(), nullable=False),
        sa.Column("effective_to", sa.Date()),
        sa.Column("doc_url", TEXT),
        sa.Column("anchor", TEXT),
        sa.Column("has_cross_reference", sa.Boolean(), nullable=False),
        sa.Column("is_atomic", sa.Boolean(), nullable=False),
        sa.Column("summary", TEXT, nullable=False),
        sa.Column("content_hash", KEY, nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("chunk_id", name="pk_chunks"),
        sa.UniqueConstraint("doc_id", "chunk_index", name="uq_chunks_doc_id_chunk_index"),
        _references("chunks", "doc_id", "versions.doc_id"),
        _references("chunks", "policy_source", "policy_sources.slug"),
        _one_of("chunks", "content_type", "ad_text", "image", "video", "landing_page", "general"),
        sa.CheckConstraint("chunk_index >= 0", name=op.f("ck_chunks_chunk_index")),
        sa.CheckConstraint("char_start >= 0 AND char_end >= char_start", name=op.f("ck_chunks_offsets")),
        sa.CheckConstraint("effective_to >= effective_from", name=op.f("ck_chunks_days")),
    )


def _create_embeddings() -> None:
    op.create_table(
        "embeddings",
        sa.Column("content_hash", KEY, nullable=False),
        sa.Column("model", KEY, nullable=False),
        sa.Column("dimensions", sa.Integer(), nullable=False),
        sa.Column("vector", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("content_hash", "model", name="pk_embeddings"),
        sa.CheckConstraint("dimensions > 0 AND length(vector) = 4 * dimensions", name=op.f("ck_embeddings_vector")),
    )


def _create_outbox() -> None:
    op.create_table(
        "outbox",
        sa.Column("item_id", SERIAL, nullable=False),
        sa.Column("doc_id", KEY, nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("next_try_at", MOMENT, nullable=False),
        sa.Column("last_reason", TEXT),
        sa.PrimaryKeyConstraint("item_id", name="pk_outbox"),
        _references("outbox", "doc_id", "versions.doc_id"),
        sqlite_autoincrement=True,
    )


def _create_inbox() -> None:
    op.create_table(
        "inbox",
        sa.Column("question_id", KEY, nullable=False),
        sa.Column("claim_key", KEY, nullable=False),
        sa.Column("state", KEY, nullable=False),
        sa.Column("actor", JSON, nullable=False),
        sa.Column("conversation", JSON, nullable=False),
        sa.Column("text", TEXT, nullable=False),
        sa.Column("filters", JSON, nullable=False),
        sa.Column("as_of", sa.Date()),
        sa.Column("history", JSON, nullable=False),
        sa.Column("reply_address", TEXT),
        sa.Column("received_at", MOMENT, nullable=False),
        sa.Column("queued_at", MOMENT, nullable=False),
        sa.Column("worker", KEY),
        sa.Column("lease_until", MOMENT),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("was_sending", sa.Boolean(), nullable=False),
        sa.Column("finished_at", MOMENT),
        sa.PrimaryKeyConstraint("question_id", name="pk_inbox"),
        sa.UniqueConstraint("claim_key", name="uq_inbox_claim_key"),
        _one_of("inbox", "state", "accepted", "running", "sending", "sent", "failed"),
        sa.CheckConstraint(
            "(state IN ('running', 'sending')) = (lease_until IS NOT NULL)", name=op.f("ck_inbox_lease")
        ),
        sa.CheckConstraint("(state IN ('sent', 'failed')) = (finished_at IS NOT NULL)", name=op.f("ck_inbox_finished")),
        sa.CheckConstraint("(finished_at IS NOT NULL) = (reply_address IS NULL)", name=op.f("ck_inbox_reply_address")),
    )
    unfinished = sa.text("finished_at IS NULL")
    op.create_index(
        "ix_inbox_unfinished",
        "inbox",
        ["queued_at", "question_id"],
        sqlite_where=unfinished,
        postgresql_where=unfinished,
    )


def _create_answers() -> None:
    op.create_table(
        "answers",
        sa.Column("answer_id", KEY, nullable=False),
        sa.Column("answered_from", TEXT, nullable=False),
        sa.Column("workspace", KEY, nullable=False),
        sa.Column("person", KEY, nullable=False),
        sa.Column("question_text", TEXT, nullable=False),
        sa.Column("reply", JSON, nullable=False),
        sa.Column("trace", JSON),
        sa.Column("answered_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("answer_id", name="pk_answers"),
    )
    op.create_index("ix_answers_answered_at", "answers", ["answered_at"])


def _references(table: str, column: str, target: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint([column], [target], name=f"fk_{table}_{column}")


def _one_of(table: str, column: str, *values: str) -> sa.CheckConstraint:
    listed = ", ".join(f"'{value}'" for value in values)
    return sa.CheckConstraint(f"{column} IN ({listed})", name=op.f(f"ck_{table}_{column}"))
