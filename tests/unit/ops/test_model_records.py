"""The record of model calls: nobody waits for it, and a database that is down loses none of it for a while."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from bot.model_usage import ModelCall
from ops.keeping import model_records
from ops.keeping.model_records import ModelRecords
from rag_core.errors import Unavailable
from tests.fakes.model_usage import FakeModelEvents, FakeModelUsage

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
CALL = ModelCall("c1", NOON, "small", "answer", "answered", 100, 20, counted=True, seconds=1.5)


class Desk:
    """Records whose clock and whose rests a test rules."""

    def __init__(self) -> None:
        self.usage, self.events = FakeModelUsage(), FakeModelEvents()
        self.now = NOON
        self.rounds = asyncio.Semaphore(0)
        self.records = ModelRecords(
            self.usage, self.events, keep=timedelta(days=30), now=lambda: self.now, sleep=self._sleep
        )

    async def _sleep(self, _: float) -> None:
        await self.rounds.acquire()

    async def round(self) -> None:
        """One round of writing."""
        self.rounds.release()
        await asyncio.sleep(0.01)


async def test_calls_are_told_at_once_and_written_a_little_later() -> None:
    desk = Desk()
    async with desk.records.recording():
        desk.records.called(CALL)
        assert desk.events.calls == [CALL]
        assert desk.usage.saved == []
        await desk.round()
        assert desk.usage.saved == [CALL]
        await desk.round()
    assert desk.usage.saved == [CALL], "once"


async def test_what_waits_at_the_end_is_written() -> None:
    desk = Desk()
    async with desk.records.recording():
        desk.records.called(CALL)
    assert desk.usage.saved == [CALL]


async def test_calls_wait_while_the_database_is_down() -> None:
    desk = Desk()
    desk.usage.down = True
    calls = [replace(CALL, call_id=f"c{number}") for number in range(3)]
    async with desk.records.recording():
        for call in calls:
            desk.records.called(call)
        await desk.round()
        with pytest.raises(Unavailable):
            await desk.records.write()
        desk.usage.down = False
        await desk.round()
        assert desk.usage.saved == calls
    assert desk.events.lost == []


async def test_what_cannot_be_written_at_the_end_is_said_to_be_lost() -> None:
    desk = Desk()
    desk.usage.down = True
    async with desk.records.recording():
        desk.records.called(CALL)
    assert desk.events.lost == [(1, "store_down")]


async def test_the_oldest_go_when_there_is_no_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_records, "_MOST_WAITING", 2)
    desk = Desk()
    for number in range(3):
        desk.records.called(replace(CALL, call_id=f"c{number}"))
    await desk.records.write()
    assert [call.call_id for call in desk.usage.saved] == ["c1", "c2"]
    assert desk.events.lost == [(1, "no_room")]


async def test_old_calls_are_forgotten_twice_a_day() -> None:
    desk = Desk()
    async with desk.records.recording():
        for hours in (0, 6, 12):
            desk.now = NOON + timedelta(hours=hours)
            await desk.round()
    ago = timedelta(days=30)
    assert desk.usage.removed_before == [NOON - ago, NOON + timedelta(hours=12) - ago]
