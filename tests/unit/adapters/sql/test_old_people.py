"""Databases from before there were pseudonyms: their rows survive, and people get pseudonyms."""

import base64
from datetime import UTC, datetime

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.audit_log import SqlAuditLog
from adapters.sql.migrate import downgrade, upgrade
from adapters.sql.people_forgetting import SqlPeopleForgetting
from adapters.sql.pseudonym_key import open_pseudonyms
from adapters.sql.vault import Vault
from bot.messages import Actor
from bot.record.exchanges import Exchange, failed_entry
from tests.fakes.databases import SCRIPTS

NOON = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
VAULT = Vault([base64.urlsafe_b64encode(bytes(32)).decode()])
PERSON = Actor("web", "local", "anonymous")

OLD_ROWS = (
    "INSERT INTO conversations (conversation_key, platform, workspace, channel, thread, started_at, last_at, topics,"
    " document_ids) VALUES ('k1', 'web', 'local', 'anonymous', 'c-1', '2026-01-02 03:04:05', '2026-01-02 03:04:05',"
    " '[]', '[]')",
    "INSERT INTO messages (answer_id, conversation_key, person, asked, understood, kind, scope, topics, citations, at)"
    " VALUES ('a1', 'k1', 'anonymous', 'wine?', 'wine?', 'refusal', '{\"as_of\": \"2026-01-02\", \"regions\": [],"
    " \"policy_sources\": [], \"content_types\": [], \"before\": null}', '[]', '[]', '2026-01-02 03:04:05')",
    "INSERT INTO answers (answer_id, answered_from, workspace, person, question_text, reply, answered_at)"
    " VALUES ('a1', 'web', 'local', 'anonymous', 'wine?', '{\"kind\": \"refusal\"}', '2026-01-02 03:04:05')",
)


async def rows(engine: AsyncEngine, query: str) -> list[tuple[object, ...]]:
    async with engine.connect() as connection:
        return [tuple(row) for row in await connection.execute(text(query))]


@pytest.mark.parametrize("revision", ["0004", "0005"])
async def test_people_of_older_revisions_get_pseudonyms_and_can_be_forgotten(
    engine: AsyncEngine, revision: str
) -> None:
    await downgrade(engine, SCRIPTS, revision)
    await engine.dispose()
    async with engine.begin() as connection:
        for statement in OLD_ROWS:
            await connection.exec_driver_sql(statement)
    if revision == "0005":
        asked = Exchange("a1", "web", "local", "anonymous", "wine?", NOON)
        await SqlAuditLog(engine).append([failed_entry(asked, "too_slow")])
    await upgrade(engine, SCRIPTS)
    await engine.dispose()
    pseudonyms = await open_pseudonyms(engine, VAULT)
    person = pseudonyms.of(PERSON)
    assert await rows(engine, "SELECT person FROM answers") == [(person,)]
    assert await rows(engine, "SELECT person, asked FROM messages") == [(person, "wine?")]
    assert await rows(engine, "SELECT channel, thread FROM conversations") == [(person, "c-1")]

    forgetting = SqlPeopleForgetting(engine, Actor("rest", "local", "anonymous"), pseudonyms)
    counts = await forgetting.counts()
    expected = (1, 1, 1 if revision == "0005" else 0)
    assert (counts["answers"], counts["conversations"], counts["record"]) == expected

    await downgrade(engine, SCRIPTS, revision)
    await engine.dispose()
    assert await rows(engine, "SELECT answer_id, person FROM answers") == [("a1", person)]
    await upgrade(engine, SCRIPTS)
    await engine.dispose()
    assert await rows(engine, "SELECT answer_id FROM messages") == [("a1",)]
