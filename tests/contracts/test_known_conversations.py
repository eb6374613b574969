"""KnownConversations: one row a conversation, references encrypted, adding and removing the app on record."""

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

import pytest
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.chat.conversations import SqlKnownConversations
from adapters.sql.database.transactions import fetch
from adapters.sql.database.vault import Vault, new_key
from adapters.sql.people.encrypted import Renewal, SqlRenewal
from adapters.sql.people.privacy import SqlPeopleForgetting
from adapters.sql.tables.audit import audit_personal, audit_records
from adapters.sql.tables.channels import known_conversations as table
from bot.access.pseudonyms import Pseudonyms
from bot.audit.entries import administration
from bot.model.channels import KnownConversation
from bot.model.messages import Actor
from tests.fakes.teams import BOT, CHANNEL, SERVICE_URL, TEAM, TEAM_THREAD, TENANT, person_id, personal_chat

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
KEY = new_key()
PSEUDONYMS = Pseudonyms(bytes(32))
CHAT = KnownConversation(
    "teams",
    TENANT,
    personal_chat(1),
    "",
    person_id(1),
    NOON,
    person_id(1),
    {"service_url": SERVICE_URL, "tenant": TENANT, "conversation": personal_chat(1), "bot": BOT},
)
IN_TEAM = replace(CHAT, channel=f"{TEAM}/{CHANNEL}", team=TEAM_THREAD, person="", installed_by=person_id(2))


@pytest.fixture
def known(engine: AsyncEngine) -> SqlKnownConversations:
    numbers = count(1)
    return SqlKnownConversations(
        engine, Vault([KEY]), PSEUDONYMS.of, now=lambda: NOON, new_id=lambda: f"record-{next(numbers)}"
    )


async def acts(engine: AsyncEngine) -> list[tuple[str, str]]:
    rows = await fetch(engine, select(audit_records).order_by(audit_records.c.sequence))
    return [(json.loads(row.canonical)["facts"]["act"], row.subject) for row in rows]


async def stored(engine: AsyncEngine) -> Sequence[Any]:
    return [tuple(row) for row in await fetch(engine, select(table))]


async def test_what_is_saved_is_found_by_channel_and_by_person(known: SqlKnownConversations) -> None:
    await known.save(CHAT)
    await known.save(IN_TEAM)
    assert await known.of_channel("teams", TENANT, CHAT.channel) == CHAT
    assert await known.of_channel("teams", TENANT, IN_TEAM.channel) == IN_TEAM
    assert await known.of_person("teams", TENANT, person_id(1)) == CHAT
    for nobody in (person_id(2), "", PSEUDONYMS.of(Actor("teams", TENANT, person_id(1)))):
        assert await known.of_person("teams", TENANT, nobody) is None
    assert await known.of_person("teams", "another", person_id(1)) is None
    assert await known.of_channel("slack", TENANT, CHAT.channel) is None


async def test_a_later_one_takes_its_place_and_who_installed_stays_known(known: SqlKnownConversations) -> None:
    await known.save(IN_TEAM)
    moved = {**IN_TEAM.reference, "service_url": "https://smba.example/amer/"}
    await known.save(replace(IN_TEAM, seen_at=NOON + timedelta(hours=1), installed_by="", reference=moved))
    found = await known.of_channel("teams", TENANT, IN_TEAM.channel)
    assert found is not None
    assert (found.reference, found.installed_by) == (moved, person_id(2))
    assert found.seen_at == NOON + timedelta(hours=1)


async def test_of_several_chats_of_a_person_the_last_one_is_his(known: SqlKnownConversations) -> None:
    later = replace(CHAT, channel="a:another", seen_at=NOON + timedelta(days=1))
    await known.save(later)
    await known.save(CHAT)
    assert await known.of_person("teams", TENANT, person_id(1)) == later


async def test_nothing_that_lets_its_holder_speak_and_nobodys_id_is_readable(
    known: SqlKnownConversations, engine: AsyncEngine
) -> None:
    await known.save(CHAT)
    await known.save(IN_TEAM)
    written = repr(await stored(engine))
    for secret in (SERVICE_URL, BOT, person_id(1), person_id(2)):
        assert secret not in written


async def test_a_new_key_reaches_both_columns(known: SqlKnownConversations, engine: AsyncEngine) -> None:
    await known.save(CHAT)
    new = new_key()
    for column in (table.c.encrypted_reference, table.c.encrypted_installer):
        assert await SqlRenewal(engine, Vault([new, KEY])).renew(column) == Renewal(1, 1, 0)
    again = SqlKnownConversations(engine, Vault([new]), PSEUDONYMS.of, now=lambda: NOON, new_id=lambda: "x")
    assert await again.of_channel("teams", TENANT, CHAT.channel) == CHAT


