"""Installations, TokenRenewals and InstallStates, on every database."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.chat.installations import SqlInstallations, SqlInstallStates, SqlTokenRenewals
from adapters.sql.database.transactions import fetch
from adapters.sql.database.vault import Vault, new_key
from adapters.sql.people.encrypted import Renewal, SqlRenewal
from adapters.sql.tables.audit import audit_records
from adapters.sql.tables.channels import slack_installations
from bot.access.installations import Installation
from bot.audit.entries import AuditEntry, administration

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
OLD, NEW = new_key(), new_key()
VAULT = Vault([OLD])
HELD = Installation(
    "i1", "T1", "", "Sandbox", "UBOT", ("chat:write", "commands"), NOON, "xoxe.xoxb-1", "xoxe-1", NOON + 60 * MINUTE
)
WHOLE = replace(HELD, installation_id="i2", place="E1", organisation="E1", token="xoxb-whole", refresh_token="")


def entry(record_id: str) -> AuditEntry:
    return administration(record_id, "slack_installed", NOON, target="T1", workspace="T1")


async def recorded(engine: AsyncEngine) -> int:
    return len(await fetch(engine, select(audit_records)))


@pytest.fixture
def store(engine: AsyncEngine) -> SqlInstallations:
    return SqlInstallations(engine, VAULT)


@pytest.fixture
def renewals(engine: AsyncEngine) -> SqlTokenRenewals:
    return SqlTokenRenewals(engine, VAULT)


async def test_what_is_saved_is_found_and_on_record(engine: AsyncEngine, store: SqlInstallations) -> None:
    await store.save(HELD, entry("a"))
    assert await store.find("T1") == HELD
    assert await store.all() == (HELD,)
    assert await recorded(engine) == 1
    again = replace(HELD, installation_id="i9", token="xoxb-other", refresh_token="", expires_at=None)
    await store.save(again, entry("b"))
    assert await store.all() == (again,)


@pytest.mark.parametrize("workspace", ["T2", "", "t1", "' OR 1=1 --"])
async def test_nobody_elses_is_found(store: SqlInstallations, workspace: str) -> None:
    await store.save(HELD, entry("a"))
    await store.save(WHOLE, entry("b"))
    assert await store.find(workspace) is None
    assert await store.find(workspace, "E2") is None


async def test_a_workspace_of_an_organisation(store: SqlInstallations) -> None:
    await store.save(WHOLE, entry("a"))
    assert await store.find("T7", "E1") == WHOLE
    assert await store.find("T7") is None
    await store.belongs("T7", "E1")
    await store.belongs("T7", "E1")
    assert await store.find("T7") == WHOLE
    assert await store.find("", "E1") == await store.find("E1") == WHOLE
    own = replace(HELD, installation_id="i3", place="T7", organisation="E1")
    await store.save(own, entry("b"))
    assert await store.find("T7", "E1") == own
    await store.belongs("T7", "E2")
    assert (await store.workspaces_of("E1"), await store.workspaces_of("E2")) == ((), ("T7",))


async def test_only_what_is_meant_is_removed(engine: AsyncEngine, store: SqlInstallations) -> None:
    await store.save(HELD, entry("a"))
    again = replace(HELD, installation_id="i9")
    await store.save(again, entry("b"))
    assert not await store.remove(HELD, entry("c"))
    assert (await store.find("T1"), await recorded(engine)) == (again, 2)
    assert await store.remove(again, entry("d"))
    assert not await store.remove(again, entry("e"))
    assert (await store.find("T1"), await recorded(engine)) == (None, 3)


async def test_a_new_key_reaches_the_tokens(engine: AsyncEngine, store: SqlInstallations) -> None:
    await store.save(HELD, entry("a"))
    await store.save(WHOLE, entry("b"))
    for column, count in ((slack_installations.c.token, 2), (slack_installations.c.refresh_token, 1)):
        assert await SqlRenewal(engine, Vault([NEW, OLD])).renew(column) == Renewal(count, count, 0)
    assert await SqlInstallations(engine, Vault([NEW])).all() == (WHOLE, HELD)


async def test_one_of_many_renews(store: SqlInstallations, renewals: SqlTokenRenewals) -> None:
    await store.save(HELD, entry("a"))
    claims = await asyncio.gather(*(renewals.claim(HELD, f"p{n}", NOON, NOON + MINUTE) for n in range(6)))
    assert sum(claims) == 1
    winner = f"p{claims.index(True)}"
    assert await renewals.claim(HELD, winner, NOON, NOON + MINUTE)  # the answer to a first try was lost
    new = replace(HELD, token="new", refresh_token="newer", expires_at=NOON + 720 * MINUTE, renewals=1)
    await renewals.renewed(new)
    await renewals.renewed(new)
    assert await store.find("T1") == new
    assert not await renewals.claim(HELD, "late", NOON, NOON + MINUTE)
    assert await renewals.claim(new, "next", NOON, NOON + MINUTE)


async def test_a_claim_ends_by_itself_or_is_let_go(store: SqlInstallations, renewals: SqlTokenRenewals) -> None:
    await store.save(HELD, entry("a"))
    assert await renewals.claim(HELD, "killed", NOON, NOON + MINUTE)
    assert not await renewals.claim(HELD, "other", NOON, NOON + 2 * MINUTE)
    await renewals.release(HELD, "somebody else")
    assert not await renewals.claim(HELD, "other", NOON, NOON + 2 * MINUTE)
    assert await renewals.claim(HELD, "other", NOON + MINUTE, NOON + 2 * MINUTE)
    await renewals.release(HELD, "other")
    assert await renewals.claim(HELD, "third", NOON + MINUTE, NOON + 2 * MINUTE)


async def test_what_is_refused_is_not_tried_again(store: SqlInstallations, renewals: SqlTokenRenewals) -> None:
    await store.save(HELD, entry("a"))
    await renewals.claim(HELD, "me", NOON, NOON + MINUTE)
    await renewals.refused(HELD)
    assert await store.find("T1") == replace(HELD, is_refused=True)
    assert not await renewals.claim(HELD, "me", NOON, NOON + MINUTE)
    new = replace(HELD, token="new", renewals=1)
    await renewals.renewed(new)  # of who got it all the same
    assert await store.find("T1") == new


async def test_an_installation_that_was_replaced_is_not_renewed(
    store: SqlInstallations, renewals: SqlTokenRenewals
) -> None:
    await store.save(HELD, entry("a"))
    await renewals.claim(HELD, "me", NOON, NOON + MINUTE)
    again = replace(HELD, installation_id="i9", token="xoxb-again")
    await store.save(again, entry("b"))
    await renewals.renewed(replace(HELD, token="of the old one", renewals=1))
    await renewals.refused(HELD)
    assert await store.find("T1") == again
    assert await renewals.claim(again, "other", NOON, NOON + MINUTE)


async def test_a_state_is_taken_once_by_its_browser_and_in_time(engine: AsyncEngine) -> None:
    states = SqlInstallStates(engine, most=3)
    assert await states.begin("s1", "b1", NOON, NOON + MINUTE)
    assert not await states.take("s1", "b2", NOON)
    assert not await states.take("s2", "b1", NOON)
    assert await states.take("s1", "b1", NOON)
    assert not await states.take("s1", "b1", NOON)
    assert await states.begin("s3", "b1", NOON, NOON + MINUTE)
    assert not await states.take("s3", "b1", NOON + MINUTE)


async def test_no_more_are_begun_than_there_is_room_for(engine: AsyncEngine) -> None:
    states = SqlInstallStates(engine, most=2)
    begun = [await states.begin(f"s{n}", "b", NOON, NOON + MINUTE) for n in range(3)]
    assert begun == [True, True, False]
    assert await states.begin("s9", "b", NOON + MINUTE, NOON + 2 * MINUTE)  # the others are over


async def test_a_token_taken_at_the_same_moment_is_taken_once(engine: AsyncEngine) -> None:
    states = SqlInstallStates(engine)
    await states.begin("s1", "b1", NOON, NOON + MINUTE)
    taken = await asyncio.gather(*(states.take("s1", "b1", NOON) for _ in range(6)))
    assert sum(taken) == 1
