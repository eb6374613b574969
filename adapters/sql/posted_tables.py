"""The table of what the bot has posted: see `bot.posted`."""

from sqlalchemy import Column, Index, Table

from adapters.sql.tables import metadata, one_of
from adapters.sql.types import Key, UtcDateTime
from bot.posted import Subject

posted_messages = Table(
    "posted_messages",
    metadata,
    Column("platform", Key, primary_key=True),
    Column("workspace", Key, primary_key=True),
    Column("channel", Key, primary_key=True),
    Column("message", Key, primary_key=True),
    Column("thread", Key, nullable=False),
    Column("subject", Key, nullable=False),
    Column("subject_id", Key, nullable=False),
    Column("posted_at", UtcDateTime, nullable=False),
    Column("asked_in", Key, nullable=False),
    Column("person", Key, nullable=False),
    one_of("subject", Subject),
    Index("ix_posted_messages_subject_id", "subject_id"),
    Index("ix_posted_messages_thread", "workspace", "channel", "thread"),
    Index("ix_posted_messages_asked_in", "workspace", "channel", "asked_in"),
    Index("ix_posted_messages_person", "person"),
    Index("ix_posted_messages_posted_at", "posted_at"),
)
"""One row a message, by the platform's own ids; no text. `person` is a pseudonym."""
