"""The table of conversations in which the bot may speak by itself: see `bot.known_conversations`."""

from sqlalchemy import Column, Index, Table

from adapters.sql.tables import metadata
from adapters.sql.types import Encrypted, Key, UtcDateTime

known_conversations = Table(
    "known_conversations",
    metadata,
    Column("platform", Key, primary_key=True),
    Column("workspace", Key, primary_key=True),
    Column("channel", Key, primary_key=True),
    Column("team", Key, nullable=False),
    Column("person", Key, nullable=False),
    Column("installer", Key, nullable=False),
    Column("encrypted_reference", Encrypted, nullable=False),
    Column("encrypted_installer", Encrypted),
    Column("seen_at", UtcDateTime, nullable=False),
    Index("ix_known_conversations_team", "platform", "workspace", "team"),
    Index("ix_known_conversations_person", "person"),
)
"""`person`, `installer`: pseudonyms, "" for nobody. The ids of the platform are encrypted: with the reference of the
person whose chat it is, apart from it of who put the app there, so that he can be forgotten."""
