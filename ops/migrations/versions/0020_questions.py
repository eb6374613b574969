"""Questions and answers, people, platforms, and the record with what the database itself does for it."""

import uuid
from typing import Any

import sqlalchemy as sa
from alembic import op

from ops.migrations.columns import (
    BIG,
    BOOL,
    BYTES,
    DATE,
    INT,
    JSON,
    KEY,
    MOMENT,
    REAL,
    SERIAL,
    TEXT,
    index,
    new_tables,
    one_of,
    optional,
    primary,
    required,
)

revision, down_revision = "0020", "0019"

TABLES = new_tables()


def upgrade() -> None:
    connection = op.get_bind()
    TABLES.create_all(connection, checkfirst=False)
    for statement in POSTGRESQL_ONLY if connection.dialect.name == "postgresql" else SQLITE_ONLY:
        op.execute(statement)
    row = {"number": 1, "database_id": str(uuid.uuid4()), "has_unnamed": False}
    op.bulk_insert(TABLES.tables["audit_database"], [row])


def downgrade() -> None:
    connection = op.get_bind()
    TABLES.drop_all(connection, checkfirst=False)
    if connection.dialect.name == "postgresql":
        op.execute("DROP FUNCTION audit_records_stay()")
        op.execute("DROP FUNCTION audit_append(text, jsonb)")


def table(name: str, *parts: Any, **options: Any) -> None:
    sa.Table(name, TABLES, *parts, **options)


table(
    "inbox",
    *primary(KEY, "question_id"),
    *required(KEY, "claim_key state"),
    *required(JSON, "actor conversation"),
    *required(TEXT, "text"),
    *required(JSON, "filters"),
    *optional(DATE, "as_of"),
    *required(JSON, "history"),
    *optional(TEXT, "reply_address"),
    *required(MOMENT, "received_at queued_at"),
    *optional(KEY, "worker"),
    *optional(MOMENT, "lease_until"),
    *required(INT, "attempt"),
    *required(BOOL, "was_sending"),
    *optional(MOMENT, "finished_at"),
    *required(KEY, "conversation_key"),
    *optional(MOMENT, "not_before"),
    sa.Column("postponed", INT, server_default=sa.text("0"), nullable=False),
    sa.Column("private", BOOL, server_default=sa.false(), nullable=False),
    sa.Column("waits", INT, server_default=sa.text("0"), nullable=False),
    sa.Column("defaults", JSON, server_default=sa.text("'{}'"), nullable=False),
    sa.CheckConstraint("(state IN ('sent', 'failed')) = (finished_at IS NOT NULL)", name="finished"),
    sa.CheckConstraint("(state IN ('running', 'sending')) = (lease_until IS NOT NULL)", name="lease"),
    sa.CheckConstraint("(finished_at IS NOT NULL) = (reply_address IS NULL)", name="reply_address"),
    one_of("state", "accepted running sending sent failed"),
    sa.UniqueConstraint("claim_key"),
    index("ix_inbox_conversation_unfinished", "conversation_key queued_at question_id", where="finished_at IS NULL"),
    index("ix_inbox_unfinished", "queued_at question_id", where="finished_at IS NULL"),
)
table(
    "conversations",
    *primary(KEY, "conversation_key"),
    *required(KEY, "platform workspace channel thread"),
    *required(MOMENT, "started_at last_at"),
    *required(JSON, "topics document_ids"),
    index("ix_conversations_last_at", "last_at"),
)
table(
    "messages",
    *primary(KEY, "answer_id"),
    sa.Column("conversation_key", KEY, sa.ForeignKey("conversations.conversation_key"), nullable=False),
    *required(KEY, "person"),
    *required(TEXT, "asked understood"),
    *required(KEY, "kind"),
    *required(JSON, "scope topics citations"),
    *optional(INT, "tokens_in tokens_out"),
    *required(MOMENT, "at"),
    sa.Column("needed", JSON, server_default=sa.text("'[]'"), nullable=False),
    index("ix_messages_conversation_key_at", "conversation_key at"),
    index("ix_messages_person", "person"),
)
table(
    "answers",
    *primary(KEY, "answer_id"),
    *required(TEXT, "answered_from"),
    *required(KEY, "workspace person"),
    *required(TEXT, "question_text"),
    *required(JSON, "reply"),
    *optional(JSON, "trace"),
    *required(MOMENT, "answered_at"),
    index("ix_answers_answered_at", "answered_at"),
    index("ix_answers_person", "person"),
)
table(
    "feedback",
    *primary(KEY, "record_id"),
    sa.Column("answer_id", KEY, sa.ForeignKey("answers.answer_id", ondelete="CASCADE"), nullable=False),
    *required(KEY, "workspace person rating"),
    *required(JSON, "reasons"),
    *required(TEXT, "comment given_from"),
    *required(MOMENT, "given_at"),
    one_of("rating", "useful not_useful"),
    sa.UniqueConstraint("answer_id", "workspace", "person"),
    index("ix_feedback_given_at", "given_at"),
    index("ix_feedback_person", "person"),
)
table(
    "model_calls",
    *primary(KEY, "call_id"),
    *required(MOMENT, "at"),
    *required(KEY, "model role outcome"),
    *required(INT, "prompt_tokens completion_tokens"),
    *required(BOOL, "counted"),
    *required(REAL, "seconds"),
    *optional(REAL, "cost"),
    sa.CheckConstraint("prompt_tokens >= 0 AND completion_tokens >= 0 AND seconds >= 0 AND cost >= 0", name="amounts"),
    index("ix_model_calls_at", "at"),
)

