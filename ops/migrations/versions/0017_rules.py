"""What is read in the rules of chunks, and what operators say of them."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision: str = "0017"
down_revision: str | None = "0016"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None

KEY = sa.Text().with_variant(postgresql.TEXT(collation="C"), "postgresql")
JSON = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")
EFFECTS = "('prohibits', 'limits', 'requires', 'allows', 'informs')"


def upgrade() -> None:
    op.create_table(
        "policy_rules",
        sa.Column("chunk_id", KEY, nullable=False),
        sa.Column("rule_number", sa.Integer(), nullable=False, autoincrement=False),
        sa.Column("doc_id", KEY, nullable=False),
        sa.Column("document_id", KEY, nullable=False),
        sa.Column("rule_hash", KEY, nullable=False),
        sa.Column("text_hash", KEY, nullable=False),
        sa.Column("kind", KEY, nullable=False),
        sa.Column("body_start", sa.Integer(), nullable=False),
        sa.Column("body_end", sa.Integer(), nullable=False),
        sa.Column("reading", JSON, nullable=False),
        sa.Column("opinion", KEY),
        sa.Column("opinion_certainty", sa.Double(), nullable=False),
        sa.Column("reader", KEY, nullable=False),
        sa.CheckConstraint("kind IN ('sentence', 'item', 'list', 'row')", name=op.f("ck_policy_rules_kind")),
        sa.CheckConstraint(f"opinion IN {EFFECTS}", name=op.f("ck_policy_rules_opinion")),
        sa.CheckConstraint("rule_number >= 0", name=op.f("ck_policy_rules_rule_number")),
        sa.CheckConstraint("body_start >= 0 AND body_end >= body_start", name=op.f("ck_policy_rules_offsets")),
        sa.ForeignKeyConstraint(["chunk_id"], ["chunks.chunk_id"], ondelete="CASCADE", name="fk_policy_rules_chunk_id"),
        sa.ForeignKeyConstraint(["doc_id"], ["versions.doc_id"], ondelete="CASCADE", name="fk_policy_rules_doc_id"),
        sa.PrimaryKeyConstraint("chunk_id", "rule_number", name="pk_policy_rules"),
    )
    op.create_index("ix_policy_rules_doc_id", "policy_rules", ["doc_id"])
    op.create_index("ix_policy_rules_text_hash", "policy_rules", ["text_hash"])
    op.create_table(
        "chunk_readings",
        sa.Column("chunk_id", KEY, nullable=False),
        sa.Column("rules", KEY, nullable=False),
        sa.Column("reader", KEY, nullable=False),
        sa.Column("model", KEY, nullable=False),
        sa.ForeignKeyConstraint(
            ["chunk_id"], ["chunks.chunk_id"], ondelete="CASCADE", name="fk_chunk_readings_chunk_id"
        ),
        sa.PrimaryKeyConstraint("chunk_id", name="pk_chunk_readings"),
    )
    op.create_table(
        "rule_corrections",
        sa.Column("document_id", KEY, nullable=False),
        sa.Column("rule_hash", KEY, nullable=False),
        sa.Column("effect", KEY, nullable=False),
        sa.Column("person", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.CheckConstraint(f"effect IN {EFFECTS}", name=op.f("ck_rule_corrections_effect")),
        sa.ForeignKeyConstraint(
            ["document_id"], ["documents.document_id"], ondelete="CASCADE", name="fk_rule_corrections_document_id"
        ),
        sa.PrimaryKeyConstraint("document_id", "rule_hash", name="pk_rule_corrections"),
    )


def downgrade() -> None:
    for table in ("rule_corrections", "chunk_readings", "policy_rules"):
        op.drop_table(table)
