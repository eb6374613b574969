"""Pseudonyms of people, and forgetting them. Older rows get their pseudonyms when the key is made, see
`adapters.sql.pseudonym_filling`."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision: str = "0009"
down_revision: str | None = "0008"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None

KEY = sa.Text().with_variant(postgresql.TEXT(collation="C"), "postgresql")
MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "pseudonym_keys",
        sa.Column("purpose", KEY, nullable=False),
        sa.Column("secret", sa.Text(), nullable=False),
        sa.Column("made_at", MOMENT, nullable=False),
        sa.Column("filled_at", MOMENT),
        sa.CheckConstraint("purpose = 'people'", name=op.f("ck_pseudonym_keys_purpose")),
        sa.PrimaryKeyConstraint("purpose", name="pk_pseudonym_keys"),
    )
    op.create_table(
        "forgettings",
        sa.Column("forgetting_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("person", KEY, nullable=False),
        sa.Column("begun_at", MOMENT, nullable=False),
        sa.Column("finished_at", MOMENT),
        sa.PrimaryKeyConstraint("forgetting_id", name="pk_forgettings"),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "uq_forgettings_unfinished",
        "forgettings",
        ["person"],
        unique=True,
        sqlite_where=sa.text("finished_at IS NULL"),
        postgresql_where=sa.text("finished_at IS NULL"),
    )
    op.create_index("ix_answers_person", "answers", ["person"])
    op.create_index("ix_messages_person", "messages", ["person"])
    op.create_index("ix_conversations_last_at", "conversations", ["last_at"])


def downgrade() -> None:
    op.drop_index("ix_conversations_last_at", "conversations")
    op.drop_index("ix_messages_person", "messages")
    op.drop_index("ix_answers_person", "answers")
    op.drop_table("forgettings")
    op.drop_table("pseudonym_keys")
