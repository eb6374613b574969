"""What the bot has posted, and how often a question waited for the platform."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision: str = "0011"
down_revision: str | None = "0010"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None

KEY = sa.Text().with_variant(postgresql.TEXT(collation="C"), "postgresql")
MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "posted_messages",
        sa.Column("platform", KEY, nullable=False),
        sa.Column("workspace", KEY, nullable=False),
        sa.Column("channel", KEY, nullable=False),
        sa.Column("message", KEY, nullable=False),
        sa.Column("thread", KEY, nullable=False),
        sa.Column("subject", KEY, nullable=False),
        sa.Column("subject_id", KEY, nullable=False),
        sa.Column("posted_at", MOMENT, nullable=False),
        sa.Column("asked_in", KEY, nullable=False),
        sa.Column("person", KEY, nullable=False),
        sa.CheckConstraint("subject IN ('answer', 'escalation', 'alert')", name=op.f("ck_posted_messages_subject")),
        sa.PrimaryKeyConstraint("platform", "workspace", "channel", "message", name="pk_posted_messages"),
    )
    op.create_index("ix_posted_messages_subject_id", "posted_messages", ["subject_id"])
    op.create_index("ix_posted_messages_thread", "posted_messages", ["workspace", "channel", "thread"])
    op.create_index("ix_posted_messages_asked_in", "posted_messages", ["workspace", "channel", "asked_in"])
    op.create_index("ix_posted_messages_person", "posted_messages", ["person"])
    op.create_index("ix_posted_messages_posted_at", "posted_messages", ["posted_at"])
    op.add_column("inbox", sa.Column("waits", sa.Integer(), nullable=False, server_default=sa.text("0")))


def downgrade() -> None:
    op.drop_column("inbox", "waits")
    op.drop_table("posted_messages")
