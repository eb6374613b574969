"""Answers that people gave: approved ones, and escalations."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision: str = "0014"
down_revision: str | None = "0013"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None

KEY = sa.Text().with_variant(postgresql.TEXT(collation="C"), "postgresql")
JSON = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")
MOMENT = sa.DateTime(timezone=True)
NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    _curated()
    _escalations()


def _curated() -> None:
    op.create_table(
        "curated_answers",
        sa.Column("curated_id", KEY, nullable=False),
        sa.Column("family", KEY, nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("state", KEY, nullable=False),
        sa.Column("content", JSON, nullable=False),
        sa.Column("groups", JSON, nullable=False),
        sa.Column("owner", JSON, nullable=False),
        sa.Column("person", KEY, nullable=False),
        sa.Column("approved_by", sa.Text(), nullable=False),
        sa.Column("approved_at", MOMENT),
        sa.Column("suspended_because", JSON, nullable=False),
        sa.Column("changed_at", MOMENT, nullable=False),
        sa.CheckConstraint(
            "state IN ('draft', 'approved', 'suspended', 'retired')", name=op.f("ck_curated_answers_state")
        ),
        sa.CheckConstraint("revision > 0", name=op.f("ck_curated_answers_revision")),
        sa.PrimaryKeyConstraint("curated_id", name="pk_curated_answers"),
    )
    op.create_index("uq_curated_answers_family", "curated_answers", ["family"], unique=True)
    op.create_index("ix_curated_answers_state", "curated_answers", ["state"])
    op.create_table(
        "curated_checks",
        sa.Column("purpose", KEY, nullable=False),
        sa.Column("change_id", NUMBER, nullable=False),
        sa.Column("checked_on", sa.Date(), nullable=False),
        sa.CheckConstraint("purpose = 'citations'", name=op.f("ck_curated_checks_purpose")),
        sa.PrimaryKeyConstraint("purpose", name="pk_curated_checks"),
    )


def _escalations() -> None:
    op.create_table(
        "escalations",
        sa.Column("escalation_id", KEY, nullable=False),
        sa.Column("answer_id", KEY, nullable=False),
        sa.Column("workspace", KEY, nullable=False),
        sa.Column("person", KEY, nullable=False),
        sa.Column("state", KEY, nullable=False),
        sa.Column("encrypted_place", sa.Text(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("asked_at", MOMENT, nullable=False),
        sa.CheckConstraint("state IN ('open', 'claimed', 'answered')", name=op.f("ck_escalations_state")),
        sa.PrimaryKeyConstraint("escalation_id", name="pk_escalations"),
    )
    op.create_index("uq_escalations_answer", "escalations", ["answer_id", "workspace", "person"], unique=True)
    op.create_index("ix_escalations_person", "escalations", ["person"])
    op.create_index("ix_escalations_asked_at", "escalations", ["asked_at"])
    op.create_table(
        "escalation_acts",
        sa.Column("act_id", KEY, nullable=False),
        sa.Column("escalation_id", KEY, nullable=False),
        sa.Column("kind", KEY, nullable=False),
        sa.Column("person", KEY, nullable=False),
        sa.Column("encrypted_name", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.CheckConstraint("kind IN ('claimed', 'answered')", name=op.f("ck_escalation_acts_kind")),
        sa.ForeignKeyConstraint(
            ["escalation_id"], ["escalations.escalation_id"], name="fk_escalation_acts_escalation_id",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("act_id", name="pk_escalation_acts"),
    )  # fmt: skip
    op.create_index("ix_escalation_acts_escalation_id_at", "escalation_acts", ["escalation_id", "at"])
    op.create_index("ix_escalation_acts_person", "escalation_acts", ["person"])
    claimed = sa.text("kind = 'claimed'")
    op.create_index(
        "uq_escalation_acts_claim",
        "escalation_acts",
        ["escalation_id"],
        unique=True,
        sqlite_where=claimed,
        postgresql_where=claimed,
    )


def downgrade() -> None:
    op.drop_table("escalation_acts")
    op.drop_table("escalations")
    op.drop_table("curated_checks")
    op.drop_table("curated_answers")
