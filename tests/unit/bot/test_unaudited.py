"""Entries of the record that the database cannot take: kept, and entered later."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import pytest

from bot.audit.entries import AuditEntry
from bot.questions.spool import ENTRIES, SpooledAuditLog
from rag_core.errors import Rejected, Unavailable
from tests.fakes.audit import FakeAuditLog, make_entries, make_entry
from tests.fakes.shared_services import FakeSpool, FakeSpoolLog


class Made:
    def __init__(self, spool: FakeSpool | None) -> None:
        self.log, self.events = FakeAuditLog(), FakeSpoolLog()
        self.spooled = SpooledAuditLog(self.log, spool, self.events)


async def test_what_the_database_takes_is_nowhere_else() -> None:
    spool = FakeSpool()
    made = Made(spool)
    await made.spooled.append(make_entries(2))
    assert (made.log.entries, spool.kept, made.events.lines) == (make_entries(2), {}, [])


async def test_what_it_does_not_take_is_kept_and_entered_as_it_was() -> None:
    spool = FakeSpool()
    made = Made(spool)
    made.log.failure = Unavailable("store_down")
    await made.spooled.append(make_entries(2))
    assert spool.keys(ENTRIES) == ["r1", "r2"]
    with pytest.raises(Unavailable):
        await made.spooled.enter_spooled()
    restarted = Made(spool)
    assert await restarted.spooled.enter_spooled() == 2
    assert (restarted.log.entries, spool.kept) == (make_entries(2), {})
    assert await restarted.spooled.enter_spooled() == 0


async def test_what_cannot_be_entered_stays_and_the_others_go_on() -> None:
    spool = FakeSpool()
    made = Made(spool)
    made.log.failure = Unavailable("store_down")
    await made.spooled.append([make_entry(1), replace(make_entry(2), facts={"kind": 1}), make_entry(3)])
    spool.kept[ENTRIES, "r2"]["at"] = "never"
    made.log.failure = None
    assert await made.spooled.enter_spooled() == 2
    assert spool.keys(ENTRIES) == ["r2"]
    made.log.failure = Rejected("record_not_storable")
    await spool.put(ENTRIES, "r9", dict(spool.kept[ENTRIES, "r2"]))
    assert await made.spooled.enter_spooled() == 0
    assert spool.keys(ENTRIES) == ["r2", "r9"]


@pytest.mark.parametrize("spool", [None, FakeSpool(room=0)])
async def test_what_is_kept_nowhere_is_said(spool: FakeSpool | None) -> None:
    made = Made(spool)
    made.log.failure = Unavailable("store_down")
    with pytest.raises(Unavailable, match="record_down"):
        await made.spooled.append([make_entry(1)])


async def test_a_database_that_hangs_is_not_waited_for() -> None:
    class Hanging:
        async def append(self, entries: Sequence[AuditEntry]) -> None:
            await asyncio.Event().wait()

    spool = FakeSpool()
    await SpooledAuditLog(Hanging(), spool, FakeSpoolLog(), seconds=0.01).append([make_entry(1)])
    assert spool.keys(ENTRIES) == ["r1"]
