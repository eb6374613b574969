"""Where the Slack app is installed, with which token, and who has set out to install it."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision: str = "0012"
down_revision: str | None = "0011"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None

KEY = sa.Text().with_variant(postgresql.TEXT(collation="C"), "postgresql")
MOMENT = sa.DateTime(timezone=True)
JSON = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")


def upgrade() -> None:
    op.create_table(
        "slack_installations",
        sa.Column("place", KEY, nullable=False),
        sa.Column("installation_id", KEY, nullable=False),
        sa.Column("organisation", KEY, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("bot", KEY, nullable=False),
        sa.Column("scopes", JSON, nullable=False),
        sa.Column("installed_at", MOMENT, nullable=False),
        sa.Column("token", sa.Text(), nullable=False),
        sa.Column("refresh_token", sa.Text()),
        sa.Column("expires_at", MOMENT),
        sa.Column("renewals", sa.Integer(), nullable=False),
        sa.Column("is_refused", sa.Boolean(), nullable=False),
        sa.Column("renewing", KEY),
        sa.Column("renewing_until", MOMENT),
        sa.CheckConstraint("renewals >= 0", name=op.f("ck_slack_installations_renewals")),
        sa.PrimaryKeyConstraint("place", name="pk_slack_installations"),
    )
    op.create_table(
        "slack_workspaces",
        sa.Column("workspace", KEY, nullable=False),
        sa.Column("organisation", KEY, nullable=False),
        sa.PrimaryKeyConstraint("workspace", name="pk_slack_workspaces"),
    )
    op.create_index("ix_slack_workspaces_organisation", "slack_workspaces", ["organisation"])
    op.create_table(
        "slack_install_states",
        sa.Column("state", KEY, nullable=False),
        sa.Column("browser", KEY, nullable=False),
        sa.Column("expires_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("state", name="pk_slack_install_states"),
    )
    op.create_index("ix_slack_install_states_expires_at", "slack_install_states", ["expires_at"])


def downgrade() -> None:
    op.drop_table("slack_install_states")
    op.drop_table("slack_workspaces")
    op.drop_table("slack_installations")
