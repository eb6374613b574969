"""The tables of what people do: answers that they gave (`rag_core.curated`, `bot.people.escalations`), what they said
of answers (`bot.answers.feedback`), who was forgotten, and bearer tokens."""

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    Date,
    ForeignKey,
    Index,
    Integer,
    Table,
    UniqueConstraint,
    text,
)

from adapters.sql.database.types import Encrypted, Json, Key, PlainText, UtcDateTime
from adapters.sql.tables.policies import answers, metadata, one_of
from bot.answers.feedback import Rating
from bot.people.escalations import ActKind, EscalationState
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


feedback = Table(
    "feedback",
    metadata,
    Column("record_id", Key, primary_key=True),
    Column("answer_id", Key, ForeignKey(answers.c.answer_id, ondelete="CASCADE"), nullable=False),
    Column("workspace", Key, nullable=False),
    Column("person", Key, nullable=False),
    Column("rating", Key, nullable=False),
    Column("reasons", Json, nullable=False),
    Column("comment", PlainText, nullable=False),
    Column("given_from", PlainText, nullable=False),
    Column("given_at", UtcDateTime, nullable=False),
    UniqueConstraint("answer_id", "workspace", "person"),
    one_of("rating", Rating),
    Index("ix_feedback_person", "person"),
    Index("ix_feedback_given_at", "given_at"),
)
"""The last opinion of each person on each answer; it goes with the answer. All of them are in the record;
`record_id` is its entry's."""


pseudonym_keys = Table(
    "pseudonym_keys",
    metadata,
    Column("purpose", Key, primary_key=True),
    Column("secret", Encrypted, nullable=False),
    Column("made_at", UtcDateTime, nullable=False),
    CheckConstraint("purpose = 'people'", name="purpose"),
)
"""One row. `secret`: the key, encrypted by the vault."""

forgettings = Table(
    "forgettings",
    metadata,
    Column("forgetting_id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True),
    Column("person", Key, nullable=False),
    Column("begun_at", UtcDateTime, nullable=False),
    Column("finished_at", UtcDateTime),
    Index(
        "uq_forgettings_unfinished",
        "person",
        unique=True,
        sqlite_where=text("finished_at IS NULL"),
        postgresql_where=text("finished_at IS NULL"),
    ),
    sqlite_autoincrement=True,
)
"""`person` is a pseudonym. Servers look here for whom to forget in their own memory; one that is not finished is to be
called again."""


api_tokens = Table(
    "api_tokens",
    metadata,
    Column("token_id", Key, primary_key=True),
    Column("name", Key, nullable=False),
    Column("hash", Key, nullable=False, unique=True),
    Column("permissions", Json, nullable=False),
    Column("allowed_groups", Json, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("expires_at", UtcDateTime, nullable=False),
    Column("last_used_at", UtcDateTime),
    Column("revoked_at", UtcDateTime),
    CheckConstraint("expires_at > created_at", name="expires"),
    Index(
        "uq_api_tokens_name",
        "name",
        unique=True,
        sqlite_where=text("revoked_at IS NULL"),
        postgresql_where=text("revoked_at IS NULL"),
    ),
)
"""`hash`: SHA-256 of the token, which is kept nowhere."""

page_sessions = Table(
    "page_sessions",
    metadata,
    Column("hash", Key, primary_key=True),
    Column("token_id", Key, ForeignKey("api_tokens.token_id", ondelete="CASCADE"), nullable=False, index=True),
    Column("created_at", UtcDateTime, nullable=False),
    Column("expires_at", UtcDateTime, nullable=False, index=True),
)
"""`hash`: SHA-256 of the value of the cookie, which only the browser has."""
