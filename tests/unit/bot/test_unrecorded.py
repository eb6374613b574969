"""What the database cannot record now: kept and entered later, or no answer is given."""

import asyncio
from dataclasses import replace

import pytest

from bot.ports import RecordedAnswer
from bot.questions.spool import ANSWERS, SpooledRecords
from rag_core.errors import Rejected, Unavailable
from tests.fakes.questions import NOON
from tests.fakes.shared_services import FakeRecords, FakeSpool, FakeSpoolLog

RECORD = RecordedAnswer(
    answer_id="a1",
    answered_from="slack",
    workspace="T1",
    person="U1",
    question_text="Bier? 🍺",
    reply={"kind": "answer", "statements": [{"text": "x", "citations": [1]}]},
    trace={"question": {"text": "Bier?"}},
    answered_at=NOON,
)


class Made:
    def __init__(self, spool: FakeSpool | None = None, seconds: float = 5.0) -> None:
        self.records, self.log = FakeRecords(), FakeSpoolLog()
        self.spool = spool
        self.spooled = SpooledRecords(self.records, spool, self.log, seconds=seconds)


async def test_what_the_database_takes_is_nowhere_else() -> None:
    spool = FakeSpool()
    made = Made(spool)
    await made.spooled.save(RECORD)
    assert (list(made.records.saved.values()), spool.kept, made.log.lines) == ([RECORD], {}, [])


async def test_what_it_does_not_take_is_kept_and_entered_as_it_was() -> None:
    spool = FakeSpool()
    made = Made(spool)
    made.records.down = True
    await made.spooled.save(RECORD)
    await made.spooled.save(replace(RECORD, answer_id="a2", trace=None))
    assert spool.keys(ANSWERS) == ["a1", "a2"]
    with pytest.raises(Unavailable):
        await made.spooled.enter_spooled()
    made.records.down = False
    restarted = Made(spool)
    assert await restarted.spooled.enter_spooled() == 2
    assert list(restarted.records.saved.values()) == [RECORD, replace(RECORD, answer_id="a2", trace=None)]
    assert (spool.kept, await restarted.spooled.enter_spooled()) == ({}, 0)
    assert made.log.lines[:2] == ["unavailable a1 switched_off", "spooled answer a1"]
    assert restarted.log.lines == ["entered answer a1", "entered answer a2"]


async def test_entering_twice_is_one_record() -> None:
    spool = FakeSpool()
    made = Made(spool)
    made.records.down = True
    await made.spooled.save(RECORD)
    made.records.down = False
    kept = dict(spool.kept)
    await made.spooled.enter_spooled()
    spool.kept.update(kept)
    await made.spooled.enter_spooled()
    assert list(made.records.saved.values()) == [RECORD]


async def test_a_database_that_hangs_is_not_waited_for() -> None:
    spool = FakeSpool()
    made = Made(spool, seconds=0.02)
    made.records.hangs = True
    async with asyncio.timeout(2):
        await made.spooled.save(RECORD)
    assert spool.keys(ANSWERS) == ["a1"]


@pytest.mark.parametrize("spool", [None, FakeSpool(room=0)], ids=["refuse", "full"])
async def test_without_a_place_for_the_record_there_is_no_answer(spool: FakeSpool | None) -> None:
    made = Made(spool)
    made.records.down = True
    with pytest.raises(Unavailable, match="record_down"):
        await made.spooled.save(RECORD)
    made.records.down = False
    await made.spooled.save(RECORD)
    assert list(made.records.saved.values()) == [RECORD]
    assert await made.spooled.enter_spooled() == 0


async def test_what_can_never_be_recorded_stays_and_holds_up_nothing() -> None:
    spool = FakeSpool()
    made = Made(spool)
    made.records.down = True
    await made.spooled.save(RECORD)
    made.records.down = False
    spool.kept = {(ANSWERS, "odd"): {"answered_at": "never"}, **spool.kept}
    assert await made.spooled.enter_spooled() == 1
    assert spool.keys(ANSWERS) == ["odd"]
    assert "unavailable odd record_unreadable" in made.log.lines
    made.records.failure = Rejected("value_not_storable")
    spool.kept[ANSWERS, "a1"] = {}
    assert await made.spooled.enter_spooled() == 0
    with pytest.raises(Rejected):
        await made.spooled.save(RECORD)
