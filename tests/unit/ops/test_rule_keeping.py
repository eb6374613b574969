"""A server reads what an ingest left, and everything after an upgrade; trouble ends nothing and is told once."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from ingest.rules.reading import RULE_WORK
from ops.keeping.rules import PAUSE_SECONDS, RuleKeeping
from rag_core.errors import Misconfigured, PolicyBotError
from tests.fakes.reader import FakeReader
from tests.fakes.sources import FakeSource
from tests.fakes.workshop import Workshop, open_workshop

WINE = "# Wine\n\n## France\n\nAds for wine are not allowed.\n\n## Spain\n\nAds for wine are allowed.\n"


class Heard:
    def __init__(self) -> None:
        self.read: list[int] = []
        self.troubles: list[str] = []

    def rules_read(self, chunks: int) -> None:
        self.read.append(chunks)

    def rules_not_read(self, error: Exception) -> None:
        self.troubles.append(error.code if isinstance(error, PolicyBotError) else repr(error))


@pytest.fixture
async def shop(tmp_path: Path) -> AsyncIterator[Workshop]:
    async with open_workshop(tmp_path) as opened:
        await opened.run(FakeSource({"wine.md": WINE}))
        yield opened


async def test_it_reads_what_nobody_has_read_with_the_reader_that_answers_now(shop: Workshop) -> None:
    heard = Heard()
    assert await RuleKeeping(shop, heard).keep() == 0
    shop.rule_reader = FakeReader()
    keeping = RuleKeeping(shop, heard)
    assert [await keeping.keep(), await keeping.keep()] == [2, 0]
    shop.rule_reader = FakeReader("fake-2")
    assert await keeping.keep() == 2
    assert heard.read == [2, 2]


async def test_what_another_process_does_is_left_to_it(shop: Workshop) -> None:
    shop.rule_reader = reader = FakeReader()
    async with shop.lease.hold(RULE_WORK, 0):
        assert await RuleKeeping(shop, Heard()).keep() == 0
    assert reader.read_texts == []


async def test_trouble_ends_nothing_and_is_told_once(shop: Workshop) -> None:
    heard, rounds = Heard(), 0
    shop.rule_reader = reader = FakeReader(missing=True)

    async def sleep(seconds: float) -> None:
        nonlocal rounds
        assert seconds == PAUSE_SECONDS
        rounds += 1
        if rounds == 2:
            reader.missing, reader.down = False, True
        if rounds == 3:
            reader.down = False
        if rounds == 4:
            raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        await RuleKeeping(shop, heard, sleep).run()
    assert (heard.troubles, heard.read) == (["rule_reader_missing", "reader_failed"], [2])
    shop.rule_reader = FakeReader(missing=True)
    with pytest.raises(Misconfigured):
        await RuleKeeping(shop, heard).keep()
