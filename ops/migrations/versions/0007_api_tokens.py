"""Bearer tokens of the web listener, and who signed in to the pages with one."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision: str = "0007"
down_revision: str | None = "0006"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None

KEY = sa.Text().with_variant(postgresql.TEXT(collation="C"), "postgresql")
JSON = sa.JSON(none_as_null=True).with_variant(postgresql.JSONB(none_as_null=True), "postgresql")
MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "api_tokens",
        sa.Column("token_id", KEY, nullable=False),
        sa.Column("name", KEY, nullable=False),
        sa.Column("hash", KEY, nullable=False),
        sa.Column("permissions", JSON, nullable=False),
        sa.Column("allowed_groups", JSON, nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("expires_at", MOMENT, nullable=False),
        sa.Column("last_used_at", MOMENT),
        sa.Column("revoked_at", MOMENT),
        sa.CheckConstraint("expires_at > created_at", name=op.f("ck_api_tokens_expires")),
        sa.PrimaryKeyConstraint("token_id", name="pk_api_tokens"),
        sa.UniqueConstraint("hash", name="uq_api_tokens_hash"),
    )
    live = sa.text("revoked_at IS NULL")
    op.create_index("uq_api_tokens_name", "api_tokens", ["name"], unique=True, sqlite_where=live, postgresql_where=live)
    op.create_table(
        "page_sessions",
        sa.Column("hash", KEY, nullable=False),
        sa.Column("token_id", KEY, nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("expires_at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(
            ["token_id"], ["api_tokens.token_id"], name="fk_page_sessions_token_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("hash", name="pk_page_sessions"),
    )
    op.create_index("ix_page_sessions_token_id", "page_sessions", ["token_id"])
    op.create_index("ix_page_sessions_expires_at", "page_sessions", ["expires_at"])


def downgrade() -> None:
    op.drop_table("page_sessions")
    op.drop_table("api_tokens")
