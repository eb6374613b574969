"""Whether the day of a version was stated, and whether it holds for earlier days too because none was."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0018"
down_revision: str | None = "0017"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None


def upgrade() -> None:
    op.add_column("versions", sa.Column("date_stated", sa.Boolean(), nullable=False, server_default=sa.true()))
    op.add_column("versions", sa.Column("open_start", sa.Boolean(), nullable=False, server_default=sa.false()))


def downgrade() -> None:
    op.drop_column("versions", "open_start")
    op.drop_column("versions", "date_stated")
