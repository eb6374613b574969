"""What channels' admins have set, and what a question that names nothing was to mean when it was accepted."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision: str = "0013"
down_revision: str | None = "0012"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None

KEY = sa.Text().with_variant(postgresql.TEXT(collation="C"), "postgresql")
JSON = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")
MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "channel_settings",
        sa.Column("platform", KEY, nullable=False),
        sa.Column("workspace", KEY, nullable=False),
        sa.Column("channel", KEY, nullable=False),
        sa.Column("preferences", JSON, nullable=False),
        sa.Column("changed_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("platform", "workspace", "channel", name="pk_channel_settings"),
    )
    op.add_column("inbox", sa.Column("defaults", JSON, nullable=False, server_default=sa.text("'{}'")))


def downgrade() -> None:
    op.drop_column("inbox", "defaults")
    op.drop_table("channel_settings")
