"""What people say of answers."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision: str = "0008"
down_revision: str | None = "0007"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None

KEY = sa.Text().with_variant(postgresql.TEXT(collation="C"), "postgresql")
JSON = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")
MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "feedback",
        sa.Column("record_id", KEY, nullable=False),
        sa.Column("answer_id", KEY, nullable=False),
        sa.Column("workspace", KEY, nullable=False),
        sa.Column("person", KEY, nullable=False),
        sa.Column("rating", KEY, nullable=False),
        sa.Column("reasons", JSON, nullable=False),
        sa.Column("comment", sa.Text(), nullable=False),
        sa.Column("given_from", sa.Text(), nullable=False),
        sa.Column("given_at", MOMENT, nullable=False),
        sa.CheckConstraint("rating IN ('useful', 'not_useful')", name=op.f("ck_feedback_rating")),
        sa.ForeignKeyConstraint(["answer_id"], ["answers.answer_id"], name="fk_feedback_answer_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("record_id", name="pk_feedback"),
        sa.UniqueConstraint("answer_id", "workspace", "person", name="uq_feedback_answer_id_workspace_person"),
    )
    op.create_index("ix_feedback_person", "feedback", ["person"])
    op.create_index("ix_feedback_given_at", "feedback", ["given_at"])


def downgrade() -> None:
    op.drop_table("feedback")
