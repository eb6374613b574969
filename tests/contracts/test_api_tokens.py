"""ApiTokens and PageSessions: made and ended with their entry on the record, on every database."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.database.transactions import fetch
from adapters.sql.people.api_tokens import SqlApiTokens, SqlPageSessions
from adapters.sql.tables.audit import audit_records
from adapters.sql.tables.people import api_tokens, page_sessions
from bot.access.tokens import ApiToken, PageSession, Permission, hash_of, new_token
from bot.audit.entries import AuditEntry, administration
from rag_core.errors import Rejected

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
TOKEN = ApiToken(
    "t1",
    "lawyers",
    frozenset({Permission.ASK, Permission.READ}),
    frozenset({"legal", "policy"}),
    NOON,
    NOON + timedelta(days=90),
)
HASH = hash_of(new_token())


def entry(record_id: str = "e1", act: str = "token_created") -> AuditEntry:
    return administration(record_id, act, NOON, person="somebody", target="t1", facts={"name": "lawyers"})


@pytest.fixture
def tokens(engine: AsyncEngine) -> SqlApiTokens:
    return SqlApiTokens(engine)


@pytest.fixture
def sessions(engine: AsyncEngine) -> SqlPageSessions:
    return SqlPageSessions(engine)


async def recorded(engine: AsyncEngine) -> list[str]:
    return [row.record_id for row in await fetch(engine, select(audit_records).order_by(audit_records.c.sequence))]


async def test_a_token_is_found_by_its_hash_and_by_nothing_else(engine: AsyncEngine, tokens: SqlApiTokens) -> None:
    await tokens.create(TOKEN, HASH, entry())
    assert await tokens.with_hash(HASH) == TOKEN
    for other in (hash_of("something else"), HASH.upper(), HASH[:-1], "", "lawyers", "t1", "' OR 1=1 --", "\x00"):
        assert await tokens.with_hash(other) is None
    assert await tokens.all() == [TOKEN]
    assert await recorded(engine) == ["e1"]


async def test_the_token_itself_is_kept_nowhere(engine: AsyncEngine, tokens: SqlApiTokens) -> None:
    secret = new_token()
    await tokens.create(TOKEN, hash_of(secret), entry())
    for table in (api_tokens, audit_records):
        kept = [str(tuple(row)) for row in await fetch(engine, select(table))]
        assert kept
        assert not [row for row in kept if secret[9:40] in row]


async def test_a_name_is_taken_until_its_token_is_revoked(engine: AsyncEngine, tokens: SqlApiTokens) -> None:
    await tokens.create(TOKEN, HASH, entry())
    second = replace(TOKEN, token_id="t2")
    with pytest.raises(Rejected) as caught:
        await tokens.create(second, hash_of("2"), entry("e2"))
    assert caught.value.code == "token_name_taken"
    assert await recorded(engine) == ["e1"]  # neither the token nor its entry
    await tokens.revoke("t1", NOON, entry("e3", "token_revoked"))
    await tokens.create(second, hash_of("2"), entry("e4"))
    assert [each.token_id for each in await tokens.all()] == ["t1", "t2"]
    assert await recorded(engine) == ["e1", "e3", "e4"]


async def test_of_two_who_take_a_name_at_once_one_gets_it(engine: AsyncEngine, tokens: SqlApiTokens) -> None:
    made = [tokens.create(replace(TOKEN, token_id=f"t{n}"), hash_of(str(n)), entry(f"e{n}")) for n in range(4)]
    ended = await asyncio.gather(*made, return_exceptions=True)
    refused = [each for each in ended if isinstance(each, Rejected)]
    assert [each.code for each in refused] == ["token_name_taken"] * 3
    assert len(await tokens.all()) == 1
    assert len(await recorded(engine)) == 1


async def test_what_was_made_is_not_made_again(engine: AsyncEngine, tokens: SqlApiTokens) -> None:
    await tokens.create(TOKEN, HASH, entry())
    await tokens.create(TOKEN, HASH, entry())
    assert await tokens.all() == [TOKEN]
    assert await recorded(engine) == ["e1"]


async def test_a_revoked_token_stays_revoked(engine: AsyncEngine, tokens: SqlApiTokens) -> None:
    await tokens.create(TOKEN, HASH, entry())
    later = NOON + timedelta(hours=1)
    assert await tokens.revoke("t1", later, entry("e2", "token_revoked"))
    assert not await tokens.revoke("t1", later + timedelta(hours=1), entry("e3", "token_revoked"))
    assert not await tokens.revoke("unknown", later, entry("e4", "token_revoked"))
    found = await tokens.with_hash(HASH)
    assert found is not None
    assert found.revoked_at == later
    assert not found.holds_at(later)
    assert await recorded(engine) == ["e1", "e2"]


async def test_its_use_is_noted_now_and_then(tokens: SqlApiTokens) -> None:
    async def last_used() -> datetime | None:
        (found,) = await tokens.all()
        return found.last_used_at

    await tokens.create(TOKEN, HASH, entry())
    assert await last_used() is None
    await tokens.used("t1", NOON)
    await tokens.used("t1", NOON + timedelta(minutes=9))
    assert await last_used() == NOON
    await tokens.used("t1", NOON + timedelta(minutes=11))
    assert await last_used() == NOON + timedelta(minutes=11)


async def test_a_session_leads_to_its_token_until_it_ends(tokens: SqlApiTokens, sessions: SqlPageSessions) -> None:
    await tokens.create(TOKEN, HASH, entry())
    await sessions.open("s1", PageSession("t1", NOON, NOON + timedelta(hours=1)))
    assert await sessions.token_of("s1", NOON) == TOKEN
    assert await sessions.token_of("s2", NOON) is None
    assert await sessions.token_of("s1", NOON + timedelta(hours=1)) is None
    await sessions.close("s1")
    await sessions.close("s1")
    assert await sessions.token_of("s1", NOON) is None


async def test_sessions_end_with_their_token(
    engine: AsyncEngine, tokens: SqlApiTokens, sessions: SqlPageSessions
) -> None:
    await tokens.create(TOKEN, HASH, entry())
    await sessions.open("s1", PageSession("t1", NOON, NOON + timedelta(hours=1)))
    await tokens.revoke("t1", NOON, entry("e2", "token_revoked"))
    assert await sessions.token_of("s1", NOON) is None
    assert await fetch(engine, select(page_sessions)) == []


async def test_sessions_that_are_over_are_removed_by_the_next(
    engine: AsyncEngine, tokens: SqlApiTokens, sessions: SqlPageSessions
) -> None:
    await tokens.create(TOKEN, HASH, entry())
    later = NOON + timedelta(hours=2)
    await sessions.open("s1", PageSession("t1", NOON, NOON + timedelta(hours=1)))
    await sessions.open("s2", PageSession("t1", later, later + timedelta(hours=1)))
    assert [row.hash for row in await fetch(engine, select(page_sessions))] == ["s2"]


async def test_nobody_signs_in_with_a_token_that_is_not_there(sessions: SqlPageSessions) -> None:
    with pytest.raises(Rejected):
        await sessions.open("s1", PageSession("t1", NOON, NOON + timedelta(hours=1)))


@pytest.mark.parametrize("wrong", [{"hash": None}, {"expires_at": NOON}, {"expires_at": None}, {"permissions": None}])
async def test_the_database_takes_no_token_without_end_or_hash(engine: AsyncEngine, wrong: dict[str, Any]) -> None:
    row = {
        "token_id": "t1",
        "name": "lawyers",
        "hash": HASH,
        "permissions": ["ask"],
        "allowed_groups": [],
        "created_at": NOON,
        "expires_at": NOON + timedelta(days=1),
    }
    async with engine.connect() as connection:
        await connection.execute(api_tokens.insert().values(row | {"token_id": "t0", "name": "fine", "hash": "0"}))
        with pytest.raises(IntegrityError):
            await connection.execute(api_tokens.insert().values(row | wrong))