# People

table(
    "curated_answers",
    *primary(KEY, "curated_id"),
    *required(KEY, "family"),
    *required(INT, "revision"),
    *required(KEY, "state"),
    *required(JSON, "content groups owner"),
    *required(KEY, "person"),
    *required(TEXT, "approved_by"),
    *optional(MOMENT, "approved_at"),
    *required(JSON, "suspended_because"),
    *required(MOMENT, "changed_at"),
    sa.CheckConstraint("revision > 0", name="revision"),
    one_of("state", "draft approved suspended retired"),
    index("ix_curated_answers_state", "state"),
    index("uq_curated_answers_family", "family", unique=True),
)
table(
    "curated_checks",
    *primary(KEY, "purpose"),
    *required(SERIAL, "change_id"),
    *required(DATE, "checked_on"),
    sa.CheckConstraint("purpose = 'citations'", name="purpose"),
)
table(
    "escalations",
    *primary(KEY, "escalation_id"),
    *required(KEY, "answer_id workspace person state"),
    *required(TEXT, "encrypted_place note"),
    *required(MOMENT, "asked_at"),
    one_of("state", "open claimed answered"),
    index("ix_escalations_asked_at", "asked_at"),
    index("ix_escalations_person", "person"),
    index("uq_escalations_answer", "answer_id workspace person", unique=True),
)
table(
    "escalation_acts",
    *primary(KEY, "act_id"),
    sa.Column("escalation_id", KEY, sa.ForeignKey("escalations.escalation_id", ondelete="CASCADE"), nullable=False),
    *required(KEY, "kind person"),
    *required(TEXT, "encrypted_name text"),
    *required(MOMENT, "at"),
    one_of("kind", "claimed answered"),
    index("ix_escalation_acts_escalation_id_at", "escalation_id at"),
    index("ix_escalation_acts_person", "person"),
    index("uq_escalation_acts_claim", "escalation_id", unique=True, where="kind = 'claimed'"),
)
table(
    "pseudonym_keys",
    *primary(KEY, "purpose"),
    *required(TEXT, "secret"),
    *required(MOMENT, "made_at"),
    sa.CheckConstraint("purpose = 'people'", name="purpose"),
)
table(
    "forgettings",
    *primary(SERIAL, "forgetting_id"),
    *required(KEY, "person"),
    *required(MOMENT, "begun_at"),
    *optional(MOMENT, "finished_at"),
    index("uq_forgettings_unfinished", "person", unique=True, where="finished_at IS NULL"),
    sqlite_autoincrement=True,
)
table(
    "api_tokens",
    *primary(KEY, "token_id"),
    *required(KEY, "name hash"),
    *required(JSON, "permissions allowed_groups"),
    *required(MOMENT, "created_at expires_at"),
    *optional(MOMENT, "last_used_at revoked_at"),
    sa.CheckConstraint("expires_at > created_at", name="expires"),
    sa.UniqueConstraint("hash"),
    index("uq_api_tokens_name", "name", unique=True, where="revoked_at IS NULL"),
)
table(
    "page_sessions",
    *primary(KEY, "hash"),
    sa.Column("token_id", KEY, sa.ForeignKey("api_tokens.token_id", ondelete="CASCADE"), nullable=False),
    *required(MOMENT, "created_at expires_at"),
    index("ix_page_sessions_expires_at", "expires_at"),
    index("ix_page_sessions_token_id", "token_id"),
)

# Platforms