async def test_adding_the_app_and_removing_it_are_on_record_once(
    known: SqlKnownConversations, engine: AsyncEngine
) -> None:
    target = f"teams:{TENANT}/{IN_TEAM.channel}"
    await known.save(IN_TEAM)
    await known.save(IN_TEAM)  # told twice
    await known.save(replace(IN_TEAM, installed_by=""))  # heard of by a message
    assert await acts(engine) == [("app_added", target)]
    [beside] = await fetch(engine, select(audit_personal))
    assert beside.person == person_id(2)
    assert await known.remove("teams", TENANT, IN_TEAM.channel)
    assert not await known.remove("teams", TENANT, IN_TEAM.channel)
    assert await acts(engine) == [("app_added", target), ("app_removed", target)]
    assert await stored(engine) == []


async def test_a_conversation_that_was_heard_of_alone_is_nobodys_act(
    known: SqlKnownConversations, engine: AsyncEngine
) -> None:
    await known.save(replace(IN_TEAM, installed_by=""))
    assert await acts(engine) == []


async def test_a_team_goes_with_all_its_channels_and_no_others(known: SqlKnownConversations) -> None:
    other = replace(IN_TEAM, channel=f"{TEAM}/19:more@thread.tacv2")
    elsewhere = replace(IN_TEAM, channel="T2/19:c@thread.tacv2", team="19:t2@thread.tacv2")
    for each in (CHAT, IN_TEAM, other, elsewhere):
        await known.save(each)
    mine = tuple(sorted((IN_TEAM.channel, other.channel)))
    assert await known.of_team("teams", TENANT, TEAM_THREAD) == mine
    assert await known.of_team("teams", TENANT, "") == ()
    assert await known.remove_team("teams", TENANT, "") == ()
    assert await known.remove_team("teams", TENANT, TEAM_THREAD) == mine
    assert await known.remove_team("teams", TENANT, TEAM_THREAD) == ()
    assert await known.of_channel("teams", TENANT, elsewhere.channel) == elsewhere
    assert await known.of_channel("teams", TENANT, CHAT.channel) == CHAT


async def test_who_is_forgotten_has_no_chat_and_installed_nothing(
    known: SqlKnownConversations, engine: AsyncEngine
) -> None:
    await known.save(CHAT)
    await known.save(replace(IN_TEAM, installed_by=person_id(1)))
    await known.save(replace(IN_TEAM, channel="c9"))
    forgetting = SqlPeopleForgetting(engine, Actor("teams", TENANT, person_id(1)), PSEUDONYMS)
    assert (await forgetting.counts())["known conversations"] == 2
    gone = await forgetting.rows(lambda counts: administration("f", "forget", NOON, workspace=TENANT))
    assert gone["known conversations"] == 2
    assert await known.of_channel("teams", TENANT, CHAT.channel) is None
    kept = await known.of_channel("teams", TENANT, IN_TEAM.channel)
    assert kept is not None
    assert kept.installed_by == ""
    others = await known.of_channel("teams", TENANT, "c9")
    assert others is not None
    assert others.installed_by == person_id(2)
    assert (await forgetting.counts())["known conversations"] == 0


async def test_those_that_several_people_read_come_the_last_seen_first(known: SqlKnownConversations) -> None:
    later = replace(IN_TEAM, channel="19:talk@thread.v2", team="", seen_at=NOON + timedelta(minutes=1), name="Talk")
    for each in (CHAT, IN_TEAM, later, replace(later, workspace="another")):
        await known.save(each)
    assert await known.shared("teams", TENANT, 10) == (later, IN_TEAM)
    assert await known.shared("teams", TENANT, 1) == (later,)
    assert await known.shared("slack", TENANT, 10) == ()


async def test_a_name_stays_until_there_is_another(known: SqlKnownConversations, engine: AsyncEngine) -> None:
    for told, expected in (("Ads team", "Ads team"), ("", "Ads team"), ("Ads team (new)", "Ads team (new)")):
        await known.save(replace(IN_TEAM, name=told))
        found = await known.of_channel("teams", TENANT, IN_TEAM.channel)
        assert found is not None
        assert found.name == expected
    assert "Ads team" not in str(await stored(engine))


async def test_a_name_that_nobody_can_read_any_more_is_replaced(
    known: SqlKnownConversations, engine: AsyncEngine
) -> None:
    lost = SqlKnownConversations(engine, Vault([new_key()]), PSEUDONYMS.of, now=lambda: NOON, new_id=lambda: "lost")
    await lost.save(replace(IN_TEAM, installed_by="", name="Ads"))
    await known.save(replace(IN_TEAM, installed_by=""))
    assert (await known.shared("teams", TENANT, 1))[0].name == ""
