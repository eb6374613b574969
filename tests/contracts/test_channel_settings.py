"""ChannelSettings: what was set comes back, for that channel alone, and who set it is on record with it."""

import json
from datetime import UTC, datetime
from itertools import count
from typing import Any

import pytest
from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.chat.channel_settings import SqlChannelSettings
from adapters.sql.tables.audit import audit_personal, audit_records
from adapters.sql.tables.channels import channel_settings
from bot.model.channels import ChannelPreferences, ShownTo

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
MINE = ("slack", "T1", "C1")
SET = ChannelPreferences(("uk", "us-tx"), ("acme",), ShownTo.ASKER, follow_ups=False, escalate_to="C9")


@pytest.fixture
def settings(engine: AsyncEngine) -> SqlChannelSettings:
    numbers = count(1)
    return SqlChannelSettings(engine, now=lambda: NOON, new_id=lambda: f"record-{next(numbers)}")


async def records(engine: AsyncEngine) -> list[Any]:
    async with engine.connect() as connection:
        return list(await connection.execute(select(audit_records).order_by(audit_records.c.sequence)))


async def test_what_nobody_has_set_is_as_usual(settings: SqlChannelSettings) -> None:
    assert await settings.of(*MINE) == ChannelPreferences()


async def test_what_is_set_holds_in_this_channel_of_this_workspace_only(settings: SqlChannelSettings) -> None:
    await settings.save(*MINE, SET, "U1")
    assert await settings.of(*MINE) == SET
    for other in (("slack", "T1", "C2"), ("slack", "T2", "C1"), ("teams", "T1", "C1")):
        assert await settings.of(*other) == ChannelPreferences()
    await settings.save(*MINE, ChannelPreferences(), "U1")
    assert await settings.of(*MINE) == ChannelPreferences()


async def test_every_change_is_on_record_with_who_made_it(settings: SqlChannelSettings, engine: AsyncEngine) -> None:
    await settings.save(*MINE, SET, "U1")
    await settings.save(*MINE, SET, "U2")  # changes nothing
    [row] = await records(engine)
    assert (row.kind, row.subject, row.chain) == ("administration", "slack:T1/C1", "T1")
    facts = json.loads(row.canonical)["facts"]
    assert facts["act"] == "channel_settings"
    assert facts["settings"]["regions"] == ["uk", "us-tx"]
    assert facts["changed"] == ["escalate_to", "follow_ups", "policy_sources", "regions", "shown_to"]
    assert '"U1"' not in row.canonical.decode()
    async with engine.connect() as connection:
        [beside] = await connection.execute(select(audit_personal))
    assert beside.person == "U1"
    await settings.save(*MINE, ChannelPreferences(("uk", "us-tx")), "U2")
    [_, second] = await records(engine)
    assert json.loads(second.canonical)["facts"]["before"]["escalate_to"] == "C9"


async def test_what_another_version_wrote_is_read_as_far_as_it_is_known(
    settings: SqlChannelSettings, engine: AsyncEngine
) -> None:
    await settings.save(*MINE, SET, "U1")
    odd = {"regions": ["uk", 7], "shown_to": "nobody", "follow_ups": "yes", "new": 1}
    async with engine.begin() as connection:
        await connection.execute(update(channel_settings).values(preferences=odd))
    assert await settings.of(*MINE) == ChannelPreferences(("uk",))


async def test_a_workspace_that_goes_takes_its_settings_along(settings: SqlChannelSettings) -> None:
    for channel in ("C1", "C2"):
        await settings.save("slack", "T1", channel, SET, "U1")
    await settings.save("slack", "T2", "C1", SET, "U1")
    assert await settings.remove_workspace("slack", "T1") == 2
    assert await settings.of(*MINE) == ChannelPreferences()
    assert await settings.of("slack", "T2", "C1") == SET
    assert await settings.remove_workspace("slack", "T1") == 0


async def test_a_channel_that_the_app_left_keeps_nothing(settings: SqlChannelSettings) -> None:
    for channel in ("C1", "C2"):
        await settings.save("slack", "T1", channel, SET, "U1")
    assert await settings.remove(*MINE) == 1
    assert await settings.remove(*MINE) == 0
    assert await settings.of(*MINE) == ChannelPreferences()
    assert await settings.of("slack", "T1", "C2") == SET
