"""What is remembered of sources, the bytes of documents, what changed in policies, and what chunks refer to."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision: str = "0003"
down_revision: str | None = "0002"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None

# identifiers are compared and sorted byte by byte on every database
KEY = sa.Text().with_variant(postgresql.TEXT(collation="C"), "postgresql")
TEXT = sa.Text()
JSON = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")
MOMENT = sa.DateTime(timezone=True)

KINDS = "kind IN ('added', 'changed', 'formatting', 'removed')"


def upgrade() -> None:
    op.add_column("chunks", sa.Column("refers_to", JSON, nullable=False, server_default="[]"))
    op.create_table(
        "source_items",
        sa.Column("source_id", KEY, nullable=False),
        sa.Column("origin", KEY, nullable=False),
        sa.Column("revision", TEXT),
        sa.Column("misses", sa.Integer(), nullable=False),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("failed_with", TEXT),
        sa.Column("retry_at", MOMENT),
        sa.PrimaryKeyConstraint("source_id", "origin", name="pk_source_items"),
    )
    op.create_table(
        "source_runs",
        sa.Column("source_id", KEY, nullable=False),
        sa.Column("started_at", MOMENT, nullable=False),
        sa.Column("finished_at", MOMENT),
        sa.Column("outcome", TEXT, nullable=False),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("source_id", name="pk_source_runs"),
    )
    op.create_table(
        "removals",
        sa.Column("removal_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("kind", KEY, nullable=False),
        sa.Column("target", KEY, nullable=False),
        sa.Column("person", TEXT, nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.Column("reason", TEXT, nullable=False),
        sa.Column("all_days", sa.Boolean(), nullable=False),
        sa.Column("undone_at", MOMENT),
        sa.Column("undone_by", TEXT),
        sa.CheckConstraint("kind IN ('document', 'source')", name=op.f("ck_removals_kind")),
        sa.CheckConstraint("(undone_at IS NULL) = (undone_by IS NULL)", name=op.f("ck_removals_undone")),
        sa.PrimaryKeyConstraint("removal_id", name="pk_removals"),
        sqlite_autoincrement=True,
    )
    in_force = sa.text("undone_at IS NULL")
    op.create_index(
        "uq_removals_in_force",
        "removals",
        ["kind", "target", "all_days"],
        unique=True,
        sqlite_where=in_force,
        postgresql_where=in_force,
    )
    op.create_table(
        "raw_files",
        sa.Column("sha256", KEY, nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.CheckConstraint("size = length(content)", name=op.f("ck_raw_files_size")),
        sa.PrimaryKeyConstraint("sha256", name="pk_raw_files"),
    )
    op.create_table(
        "policy_changes",
        sa.Column("change_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("doc_id", KEY, nullable=False),
        sa.Column("previous_doc_id", KEY),
        sa.Column("document_id", KEY, nullable=False),
        sa.Column("policy_source", KEY, nullable=False),
        sa.Column("kind", KEY, nullable=False),
        sa.Column("changed_on", sa.Date(), nullable=False),
        sa.Column("recorded_at", MOMENT, nullable=False),
        sa.Column("details", JSON, nullable=False),
        sa.CheckConstraint(
            "kind IN ('added', 'changed', 'formatting', 'removed')", name=op.f("ck_policy_changes_kind")
        ),
        sa.ForeignKeyConstraint(["doc_id"], ["versions.doc_id"], name="fk_policy_changes_doc_id"),
        sa.PrimaryKeyConstraint("change_id", name="pk_policy_changes"),
        sa.UniqueConstraint("doc_id", "kind", name="uq_policy_changes_doc_id_kind"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_policy_changes_changed_on", "policy_changes", ["changed_on"])
    op.create_index("ix_policy_changes_document_id", "policy_changes", ["document_id"])


def downgrade() -> None:
    for table in ("policy_changes", "raw_files", "removals", "source_runs", "source_items"):
        op.drop_table(table)
    op.drop_column("chunks", "refers_to")
