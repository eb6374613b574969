"""Conversations in which the bot may speak by itself."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision: str = "0016"
down_revision: str | None = "0015"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None

KEY = sa.Text().with_variant(postgresql.TEXT(collation="C"), "postgresql")
TABLE = "known_conversations"


def upgrade() -> None:
    op.create_table(
        TABLE,
        sa.Column("platform", KEY, nullable=False),
        sa.Column("workspace", KEY, nullable=False),
        sa.Column("channel", KEY, nullable=False),
        sa.Column("team", KEY, nullable=False),
        sa.Column("person", KEY, nullable=False),
        sa.Column("installer", KEY, nullable=False),
        sa.Column("encrypted_reference", sa.Text(), nullable=False),
        sa.Column("encrypted_installer", sa.Text()),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("platform", "workspace", "channel", name="pk_known_conversations"),
    )
    op.create_index("ix_known_conversations_team", TABLE, ["platform", "workspace", "team"])
    op.create_index("ix_known_conversations_person", TABLE, ["person"])


def downgrade() -> None:
    op.drop_table(TABLE)
