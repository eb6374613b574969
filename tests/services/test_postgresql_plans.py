"""How PostgreSQL finds things among 100,000 chunks of 10,000 versions: by an index, in every statement here."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event, or_, select, text, update
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from adapters.sql.chat.conversations import SqlConversationMemory
from adapters.sql.chat.inbox import SqlInbox
from adapters.sql.database.engine import open_engine
from adapters.sql.database.vault import Vault, new_key
from adapters.sql.policies.embeddings import SqlEmbeddingStore, vector_checksum
from adapters.sql.policies.outbox import SqlOutbox
from adapters.sql.policies.rows import passages_from, select_passages
from adapters.sql.policies.rules import SqlRuleStore
from adapters.sql.policies.store import SqlPolicyStore
from adapters.sql.policies.versions import SqlVersionStore
from adapters.sql.tables.policies import chunks, embeddings, policy_rules, reading_checksum, version_texts
from bot.model.messages import Conversation
from ingest.ports import VersionUpdate
from rag_core.documents import chunk_checksum, text_checksum
from tests.fakes.databases import migrated_database
from tests.fakes.questions import make_question

pytestmark = pytest.mark.services

CHUNKS, MODEL = 100_000, "model"
READ = [f"{n:032}" for n in range(0, CHUNKS, 200)]
BIG = {
    "versions",
    "version_texts",
    "chunks",
    "embeddings",
    "policy_rules",
    "outbox",
    "inbox",
    "messages",
    "conversations",
}
LEGAL = frozenset({"legal"})
DAY = date(2026, 6, 1)

FILLING = (
    """INSERT INTO policy_sources SELECT 's' || n, 'Source ' || n, '[]' FROM generate_series(0, 19) n""",
    """INSERT INTO documents SELECT 's' || n % 20 || '_' || n, 's' || n % 20 FROM generate_series(0, 4999) n""",
    """INSERT INTO versions (doc_id, document_id, policy_source, source_id, title, url, mime_type, sha256, size, origin,
         pipeline, status, effective_from, effective_to, seen_at, checked_at, chunk_count, classification,
         allowed_groups, labels)
       SELECT 'v' || n, 's' || n % 20 || '_' || n % 5000, 's' || n % 20, 'source-' || n % 20, 'Title ' || n,
         'https://ads.example/' || n, 'text/html', md5(n::text), 1000, 'o' || n % 5000, 'p',
         CASE WHEN n < 5000 THEN 'retired' ELSE 'live' END, date '2025-01-01' + (n / 5000) * 365,
         CASE WHEN n < 5000 THEN date '2026-01-01' END, now(), now(), 10,
         CASE WHEN n % 10 = 0 THEN 'restricted' ELSE 'public' END,
         CASE WHEN n % 10 = 0 THEN jsonb '["legal"]' ELSE '[]' END, '{}'
       FROM generate_series(0, 9999) n""",
    """INSERT INTO version_texts SELECT doc_id, repeat('Ads for alcohol. ', 60) FROM versions""",
    """INSERT INTO chunks (chunk_id, doc_id, chunk_index, chunk_text, lead_in, policy_source, policy_section,
         policy_section_level, policy_path, regions, regions_excluded, regions_mentioned, region_doubt, content_type,
         char_start, char_end, effective_from, effective_to, has_cross_reference, is_atomic, summary, content_hash,
         created_at)
       SELECT lpad(n::text, 32, '0'), 'v' || n / 10, n % 10, repeat('Ads for alcohol. ', 40), '', v.policy_source,
         'Alcohol', 2, 'Title > Alcohol', '["global"]', '[]', '[]', false, 'general', 0, 680, v.effective_from,
         v.effective_to, false, false, '', lpad(n::text, 32, '0'), now()
       FROM generate_series(0, 99999) n JOIN versions v ON v.doc_id = 'v' || n / 10""",
    """INSERT INTO embeddings SELECT content_hash, 'model', 96, decode(repeat('00', 384), 'hex') FROM chunks""",
    """INSERT INTO policy_rules (chunk_id, rule_number, doc_id, document_id, rule_hash, text_hash, kind, body_start,
         body_end, reading, opinion_certainty, reader)
       SELECT chunk_id, n, doc_id, 's2_42', content_hash, content_hash, 'sentence', 0, 16,
         '{"effects": {"prohibits": 1, "limits": 0, "requires": 0, "allows": 0, "informs": 0}, "no_rule": 0}',
         0, 'reader'
       FROM chunks, generate_series(0, 2) n""",
    """INSERT INTO outbox (doc_id, created_at, attempts, next_try_at)
       SELECT doc_id, now(), 1, now() + interval '1 hour' FROM versions""",
    """INSERT INTO inbox (question_id, claim_key, state, actor, conversation, text, filters, history, reply_address,
         received_at, queued_at, attempt, was_sending, finished_at, conversation_key)
       SELECT 'old-' || n, 'old-' || n, CASE WHEN n < 100 THEN 'accepted' ELSE 'sent' END, '{}', '{}', 'wine?', '{}',
         '[]', CASE WHEN n < 100 THEN 'encrypted' END, now(), timestamptz '2030-01-01', 0, false,
         CASE WHEN n < 100 THEN NULL ELSE now() END,
         md5((n % 5000)::text)
       FROM generate_series(0, 49999) n""",
    """INSERT INTO conversations
       SELECT md5(n::text), 'slack', 'T1', 'C1', n::text, now(), now(), '[]', '[]' FROM generate_series(0, 4999) n""",
    """INSERT INTO messages SELECT 'a' || n, md5((n % 5000)::text), 'U1', 'wine?', 'wine?', 'answer', '{}', '[]', '[]',
         NULL, NULL, now() FROM generate_series(0, 49999) n""",
)

Call = Callable[[], Awaitable[object]]


@pytest.fixture
async def engine(tmp_path: Path) -> AsyncIterator[AsyncEngine]:
    async with migrated_database(tmp_path, "postgresql") as address:
        opened = open_engine(address, statement_seconds=60)
        async with opened.begin() as connection:
            for statement in FILLING:
                await connection.execute(text(statement))
            await _fill_checksums(connection)
        async with opened.connect() as connection:
            await connection.execution_options(isolation_level="AUTOCOMMIT")
            await connection.execute(text("VACUUM ANALYZE"))  # as the server itself does after a while
        yield opened
        await opened.dispose()


async def _fill_checksums(connection: AsyncConnection) -> None:
    """Of what is read for answers below."""
    read = or_(chunks.c.chunk_id.in_(READ), chunks.c.doc_id == "v42")
    for each in passages_from((await connection.execute(select_passages().where(read))).all()):
        mine = update(chunks).where(chunks.c.chunk_id == each.chunk.chunk_id)
        await connection.execute(mine.values(checksum=chunk_checksum(each.chunk)))
    for row in (await connection.execute(select(policy_rules).where(policy_rules.c.chunk_id.in_(READ)))).all():
        key = (policy_rules.c.chunk_id == row.chunk_id, policy_rules.c.rule_number == row.rule_number)
        await connection.execute(update(policy_rules).where(*key).values(checksum=reading_checksum(row)))
    for hash_ in READ:  # the content hash of a chunk, and of its rules, is its id here
        one = update(embeddings).where(embeddings.c.content_hash == hash_)
        await connection.execute(one.values(checksum=vector_checksum(hash_, MODEL, bytes(384))))
    whole = text_checksum("Ads for alcohol. " * 60)
    await connection.execute(update(version_texts).where(version_texts.c.doc_id == "v42").values(checksum=whole))


@contextmanager
def statements_of(engine: AsyncEngine) -> Iterator[list[tuple[str, Any]]]:
    """Every statement that is run inside, with its parameters."""
    seen: list[tuple[str, Any]] = []

    def note(_c: object, _cursor: object, statement: str, parameters: Any, _context: object, many: bool) -> None:
        seen.append((statement, parameters[0] if many else parameters))

    event.listen(engine.sync_engine, "before_cursor_execute", note)
    try:
        yield seen
    finally:
        event.remove(engine.sync_engine, "before_cursor_execute", note)


@dataclass(frozen=True, slots=True)
class Step:
    """A node of a plan."""

    kind: str
    table: str
    rows: int


def steps_of(plan: dict[str, Any]) -> Iterator[Step]:
    yield Step(plan["Node Type"], plan.get("Relation Name", ""), plan["Plan Rows"])
    for inner in plan.get("Plans", ()):
        yield from steps_of(inner)


async def plans_of(engine: AsyncEngine, call: Call) -> list[list[Step]]:
    """How PostgreSQL would do what `call` did, statement by statement."""
    with statements_of(engine) as seen:
        await call()
    assert seen
    plans = []
    async with engine.connect() as connection:
        for statement, parameters in seen:
            explained = await connection.exec_driver_sql(f"EXPLAIN (FORMAT JSON) {statement}", parameters)
            found = explained.scalar_one()
            plans.append(list(steps_of((json.loads(found) if isinstance(found, str) else found)[0]["Plan"])))
    return plans


def calls_of(engine: AsyncEngine) -> dict[str, Call]:
    """What is done for questions, while ingesting, and by whoever looks after it."""
    store, versions, box = SqlPolicyStore(engine), SqlVersionStore(engine), SqlOutbox(engine)
    vectors, inbox, memory = (
        SqlEmbeddingStore(engine),
        SqlInbox(engine, Vault([new_key()])),
        SqlConversationMemory(engine),
    )
    rules = SqlRuleStore(engine)
    ids = READ
    closing = VersionUpdate("v42", date(2026, 1, 1), "retired", None)
    here = Conversation("slack", "T1", "C1", "1")

    async def first_batches() -> None:
        async for _ in box.all_passages():
            if next(batches, None) is None:
                return

    batches = iter(range(2))
    return {
        "passages": lambda: store.passages(ids[:20], frozenset(), DAY),
        "passages for a group": lambda: store.passages(ids[:100], LEGAL, DAY),
        "section": lambda: store.section("v42", 2, 5, LEGAL),
        "versions of a document": lambda: store.versions(LEGAL, "s2_42"),
        "text of a version": lambda: store.version_text("v42", LEGAL),
        "sources": lambda: store.sources(frozenset()),
        "stored": lambda: versions.stored("source-7"),
        "checked": lambda: versions.checked(["v1", "v2", "v3"], datetime(2030, 1, 1, tzinfo=UTC)),
        "update": lambda: versions.save([], [closing]),
        "embeddings": lambda: vectors.known(MODEL, ids),
        "outbox due": lambda: box.pending(100),
        "chunks of a version": lambda: box.chunks("v42"),
        "all passages": first_batches,
        "outbox failed": lambda: box.failed(1, "down"),
        "outbox done": lambda: box.done([1, 2, 3]),
        "rules of passages": lambda: rules.kept(ids[:50], MODEL),
        "known rules": lambda: rules.known("reader", ids),
        "corrections of a document": lambda: rules.corrections("s2_42"),
        "a question comes": lambda: inbox.accept(make_question(1)),
        "a question is taken": lambda: inbox.take("worker", 60),
        "a conversation": lambda: memory.recall(here),
    }


async def test_no_statement_reads_a_whole_table(engine: AsyncEngine) -> None:
    for name, call in calls_of(engine).items():
        plans = await plans_of(engine, call)
        read_whole = [step for plan in plans for step in plan if step.kind == "Seq Scan" and step.table in BIG]
        assert read_whole == [], name
