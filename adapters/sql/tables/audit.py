"""The tables of the record: see `bot.audit`."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    Table,
    UniqueConstraint,
)

from adapters.sql.database.types import Json, Key, UtcDateTime
from adapters.sql.tables.policies import metadata, one_of
from bot.audit.entries import RecordKind

audit_chains = Table(
    "audit_chains",
    metadata,
    Column("chain", Key, primary_key=True),
    Column("sequence", BigInteger, nullable=False),
    Column("hash", Key, nullable=False),
)
"""The head of each chain: its last record. Who adds to a chain holds this row locked."""

audit_records = Table(
    "audit_records",
    metadata,
    Column("chain", Key, primary_key=True),
    Column("sequence", BigInteger, primary_key=True, autoincrement=False),
    Column("record_id", Key, nullable=False),
    Column("kind", Key, nullable=False),
    Column("at", UtcDateTime, nullable=False),
    Column("subject", Key, nullable=False),
    Column("origin", Key, nullable=False),
    Column("hash", Key, nullable=False),
    Column("canonical", LargeBinary, nullable=False),
    UniqueConstraint("chain", "record_id"),
    one_of("kind", RecordKind),
    CheckConstraint("sequence > 0", name="sequence"),
    Index("ix_audit_records_subject", "subject"),
    Index("ix_audit_records_kind_at", "kind", "at"),
)
"""See `bot.audit`. Rows are added only: a trigger refuses to change or delete one. The columns before `hash` repeat
what `canonical` says, for finding records."""

audit_personal = Table(
    "audit_personal",
    metadata,
    Column("chain", Key, primary_key=True),
    Column("sequence", BigInteger, primary_key=True, autoincrement=False),
    Column("person", Key),
    Column("fields", Json, nullable=False),
    ForeignKeyConstraint(
        ["chain", "sequence"], ["audit_records.chain", "audit_records.sequence"], name="fk_audit_personal_chain"
    ),
    Index("ix_audit_personal_person", "person"),
)
"""`fields`: {name: {salt, value}}. Empty, and without a person, where it was forgotten; a row is never deleted."""

audit_checkpoints = Table(
    "audit_checkpoints",
    metadata,
    Column("chain", Key, primary_key=True),
    Column("sequence", BigInteger, primary_key=True, autoincrement=False),
    Column("key_id", Key, primary_key=True),
    Column("statement", LargeBinary, nullable=False),
    Column("signature", Key, nullable=False),
)
"""See `bot.audit.checkpoints`; `sequence` is the count it states."""

audit_database = Table(
    "audit_database",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("database_id", Key, nullable=False),
    Column("has_unnamed", Boolean, nullable=False),
    CheckConstraint("number = 1", name="number"),
)
"""One row, made by the migration: see `bot.audit.checkpoints.RecordDatabase`."""
