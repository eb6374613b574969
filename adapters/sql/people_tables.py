"""The tables of answers that people gave: approved ones (`rag_core.curated`), and escalations (`bot.escalations`)."""

from sqlalchemy import BigInteger, CheckConstraint, Column, Date, ForeignKey, Index, Integer, Table, text

from adapters.sql.tables import metadata, one_of
from adapters.sql.types import Encrypted, Json, Key, PlainText, UtcDateTime
from bot.escalations import ActKind, EscalationState
from rag_core.curated.kept import CuratedState

curated_answers = Table(
    "curated_answers",
    metadata,
    Column("curated_id", Key, primary_key=True),
    Column("family", Key, nullable=False),
    Column("revision", Integer, nullable=False),
    Column("state", Key, nullable=False),
    Column("content", Json, nullable=False),
    Column("groups", Json, nullable=False),
    Column("owner", Json, nullable=False),
    Column("person", Key, nullable=False),
    Column("approved_by", PlainText, nullable=False),
    Column("approved_at", UtcDateTime),
    Column("suspended_because", Json, nullable=False),
    Column("changed_at", UtcDateTime, nullable=False),
    one_of("state", CuratedState),
    CheckConstraint("revision > 0", name="revision"),
    Index("uq_curated_answers_family", "family", unique=True),
    Index("ix_curated_answers_state", "state"),
)
"""`content`: {wordings, scope, verdict, statements, citations}. `owner`: whom to tell, by the platform's ids. `person`:
who approved it, a pseudonym, "" where nobody did or he was forgotten; `approved_by`: his name as readers see it."""

curated_checks = Table(
    "curated_checks",
    metadata,
    Column("purpose", Key, primary_key=True),
    Column("change_id", BigInteger().with_variant(Integer, "sqlite"), nullable=False),
    Column("checked_on", Date, nullable=False),
    CheckConstraint("purpose = 'citations'", name="purpose"),
)
"""One row: up to which change, and on which day, it was checked that the citations of approved answers stand."""

escalations = Table(
    "escalations",
    metadata,
    Column("escalation_id", Key, primary_key=True),
    Column("answer_id", Key, nullable=False),
    Column("workspace", Key, nullable=False),
    Column("person", Key, nullable=False),
    Column("state", Key, nullable=False),
    Column("encrypted_place", Encrypted, nullable=False),
    Column("note", PlainText, nullable=False),
    Column("asked_at", UtcDateTime, nullable=False),
    one_of("state", EscalationState),
    Index("uq_escalations_answer", "answer_id", "workspace", "person", unique=True),
    Index("ix_escalations_person", "person"),
    Index("ix_escalations_asked_at", "asked_at"),
)
"""`person`: who asks, a pseudonym. `encrypted_place`: where he asked and who is asked, by the platform's ids."""

escalation_acts = Table(
    "escalation_acts",
    metadata,
    Column("act_id", Key, primary_key=True),
    Column("escalation_id", Key, ForeignKey("escalations.escalation_id", ondelete="CASCADE"), nullable=False),
    Column("kind", Key, nullable=False),
    Column("person", Key, nullable=False),
    Column("encrypted_name", Encrypted, nullable=False),
    Column("text", PlainText, nullable=False),
    Column("at", UtcDateTime, nullable=False),
    one_of("kind", ActKind),
    Index("ix_escalation_acts_escalation_id_at", "escalation_id", "at"),
    Index("ix_escalation_acts_person", "person"),
    Index("uq_escalation_acts_claim", "escalation_id", unique=True, sqlite_where=text("kind = 'claimed'"),
          postgresql_where=text("kind = 'claimed'")),
)  # fmt: skip
"""Who claimed it, and what was answered. `encrypted_name`: the person by the platform's own id, since he is named to
the asker. An act's id is that of the message, so that hearing it twice is once."""
