"""Waiting for what happens in a pretended platform, and beside it."""

import asyncio

import pytest

from ops.sandbox.tasks import Waiting


async def test_what_happens_without_a_word_is_seen_as_well() -> None:
    """The bot hears a rating: no message changes by it."""
    heard: list[str] = []
    asyncio.get_running_loop().call_later(0.05, heard.append, "rating")
    await Waiting().until(lambda: bool(heard), 5)
    assert heard == ["rating"]


async def test_what_never_happens_ends_the_waiting() -> None:
    with pytest.raises(TimeoutError):
        await Waiting().until(lambda: False, 0.05)