table(
    "posted_messages",
    *primary(KEY, "platform workspace channel message"),
    *required(KEY, "thread subject subject_id"),
    *required(MOMENT, "posted_at"),
    *required(KEY, "asked_in person"),
    one_of("subject", "answer escalation alert"),
    index("ix_posted_messages_asked_in", "workspace channel asked_in"),
    index("ix_posted_messages_person", "person"),
    index("ix_posted_messages_posted_at", "posted_at"),
    index("ix_posted_messages_subject_id", "subject_id"),
    index("ix_posted_messages_thread", "workspace channel thread"),
)
table(
    "slack_installations",
    *primary(KEY, "place"),
    *required(KEY, "installation_id organisation"),
    *required(TEXT, "name"),
    *required(KEY, "bot"),
    *required(JSON, "scopes"),
    *required(MOMENT, "installed_at"),
    *required(TEXT, "token"),
    *optional(TEXT, "refresh_token"),
    *optional(MOMENT, "expires_at"),
    *required(INT, "renewals"),
    *required(BOOL, "is_refused"),
    *optional(KEY, "renewing"),
    *optional(MOMENT, "renewing_until"),
    sa.CheckConstraint("renewals >= 0", name="renewals"),
)
table(
    "slack_workspaces",
    *primary(KEY, "workspace"),
    *required(KEY, "organisation"),
    index("ix_slack_workspaces_organisation", "organisation"),
)
table(
    "slack_install_states",
    *primary(KEY, "state"),
    *required(KEY, "browser"),
    *required(MOMENT, "expires_at"),
    index("ix_slack_install_states_expires_at", "expires_at"),
)
table(
    "channel_settings",
    *primary(KEY, "platform workspace channel"),
    *required(JSON, "preferences"),
    *required(MOMENT, "changed_at"),
)
table(
    "known_conversations",
    *primary(KEY, "platform workspace channel"),
    *required(KEY, "team person installer"),
    *required(TEXT, "encrypted_reference"),
    *optional(TEXT, "encrypted_installer"),
    *required(MOMENT, "seen_at"),
    index("ix_known_conversations_person", "person"),
    index("ix_known_conversations_team", "platform workspace team"),
)
table(
    "notices",
    *primary(SERIAL, "position"),
    *required(KEY, "notice_id kind platform workspace channel thread"),
    *required(JSON, "content"),
    *required(MOMENT, "queued_at"),
    *required(KEY, "state"),
    *optional(TEXT, "worker"),
    *required(INT, "attempt"),
    *required(BOOL, "was_sending"),
    *optional(MOMENT, "lease_until not_before finished_at"),
    sa.CheckConstraint("attempt >= 0", name="attempt"),
    one_of("state", "waiting sending sent given_up"),
    sa.UniqueConstraint("notice_id"),
    index("ix_notices_finished_at", "finished_at"),
    index("ix_notices_unfinished", "platform workspace channel position", where="finished_at IS NULL"),
    sqlite_autoincrement=True,
)
table(
    "subscriptions",
    *primary(KEY, "subscription_id"),
    *required(KEY, "platform workspace channel rhythm"),
    *required(JSON, "filters"),
    *required(KEY, "filters_key"),
    *required(MOMENT, "since"),
    *required(BIG, "cursor"),
    *required(MOMENT, "looked_at"),
    sa.CheckConstraint("cursor >= 0", name="cursor"),
    one_of("rhythm", "at_once daily weekly"),
    sa.UniqueConstraint("platform", "workspace", "channel", "filters_key"),
)

# Record

table("audit_chains", *primary(KEY, "chain"), *required(BIG, "sequence"), *required(KEY, "hash"))
table(
    "audit_records",
    *primary(KEY, "chain"),
    sa.Column("sequence", BIG, autoincrement=False, primary_key=True),
    *required(KEY, "record_id kind"),
    *required(MOMENT, "at"),
    *required(KEY, "subject origin hash"),
    *required(BYTES, "canonical"),
    one_of("kind", "question answer refusal clarification feedback settings ingest administration"),
    sa.CheckConstraint("sequence > 0", name="sequence"),
    sa.UniqueConstraint("chain", "record_id"),
    index("ix_audit_records_kind_at", "kind at"),
    index("ix_audit_records_subject", "subject"),
)
table(
    "audit_personal",
    *primary(KEY, "chain"),
    sa.Column("sequence", BIG, autoincrement=False, primary_key=True),
    *optional(KEY, "person"),
    *required(JSON, "fields"),
    sa.ForeignKeyConstraint(["chain", "sequence"], ["audit_records.chain", "audit_records.sequence"]),
    index("ix_audit_personal_person", "person"),
)
table(
    "audit_checkpoints",
    *primary(KEY, "chain"),
    sa.Column("sequence", BIG, autoincrement=False, primary_key=True),
    *primary(KEY, "key_id"),
    *required(BYTES, "statement"),
    *required(KEY, "signature"),
)
table(
    "audit_database",
    sa.Column("number", INT, autoincrement=False, primary_key=True),
    *required(KEY, "database_id"),
    *required(BOOL, "has_unnamed"),
    sa.CheckConstraint("number = 1", name="number"),
)

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
SQLITE_ONLY = tuple(
    f"""CREATE TRIGGER audit_records_stay_{what.lower()} BEFORE {what} ON audit_records
    BEGIN SELECT RAISE(ABORT, 'audit records stay as they are'); END"""
    for what in ("UPDATE", "DELETE")
)
