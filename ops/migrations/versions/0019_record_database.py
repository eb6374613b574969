"""The id of the database, which checkpoints of the record name."""

import uuid
from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision: str = "0019"
down_revision: str | None = "0018"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None

KEY = sa.Text().with_variant(postgresql.TEXT(collation="C"), "postgresql")


def upgrade() -> None:
    made = op.create_table(
        "audit_database",
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("database_id", KEY, nullable=False),
        sa.Column("has_unnamed", sa.Boolean(), nullable=False),
        sa.CheckConstraint("number = 1", name=op.f("ck_audit_database_number")),
        sa.PrimaryKeyConstraint("number", name="pk_audit_database"),
    )
    has_records = op.get_bind().scalar(sa.text("SELECT EXISTS (SELECT 1 FROM audit_records)"))
    op.bulk_insert(made, [{"number": 1, "database_id": str(uuid.uuid4()), "has_unnamed": bool(has_records)}])


def downgrade() -> None:
    op.drop_table("audit_database")
