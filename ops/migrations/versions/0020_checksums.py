"""Checksums of chunks and of the texts of versions."""

import hashlib
import json
from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision: str = "0020"
down_revision: str | None = "0019"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None

KEY = sa.Text().with_variant(postgresql.TEXT(collation="C"), "postgresql")
JSON = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")
BATCH = 500

CHECKED = (
    sa.column("chunk_id", KEY),
    sa.column("doc_id", KEY),
    sa.column("chunk_index", sa.Integer()),
    sa.column("chunk_text", sa.Text()),
    sa.column("lead_in", sa.Text()),
    sa.column("policy_source", KEY),
    sa.column("policy_section", sa.Text()),
    sa.column("policy_section_level", sa.Integer()),
    sa.column("policy_path", sa.Text()),
    sa.column("regions", JSON),
    sa.column("content_type", KEY),
    sa.column("char_start", sa.Integer()),
    sa.column("char_end", sa.Integer()),
    sa.column("effective_from", sa.Date()),
    sa.column("effective_to", sa.Date()),
    sa.column("content_hash", KEY),
    sa.column("regions_excluded", JSON),
    sa.column("regions_mentioned", JSON),
    sa.column("region_doubt", sa.Boolean()),
    sa.column("rule_number", sa.Text()),
    sa.column("page", sa.Integer()),
    sa.column("doc_url", sa.Text()),
    sa.column("anchor", sa.Text()),
    sa.column("has_cross_reference", sa.Boolean()),
    sa.column("refers_to", JSON),
    sa.column("is_atomic", sa.Boolean()),
    sa.column("summary", sa.Text()),
)
CHUNKS = sa.table("chunks", *CHECKED, sa.column("checksum", KEY))
TEXTS = sa.table("version_texts", sa.column("doc_id", KEY), sa.column("text", sa.Text()), sa.column("checksum", KEY))


def upgrade() -> None:
    for table in ("version_texts", "chunks"):
        op.add_column(table, sa.Column("checksum", KEY, nullable=False, server_default=""))
    fill(TEXTS, (TEXTS.c.doc_id, TEXTS.c.text), lambda row: row[1])
    fill(CHUNKS, CHECKED, lambda row: json.dumps(list(row), ensure_ascii=False, default=str))


def fill(table: Any, columns: Any, text_of: Any) -> None:
    """The checksums of all rows; the first column is the key."""
    connection, key = op.get_bind(), columns[0]
    found = sa.select(*columns).order_by(key).limit(BATCH)
    stored = sa.update(table).where(key == sa.bindparam("changed")).values(checksum=sa.bindparam("fitting"))
    last = ""
    while rows := connection.execute(found.where(key > last)).all():
        connection.execute(stored, [{"changed": row[0], "fitting": digest(text_of(row))} for row in rows])
        last = rows[-1][0]


def digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def downgrade() -> None:
    for table in ("chunks", "version_texts"):
        op.drop_column(table, "checksum")
