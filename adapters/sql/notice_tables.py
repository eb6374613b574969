"""The tables of what channels are told without having asked: see `bot.notices`, `bot.subscriptions`, `bot.alerting`."""

from enum import StrEnum

from sqlalchemy import BigInteger, Boolean, CheckConstraint, Column, Index, Integer, Table, UniqueConstraint, text

from adapters.sql.tables import metadata, one_of
from adapters.sql.types import Json, Key, PlainText, UtcDateTime
from bot.subscriptions import Rhythm


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
