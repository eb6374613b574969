"""Questions of one conversation in order, postponed questions, the history of conversations; indexes."""

import json
from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from bot.memory import conversation_key
from bot.messages import Conversation

revision: str = "0002"
down_revision: str | None = "0001"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None

# identifiers are compared and sorted byte by byte on every database
KEY = sa.Text().with_variant(postgresql.TEXT(collation="C"), "postgresql")
TEXT = sa.Text()
JSON = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")
MOMENT = sa.DateTime(timezone=True)

UNFINISHED = sa.text("finished_at IS NULL")
SHOWN = ["policy_source", "document_id", "status", "classification", "effective_from", "effective_to"]
ROWS_AT_A_TIME = 1_000


def upgrade() -> None:
    _order_inbox()
    _create_conversations()
    _create_messages()
    op.drop_index("ix_versions_policy_source", "versions")
    op.create_index("ix_versions_shown", "versions", SHOWN)
    op.create_index("ix_outbox_next_try_at", "outbox", ["next_try_at"])


def downgrade() -> None:
    op.drop_index("ix_outbox_next_try_at", "outbox")
    op.drop_index("ix_versions_shown", "versions")
    op.create_index("ix_versions_policy_source", "versions", ["policy_source"])
    op.drop_table("messages")
    op.drop_table("conversations")
    op.drop_index("ix_inbox_conversation_unfinished", "inbox")
    for column in ("postponed", "not_before", "conversation_key"):
        op.drop_column("inbox", column)


def _order_inbox() -> None:
    op.add_column("inbox", sa.Column("conversation_key", KEY))
    op.add_column("inbox", sa.Column("not_before", MOMENT))
    op.add_column("inbox", sa.Column("postponed", sa.Integer(), nullable=False, server_default=sa.text("0")))
    _fill_conversation_keys(op.get_bind())
    op.drop_index("ix_inbox_unfinished", "inbox")
    with op.batch_alter_table("inbox") as inbox:  # SQLite copies the table for this
        inbox.alter_column("conversation_key", existing_type=KEY, nullable=False)
    _index_unfinished("ix_inbox_unfinished", "queued_at", "question_id")
    _index_unfinished("ix_inbox_conversation_unfinished", "conversation_key", "queued_at", "question_id")


def _fill_conversation_keys(connection: sa.Connection) -> None:
    """The key is a hash that no database computes alike, so it is made here from what each row holds."""
    filling = sa.text("UPDATE inbox SET conversation_key = :key WHERE question_id = :question_id")
    some = sa.text(
        "SELECT question_id, conversation FROM inbox WHERE conversation_key IS NULL ORDER BY question_id LIMIT :some"
    )
    while rows := connection.execute(some, {"some": ROWS_AT_A_TIME}).all():
        connection.execute(filling, [{"question_id": row[0], "key": _key_of(row[1])} for row in rows])


def _key_of(stored: str | dict[str, str]) -> str:
    conversation = json.loads(stored) if isinstance(stored, str) else stored
    return conversation_key(Conversation(**conversation))


def _index_unfinished(name: str, *columns: str) -> None:
    op.create_index(name, "inbox", list(columns), sqlite_where=UNFINISHED, postgresql_where=UNFINISHED)


def _create_conversations() -> None:
    op.create_table(
        "conversations",
        sa.Column("conversation_key", KEY, nullable=False),
        sa.Column("platform", KEY, nullable=False),
        sa.Column("workspace", KEY, nullable=False),
        sa.Column("channel", KEY, nullable=False),
        sa.Column("thread", KEY, nullable=False),
        sa.Column("started_at", MOMENT, nullable=False),
        sa.Column("last_at", MOMENT, nullable=False),
        sa.Column("topics", JSON, nullable=False),
        sa.Column("document_ids", JSON, nullable=False),
        sa.PrimaryKeyConstraint("conversation_key", name="pk_conversations"),
    )


def _create_messages() -> None:
    op.create_table(
        "messages",
        sa.Column("answer_id", KEY, nullable=False),
        sa.Column("conversation_key", KEY, nullable=False),
        sa.Column("person", KEY, nullable=False),
        sa.Column("asked", TEXT, nullable=False),
        sa.Column("understood", TEXT, nullable=False),
        sa.Column("kind", KEY, nullable=False),
        sa.Column("scope", JSON, nullable=False),
        sa.Column("topics", JSON, nullable=False),
        sa.Column("citations", JSON, nullable=False),
        sa.Column("tokens_in", sa.Integer()),
        sa.Column("tokens_out", sa.Integer()),
        sa.Column("at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("answer_id", name="pk_messages"),
        sa.ForeignKeyConstraint(
            ["conversation_key"], ["conversations.conversation_key"], name="fk_messages_conversation_key"
        ),
    )
    op.create_index("ix_messages_conversation_key_at", "messages", ["conversation_key", "at"])
