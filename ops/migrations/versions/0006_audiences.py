"""Whom a reply is for: whether only its asker reads it, and the groups that a remembered turn was answered for."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision: str = "0006"
down_revision: str | None = "0005"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None

JSON = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")


def upgrade() -> None:
    # what was asked before may be read by whoever reads the conversation
    op.add_column("inbox", sa.Column("private", sa.Boolean(), nullable=False, server_default=sa.false()))
    # what was answered before was answered for everybody: nobody was in a group yet
    op.add_column("messages", sa.Column("needed", JSON, nullable=False, server_default=sa.text("'[]'")))


def downgrade() -> None:
    op.execute("DELETE FROM messages WHERE needed <> '[]'")  # the version before would tell them to everybody
    op.drop_column("messages", "needed")
    op.drop_column("inbox", "private")
