"""The table of what people said of answers: see `bot.feedback`."""

from sqlalchemy import Column, ForeignKey, Index, Table, UniqueConstraint

from adapters.sql.tables import answers, metadata, one_of
from adapters.sql.types import Json, Key, PlainText, UtcDateTime
from bot.feedback import Rating

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
