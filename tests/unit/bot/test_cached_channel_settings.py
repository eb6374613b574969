"""Settings before the database: asked once in a while, never behind what was saved here."""

import asyncio

import pytest

from bot.model.channels import CachedChannelSettings, ChannelPreferences
from rag_core.errors import Unavailable
from tests.fakes.channel_settings import FakeChannelSettings

SET = ChannelPreferences(("uk",))


class Seconds:
    now = 0.0

    def __call__(self) -> float:
        return self.now


async def test_many_questions_are_one_look_until_its_time_is_over() -> None:
    kept, seconds = FakeChannelSettings(), Seconds()
    settings = CachedChannelSettings(kept, 30, clock=seconds)
    for _ in range(5):
        assert await settings.of("slack", "T1", "C1") == ChannelPreferences()
    kept.set["slack", "T1", "C1"] = SET  # by another process
    assert kept.looks == 1
    seconds.now = 30
    assert await settings.of("slack", "T1", "C1") == SET


async def test_what_was_saved_here_counts_at_once_even_while_it_is_being_read() -> None:
    kept = FakeChannelSettings()
    settings = CachedChannelSettings(kept, 30)
    kept.slow.clear()
    reading = asyncio.create_task(settings.of("slack", "T1", "C1"))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    await settings.save("slack", "T1", "C1", SET, "U1")
    kept.slow.set()
    await reading
    assert await settings.of("slack", "T1", "C1") == SET
    assert await settings.remove_workspace("slack", "T1") == 1
    assert await settings.of("slack", "T1", "C1") == ChannelPreferences()
    await settings.aclose()


async def test_what_could_not_be_read_is_read_again() -> None:
    kept = FakeChannelSettings()
    settings = CachedChannelSettings(kept, 30)
    kept.failure = Unavailable("store_unreachable")
    with pytest.raises(Unavailable):
        await settings.of("slack", "T1", "C1")
    kept.failure = None
    assert await settings.of("slack", "T1", "C1") == ChannelPreferences()
