"""The table of what channels' admins have set: see `bot.channel_settings`."""

from sqlalchemy import Column, Table

from adapters.sql.tables import metadata
from adapters.sql.types import Json, Key, UtcDateTime

channel_settings = Table(
    "channel_settings",
    metadata,
    Column("platform", Key, primary_key=True),
    Column("workspace", Key, primary_key=True),
    Column("channel", Key, primary_key=True),
    Column("preferences", Json, nullable=False),
    Column("changed_at", UtcDateTime, nullable=False),
)
"""One row a channel in which something was set. Who did is in the record."""
