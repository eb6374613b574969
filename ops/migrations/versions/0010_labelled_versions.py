"""Which labels there are is looked up among the versions that have any, not among all."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0010"
down_revision: str | None = "0009"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None

LABELLED = sa.text("labels <> '{}'")


def upgrade() -> None:
    op.create_index(
        "ix_versions_labelled", "versions", ["policy_source"], sqlite_where=LABELLED, postgresql_where=LABELLED
    )


def downgrade() -> None:
    op.drop_index("ix_versions_labelled", "versions")
