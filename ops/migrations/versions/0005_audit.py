"""The record: chained entries, the personal fields beside them, signed checkpoints."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision: str = "0005"
down_revision: str | None = "0004"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None

KEY = sa.Text().with_variant(postgresql.TEXT(collation="C"), "postgresql")
JSON = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")
MOMENT = sa.DateTime(timezone=True)

KINDS = "kind IN ('question', 'answer', 'refusal', 'clarification', 'feedback', 'settings', 'ingest', 'administration')"

# Puts entries in their place: the bytes that Python made are completed by the hash of the record before and a sequence.
# In the database, because on a server every round trip counts while others wait for the chain.
APPEND = """CREATE FUNCTION audit_append(into_chain text, entries jsonb) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    head audit_chains%ROWTYPE;
    entry jsonb;
    body bytea;
    added bigint := 0;
BEGIN
    SELECT * INTO head FROM audit_chains WHERE chain = into_chain FOR UPDATE;
    IF NOT FOUND THEN
        INSERT INTO audit_chains VALUES (into_chain, 0, repeat('0', 64)) ON CONFLICT DO NOTHING;
        SELECT * INTO head FROM audit_chains WHERE chain = into_chain FOR UPDATE;
    END IF;
    FOR entry IN SELECT each FROM jsonb_array_elements(entries) WITH ORDINALITY AS given (each, place) ORDER BY place
    LOOP
        CONTINUE WHEN EXISTS (
            SELECT FROM audit_records AS known WHERE known.chain = into_chain AND known.record_id = entry->>'record_id'
        );
        head.sequence := head.sequence + 1;
        body := convert_to(
            concat(entry->>'before', head.hash, entry->>'between', head.sequence::text, entry->>'after'), 'UTF8'
        );
        head.hash := encode(sha256(body), 'hex');
        INSERT INTO audit_records (chain, sequence, record_id, kind, at, subject, origin, hash, canonical) VALUES (
            into_chain, head.sequence, entry->>'record_id', entry->>'kind', (entry->>'at')::timestamptz,
            entry->>'subject', entry->>'origin', head.hash, body
        );
        IF entry ? 'fields' THEN
            INSERT INTO audit_personal (chain, sequence, person, fields)
            VALUES (into_chain, head.sequence, entry->>'person', entry->'fields');
        END IF;
        added := added + 1;
    END LOOP;
    UPDATE audit_chains SET sequence = head.sequence, hash = head.hash WHERE chain = into_chain;
    RETURN added;
END $$"""

# a guard against mistakes, not against who owns the database: what he does, the chain tells
POSTGRESQL_ONLY = (
    APPEND,
    """CREATE FUNCTION audit_records_stay() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'audit records stay as they are' USING ERRCODE = 'restrict_violation'; END $$""",
    """CREATE TRIGGER audit_records_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_records
    FOR EACH STATEMENT EXECUTE FUNCTION audit_records_stay()""",
)
SQLITE_GUARD = tuple(
    f"""CREATE TRIGGER audit_records_stay_{what.lower()} BEFORE {what} ON audit_records
    BEGIN SELECT RAISE(ABORT, 'audit records stay as they are'); END"""
    for what in ("UPDATE", "DELETE")
)


def upgrade() -> None:
    op.create_table(
        "audit_chains",
        sa.Column("chain", KEY, nullable=False),
        sa.Column("sequence", sa.BigInteger(), nullable=False),
        sa.Column("hash", KEY, nullable=False),
        sa.PrimaryKeyConstraint("chain", name="pk_audit_chains"),
    )
    op.create_table(
        "audit_records",
        sa.Column("chain", KEY, nullable=False),
        sa.Column("sequence", sa.BigInteger(), nullable=False, autoincrement=False),
        sa.Column("record_id", KEY, nullable=False),
        sa.Column("kind", KEY, nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.Column("subject", KEY, nullable=False),
        sa.Column("origin", KEY, nullable=False),
        sa.Column("hash", KEY, nullable=False),
        sa.Column("canonical", sa.LargeBinary(), nullable=False),
        sa.CheckConstraint(KINDS, name=op.f("ck_audit_records_kind")),
        sa.CheckConstraint("sequence > 0", name=op.f("ck_audit_records_sequence")),
        sa.PrimaryKeyConstraint("chain", "sequence", name="pk_audit_records"),
        sa.UniqueConstraint("chain", "record_id", name="uq_audit_records_chain_record_id"),
    )
    op.create_index("ix_audit_records_subject", "audit_records", ["subject"])
    op.create_index("ix_audit_records_kind_at", "audit_records", ["kind", "at"])
    op.create_table(
        "audit_personal",
        sa.Column("chain", KEY, nullable=False),
        sa.Column("sequence", sa.BigInteger(), nullable=False, autoincrement=False),
        sa.Column("person", KEY),
        sa.Column("fields", JSON, nullable=False),
        sa.ForeignKeyConstraint(
            ["chain", "sequence"], ["audit_records.chain", "audit_records.sequence"], name="fk_audit_personal_chain"
        ),
        sa.PrimaryKeyConstraint("chain", "sequence", name="pk_audit_personal"),
    )
    op.create_index("ix_audit_personal_person", "audit_personal", ["person"])
    op.create_table(
        "audit_checkpoints",
        sa.Column("chain", KEY, nullable=False),
        sa.Column("sequence", sa.BigInteger(), nullable=False, autoincrement=False),
        sa.Column("key_id", KEY, nullable=False),
        sa.Column("statement", sa.LargeBinary(), nullable=False),
        sa.Column("signature", KEY, nullable=False),
        sa.PrimaryKeyConstraint("chain", "sequence", "key_id", name="pk_audit_checkpoints"),
    )
    for statement in _functions():
        op.execute(statement)


def downgrade() -> None:
    for table in ("audit_checkpoints", "audit_personal", "audit_records", "audit_chains"):
        op.drop_table(table)
    if op.get_bind().dialect.name == "postgresql":
        op.execute("DROP FUNCTION audit_records_stay()")
        op.execute("DROP FUNCTION audit_append(text, jsonb)")


def _functions() -> Sequence[str]:
    return POSTGRESQL_ONLY if op.get_bind().dialect.name == "postgresql" else SQLITE_GUARD
