"""Checksums of what was read in rules, of vectors and of corrections."""

import hashlib
import json
from collections.abc import Callable, Sequence
from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision: str = "0021"
down_revision: str | None = "0020"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None

KEY = sa.Text().with_variant(postgresql.TEXT(collation="C"), "postgresql")
JSON = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")
BATCH = 500
EFFECTS = ("prohibits", "limits", "requires", "allows", "informs")

RULES = sa.table(
    "policy_rules",
    sa.column("chunk_id", KEY),
    sa.column("rule_number", sa.Integer()),
    sa.column("document_id", KEY),
    sa.column("rule_hash", KEY),
    sa.column("text_hash", KEY),
    sa.column("reader", KEY),
    sa.column("reading", JSON),
    sa.column("checksum", KEY),
)
CORRECTIONS = sa.table(
    "rule_corrections",
    sa.column("document_id", KEY),
    sa.column("rule_hash", KEY),
    sa.column("effect", KEY),
    sa.column("checksum", KEY),
)
VECTORS = sa.table(
    "embeddings",
    sa.column("content_hash", KEY),
    sa.column("model", KEY),
    sa.column("vector", sa.LargeBinary()),
    sa.column("checksum", KEY),
)


def upgrade() -> None:
    for table in (RULES, CORRECTIONS, VECTORS):
        op.add_column(table.name, sa.Column("checksum", KEY, nullable=False, server_default=""))
    fill(RULES, lambda row: [*row[:6], *(float(row.reading["effects"][each]) for each in EFFECTS), no_rule(row)])
    fill(CORRECTIONS, lambda row: list(row[:3]))
    fill(VECTORS, lambda row: [row.content_hash, row.model, row.vector.hex()])


def no_rule(row: Any) -> float:
    return float(row.reading["no_rule"])


def fill(table: Any, values: Callable[[Any], list[Any]]) -> None:
    """The checksums of all rows; the first two columns are the key."""
    connection, (first, second) = op.get_bind(), list(table.c)[:2]
    mine = (first == sa.bindparam("first"), second == sa.bindparam("second"))
    stored = sa.update(table).where(*mine).values(checksum=sa.bindparam("fitting"))
    following = sa.select(table).order_by(first, second).limit(BATCH)
    rows = connection.execute(following).all()
    while rows:
        filled = [{"first": row[0], "second": row[1], "fitting": digest(values(row))} for row in rows]
        connection.execute(stored, filled)
        behind = sa.or_(first > rows[-1][0], sa.and_(first == rows[-1][0], second > rows[-1][1]))
        rows = connection.execute(following.where(behind)).all()


def digest(values: list[Any]) -> str:
    return hashlib.sha256(json.dumps(values, ensure_ascii=False).encode("utf-8", "surrogatepass")).hexdigest()


def downgrade() -> None:
    for table in (VECTORS, CORRECTIONS, RULES):
        op.drop_column(table.name, "checksum")
