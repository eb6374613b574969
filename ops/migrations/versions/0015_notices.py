"""What channels are told without having asked: notices, subscriptions, and which changes say the same."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision: str = "0015"
down_revision: str | None = "0014"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None

KEY = sa.Text().with_variant(postgresql.TEXT(collation="C"), "postgresql")
JSON = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")
MOMENT = sa.DateTime(timezone=True)
NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
UNFINISHED = sa.text("finished_at IS NULL")


def upgrade() -> None:
    _notices()
    op.create_table(
        "subscriptions",
        sa.Column("subscription_id", KEY, nullable=False),
        sa.Column("platform", KEY, nullable=False),
        sa.Column("workspace", KEY, nullable=False),
        sa.Column("channel", KEY, nullable=False),
        sa.Column("rhythm", KEY, nullable=False),
        sa.Column("filters", JSON, nullable=False),
        sa.Column("filters_key", KEY, nullable=False),
        sa.Column("since", MOMENT, nullable=False),
        sa.Column("cursor", sa.BigInteger(), nullable=False),
        sa.Column("looked_at", MOMENT, nullable=False),
        sa.CheckConstraint("rhythm IN ('at_once', 'daily', 'weekly')", name=op.f("ck_subscriptions_rhythm")),
        sa.CheckConstraint("cursor >= 0", name=op.f("ck_subscriptions_cursor")),
        sa.PrimaryKeyConstraint("subscription_id", name="pk_subscriptions"),
        sa.UniqueConstraint(
            "platform",
            "workspace",
            "channel",
            "filters_key",
            name="uq_subscriptions_platform_workspace_channel_filters_key",
        ),
    )
    op.create_table(
        "change_marks",
        sa.Column("change_id", sa.BigInteger(), nullable=False, autoincrement=False),
        sa.Column("fingerprint", KEY, nullable=False),
        sa.PrimaryKeyConstraint("change_id", name="pk_change_marks"),
    )
    op.create_index("ix_change_marks_fingerprint", "change_marks", ["fingerprint"])


def _notices() -> None:
    op.create_table(
        "notices",
        sa.Column("position", NUMBER, nullable=False),
        sa.Column("notice_id", KEY, nullable=False),
        sa.Column("kind", KEY, nullable=False),
        sa.Column("platform", KEY, nullable=False),
        sa.Column("workspace", KEY, nullable=False),
        sa.Column("channel", KEY, nullable=False),
        sa.Column("thread", KEY, nullable=False),
        sa.Column("content", JSON, nullable=False),
        sa.Column("queued_at", MOMENT, nullable=False),
        sa.Column("state", KEY, nullable=False),
        sa.Column("worker", sa.Text()),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("was_sending", sa.Boolean(), nullable=False),
        sa.Column("lease_until", MOMENT),
        sa.Column("not_before", MOMENT),
        sa.Column("finished_at", MOMENT),
        sa.CheckConstraint("state IN ('waiting', 'sending', 'sent', 'given_up')", name=op.f("ck_notices_state")),
        sa.CheckConstraint("attempt >= 0", name=op.f("ck_notices_attempt")),
        sa.PrimaryKeyConstraint("position", name="pk_notices"),
        sa.UniqueConstraint("notice_id", name="uq_notices_notice_id"),
        sqlite_autoincrement=True,
    )
    columns = ["platform", "workspace", "channel", "position"]
    op.create_index("ix_notices_unfinished", "notices", columns, sqlite_where=UNFINISHED, postgresql_where=UNFINISHED)
    op.create_index("ix_notices_finished_at", "notices", ["finished_at"])


def downgrade() -> None:
    op.drop_table("change_marks")
    op.drop_table("subscriptions")
    op.drop_table("notices")
