"""Tables of where the bot is and speaks: installations, channel settings, conversations, posted messages, notices."""

from enum import StrEnum

from sqlalchemy import BigInteger, Boolean, CheckConstraint, Column, Index, Integer, Table, UniqueConstraint, text

from adapters.sql.database.types import Encrypted, Json, Key, PlainText, UtcDateTime
from adapters.sql.tables.policies import metadata, one_of
from bot.model.posted import Subject
from bot.model.subscriptions import Rhythm

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


class NoticeState(StrEnum):
    """waiting -> sending (lease) -> sent | given_up."""

    WAITING = "waiting"
    SENDING = "sending"
    SENT = "sent"
    GIVEN_UP = "given_up"


notices = Table(
    "notices",
    metadata,
    Column("position", BigInteger().with_variant(Integer, "sqlite"), primary_key=True),
    Column("notice_id", Key, nullable=False, unique=True),
    Column("kind", Key, nullable=False),
    Column("platform", Key, nullable=False),
    Column("workspace", Key, nullable=False),
    Column("channel", Key, nullable=False),
    Column("thread", Key, nullable=False),
    Column("content", Json, nullable=False),
    Column("queued_at", UtcDateTime, nullable=False),
    Column("state", Key, nullable=False),
    Column("worker", PlainText),
    Column("attempt", Integer, nullable=False),
    Column("was_sending", Boolean, nullable=False),
    Column("lease_until", UtcDateTime),
    Column("not_before", UtcDateTime),
    Column("finished_at", UtcDateTime),
    one_of("state", NoticeState),
    CheckConstraint("attempt >= 0", name="attempt"),
    Index(
        "ix_notices_unfinished",
        "platform",
        "workspace",
        "channel",
        "position",
        sqlite_where=text("finished_at IS NULL"),
        postgresql_where=text("finished_at IS NULL"),
    ),
    Index("ix_notices_finished_at", "finished_at"),
    sqlite_autoincrement=True,
)
"""Of an ended one there is left what keeps it from being queued again; nothing of where it went and what it said."""

subscriptions = Table(
    "subscriptions",
    metadata,
    Column("subscription_id", Key, primary_key=True),
    Column("platform", Key, nullable=False),
    Column("workspace", Key, nullable=False),
    Column("channel", Key, nullable=False),
    Column("rhythm", Key, nullable=False),
    Column("filters", Json, nullable=False),
    Column("filters_key", Key, nullable=False),
    Column("since", UtcDateTime, nullable=False),
    Column("cursor", BigInteger, nullable=False),
    Column("looked_at", UtcDateTime, nullable=False),
    UniqueConstraint("platform", "workspace", "channel", "filters_key"),
    one_of("rhythm", Rhythm),
    CheckConstraint("cursor >= 0", name="cursor"),
)
"""Ended ones are deleted. Who began and ended them is in the record alone. `filters_key`: digest of the filters;
`looked_at`: until when a digest has told."""

change_marks = Table(
    "change_marks",
    metadata,
    Column("change_id", BigInteger, primary_key=True, autoincrement=False),
    Column("fingerprint", Key, nullable=False),
    Index("ix_change_marks_fingerprint", "fingerprint"),
)
"""One row for each row there ever was of `policy_changes`: two with one fingerprint say the same of a document."""
