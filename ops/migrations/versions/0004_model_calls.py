"""Calls of language models: tokens, time, cost, outcome."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision: str = "0004"
down_revision: str | None = "0003"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None

KEY = sa.Text().with_variant(postgresql.TEXT(collation="C"), "postgresql")
MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "model_calls",
        sa.Column("call_id", KEY, nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.Column("model", KEY, nullable=False),
        sa.Column("role", KEY, nullable=False),
        sa.Column("outcome", KEY, nullable=False),
        sa.Column("prompt_tokens", sa.Integer(), nullable=False),
        sa.Column("completion_tokens", sa.Integer(), nullable=False),
        sa.Column("counted", sa.Boolean(), nullable=False),
        sa.Column("seconds", sa.Double(), nullable=False),
        sa.Column("cost", sa.Double()),
        sa.CheckConstraint(
            "prompt_tokens >= 0 AND completion_tokens >= 0 AND seconds >= 0 AND cost >= 0",
            name=op.f("ck_model_calls_amounts"),
        ),
        sa.PrimaryKeyConstraint("call_id", name="pk_model_calls"),
    )
    op.create_index("ix_model_calls_at", "model_calls", ["at"])


def downgrade() -> None:
    op.drop_table("model_calls")
