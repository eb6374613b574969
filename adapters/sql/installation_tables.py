"""The tables of where the app is installed: see `bot.installations`."""

from sqlalchemy import Boolean, CheckConstraint, Column, Integer, Table

from adapters.sql.tables import metadata
from adapters.sql.types import Encrypted, Json, Key, PlainText, UtcDateTime

slack_installations = Table(
    "slack_installations",
    metadata,
    Column("place", Key, primary_key=True),
    Column("installation_id", Key, nullable=False),
    Column("organisation", Key, nullable=False),
    Column("name", PlainText, nullable=False),
    Column("bot", Key, nullable=False),
    Column("scopes", Json, nullable=False),
    Column("installed_at", UtcDateTime, nullable=False),
    Column("token", Encrypted, nullable=False),
    Column("refresh_token", Encrypted),
    Column("expires_at", UtcDateTime),
    Column("renewals", Integer, nullable=False),
    Column("is_refused", Boolean, nullable=False),
    Column("renewing", Key),
    Column("renewing_until", UtcDateTime),
    CheckConstraint("renewals >= 0", name="renewals"),
)
"""`renewing`: who renews the token now, until `renewing_until`; NULL for nobody. Who installed is on record."""

slack_workspaces = Table(
    "slack_workspaces",
    metadata,
    Column("workspace", Key, primary_key=True),
    Column("organisation", Key, nullable=False, index=True),
)
"""Which workspace belongs to which organisation, as Slack told. Kept when the app is uninstalled."""

slack_install_states = Table(
    "slack_install_states",
    metadata,
    Column("state", Key, primary_key=True),
    Column("browser", Key, nullable=False),
    Column("expires_at", UtcDateTime, nullable=False, index=True),
)
"""SHA-256 of the OAuth state and of the cookie of the browser that it was given to."""
