"""A person of Teams, forgotten: what the database keeps does not name him, nor his chat with the bot."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.chat.conversations import SqlKnownConversations
from adapters.sql.people.privacy import SqlPeopleForgetting
from adapters.sql.tables.audit import audit_personal
from adapters.sql.tables.policies import metadata
from adapters.teams.conversations import known_of
from adapters.teams.keeping import actor_at
from adapters.teams.messages import activity_of
from bot.access.pseudonyms import actor_from
from ops.parts import new_id, utc_now
from tests.fakes.delivery import PSEUDONYMS
from tests.fakes.teams import CHANNEL, GROUP_CHAT, TENANT, activity, person_id, personal_chat, raw_activity, user_id
from tests.fakes.teams_delivery import World, delivery_world

HIM = f"teams:{TENANT}/{person_id(1)}"
NAMES = (person_id(1), user_id(1))


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    async with delivery_world(tmp_path) as made:
        yield made


async def kept(engine: AsyncEngine, *but: Any) -> str:
    """Everything that stands in the database, as it stands there."""
    async with engine.connect() as connection:
        rows = [
            (table.name, *row)
            for table in metadata.sorted_tables
            if table not in but
            for row in (await connection.execute(select(table))).all()
        ]
    return repr(rows)


async def forget(engine: AsyncEngine) -> dict[str, int]:
    forgetting = SqlPeopleForgetting(engine, actor_from(HIM), PSEUDONYMS, utc_now)
    await forgetting.drop_questions(held=True)
    return await forgetting.rows(lambda _: pytest.fail("nobody else was answered"))


async def used(world: World) -> None:
    """Wherever one can ask, and as one who put the bot there."""
    known = SqlKnownConversations(world.engine, world.vault, PSEUDONYMS.of, now=world.clock, new_id=new_id)
    for where in ("", GROUP_CHAT, CHANNEL):
        await known.save(known_of(activity("beer?", where=where), world.clock(), installed_by=person_id(1)))
    places = [world.question(where, by=1) for where in ("", GROUP_CHAT, CHANNEL)]
    await world.ask(world.process(), *places)


async def test_what_is_kept_of_answers_names_nobody(world: World) -> None:
    await used(world)
    everything = await kept(world.engine, audit_personal)  # who did what, beside the record: forgotten with its salts
    for name in NAMES:
        assert name not in everything, name


async def test_forgotten_his_chat_and_his_answers_are_gone_and_others_stay(world: World) -> None:
    await used(world)
    await world.ask(world.process(), world.question(GROUP_CHAT, by=2))
    found = await forget(world.engine)
    assert (found["posted"], found["known conversations"]) == (3, 3)
    everything = await kept(world.engine, audit_personal)
    assert GROUP_CHAT in everything
    assert PSEUDONYMS.of(actor_from(f"teams:{TENANT}/{person_id(2)}")) in everything
    assert PSEUDONYMS.of(actor_from(HIM)) not in everything
    [left] = await world.kept("q4")
    assert left.place.channel == GROUP_CHAT
    chats = [each for each in everything.split("(") if each.startswith("'known_conversations'")]
    assert len(chats) == 2
    assert not any(personal_chat(1) in each for each in chats)


def test_he_is_found_however_his_ids_are_written() -> None:
    """They are kept in small letters, and not every tool writes them so; then nothing would be found of him."""
    written = "teams:ABCDEF01-1111-1111-1111-111111111111/FEDCBA02-2222-2222-2222-222222222222"
    found = actor_from(f" {written} ")
    heard = activity_of(
        {
            **raw_activity("beer?"),
            "from": {"id": "29:x", "aadObjectId": found.person.upper()},
            "channelData": {"tenant": {"id": found.workspace.upper()}},
        }
    ).address
    assert found == actor_at(heard)
    assert actor_from("slack:T1/U1").person == "U1"
    assert actor_from("teams:T/29:AbC").person == "29:AbC"  # one without an object id
