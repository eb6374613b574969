"""What goes when the app is removed from a conversation of Teams, and what is offered where it is new."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, cast

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.chat.channel_settings import SqlChannelSettings
from adapters.sql.chat.notices import SqlNoticeQueue
from adapters.sql.chat.subscriptions import SqlSubscriptions
from bot.commands.home import Starters
from bot.model.channels import ChannelPreferences
from bot.model.notices import Notice, NoticeKind
from bot.model.subscriptions import Rhythm, Subscription
from ops.chat.teams import forgetting_of, starters_of
from ops.parts import new_id, utc_now
from rag_core.errors import Unavailable
from tests.fakes.databases import migrated_engine
from tests.fakes.teams import TENANT, person_id
from tests.fakes.teams_ways import IN_CHANNEL

OTHER = f"{IN_CHANNEL}-2"


@pytest.fixture
async def engine(tmp_path: Path) -> AsyncIterator[AsyncEngine]:
    async with migrated_engine(tmp_path, "sqlite") as opened:
        yield opened


async def lives(engine: AsyncEngine, channel: str) -> None:
    begun = Subscription(new_id(), "teams", TENANT, channel, Rhythm.DAILY, person_id(1), utc_now(), 0)
    await SqlSubscriptions(engine).begin(begun)
    await SqlNoticeQueue(engine).queue([Notice(new_id(), NoticeKind.ALERT, "teams", TENANT, channel, utc_now())])
    settings = SqlChannelSettings(engine, now=utc_now, new_id=new_id)
    await settings.save("teams", TENANT, channel, ChannelPreferences(regions=("uk",)), person_id(1))


async def left(engine: AsyncEngine, channel: str) -> tuple[int, bool]:
    """Subscriptions, and whether anything is set."""
    subscriptions = await SqlSubscriptions(engine).of_channel("teams", TENANT, channel)
    settings = await SqlChannelSettings(engine, now=utc_now, new_id=new_id).of("teams", TENANT, channel)
    return len(subscriptions), settings != ChannelPreferences()


async def test_a_conversation_is_forgotten_as_often_as_it_is_told_and_no_other(engine: AsyncEngine) -> None:
    for channel in (IN_CHANNEL, OTHER):
        await lives(engine, channel)
    forget = forgetting_of(engine, SqlChannelSettings(engine, now=utc_now, new_id=new_id))
    for _ in range(2):
        await forget(TENANT, IN_CHANNEL)
    assert await left(engine, IN_CHANNEL) == (0, False)
    assert await left(engine, OTHER) == (1, True)
    lease = await SqlNoticeQueue(engine).take("w", 60.0)
    assert lease is not None
    assert lease.notice.channel == OTHER


class _Finding:
    def __init__(self, found: tuple[str, ...] | Exception) -> None:
        self.found = found
        self.groups: list[frozenset[str]] = []

    async def of(self, groups: frozenset[str]) -> tuple[str, ...]:
        self.groups.append(groups)
        if isinstance(self.found, Exception):
            raise self.found
        return self.found


@pytest.mark.parametrize(("found", "shown"), [(("a?",), ("a?",)), (Unavailable("index_down"), ())])
async def test_first_questions_are_those_that_everybody_may_ask(found: Any, shown: tuple[str, ...]) -> None:
    finding = _Finding(found)
    assert await starters_of(cast(Starters, finding))() == shown
    assert finding.groups == [frozenset()]
