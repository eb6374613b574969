"""The tables of bearer tokens and of who signed in with one: see `bot.api_tokens`."""

from sqlalchemy import CheckConstraint, Column, ForeignKey, Index, Table, text

from adapters.sql.tables import metadata
from adapters.sql.types import Json, Key, UtcDateTime

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
