"""The tables of privacy: the key of pseudonyms, and who was forgotten."""

from sqlalchemy import BigInteger, CheckConstraint, Column, Index, Integer, Table, text

from adapters.sql.tables import metadata
from adapters.sql.types import Encrypted, Key, UtcDateTime

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
