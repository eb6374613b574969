"""Approved answers approved, suspended when their rules change, and their owners told."""

from dataclasses import replace
from datetime import date, timedelta

import pytest

from bot.answers.curated import Approver, CitationChecks, Curating
from bot.model.notices import NoticeKind
from rag_core.curated.kept import CuratedAnswer, CuratedState, Owner
from rag_core.documents import Passage
from rag_core.errors import Rejected
from tests.fakes.curated import NOON, curated
from tests.fakes.documents import make_write, passages_of
from tests.fakes.shelf import FakeNotices, FakePassages, FakeShelf

PASSAGE = passages_of(make_write())[0]
DESK = Approver("Legal desk", "p1:desk", "U7")
OWNER = Owner("slack", "T1", "C9")
DRAFT = replace(curated(cites=[PASSAGE], state=CuratedState.DRAFT), owner=OWNER)


class Desk:
    def __init__(self) -> None:
        self.today = NOON
        self.shelf, self.stored, self.queue = FakeShelf(), FakePassages(), FakeNotices()
        self.stored.found = {PASSAGE.chunk.chunk_id: PASSAGE}
        ids = iter(range(1000))
        self.curating = Curating(self.shelf, self.stored, now=lambda: self.today, new_id=lambda: f"id{next(ids)}")
        self.checks = CitationChecks(self.shelf, self.curating, self.stored, self.queue, lambda: self.today.date())

    async def approved(self) -> CuratedAnswer:
        await self.curating.put(DRAFT, "account")
        return await self.curating.approve(DRAFT.key, DESK)

    def supersede(self, day: date) -> None:
        version = replace(PASSAGE.version, effective_to=day)
        self.stored.found = {PASSAGE.chunk.chunk_id: Passage(PASSAGE.chunk, version)}
        self.stored.change += 1


async def test_the_same_put_twice_is_there_once_and_says_nothing_to_the_record() -> None:
    desk = Desk()
    first = await desk.curating.put(DRAFT, "account")
    assert await desk.curating.put(DRAFT, "account") == first
    assert len(desk.shelf.entries) == 1
    changed = await desk.curating.put(replace(DRAFT, wordings=("Are alcohol ads allowed in the UK?",)), "account")
    assert (changed.curated_id, changed.revision, changed.state) == (first.curated_id, 2, CuratedState.DRAFT)


async def test_a_changed_answer_has_to_be_approved_anew() -> None:
    desk = Desk()
    await desk.approved()
    changed = await desk.curating.put(replace(DRAFT, wordings=("Are alcohol ads allowed in the UK?",)), "account")
    assert (changed.state, changed.approval) == (CuratedState.DRAFT, None)


async def test_approving_says_who_and_when_and_is_on_record() -> None:
    desk = Desk()
    answer = await desk.approved()
    assert answer.approval is not None
    assert (answer.approval.by, answer.approval.person, answer.approval.at) == ("Legal desk", "p1:desk", NOON)
    entry = desk.shelf.entries[-1]
    assert (entry.facts["act"], entry.facts["revision"], entry.personal["person"]) == ("curated_approved", 2, "U7")


async def test_what_cites_nothing_that_stands_is_not_approved() -> None:
    desk = Desk()
    await desk.curating.put(DRAFT, "account")
    desk.stored.found = {}
    with pytest.raises(Rejected) as refused:
        await desk.curating.approve(DRAFT.key, DESK)
    assert (refused.value.code, refused.value.details["citations"]) == ("curated_not_approvable", {"1": "missing"})
    await desk.curating.put(replace(DRAFT, key="bare", citations=()), "account")
    with pytest.raises(Rejected, match="curated_not_approvable"):
        await desk.curating.approve("bare", DESK)
    with pytest.raises(Rejected, match="curated_unknown"):
        await desk.curating.approve("nobody's", DESK)


async def test_a_superseded_rule_suspends_it_and_tells_its_owner_once() -> None:
    desk = Desk()
    answer = await desk.approved()
    assert await desk.checks.once() == 0
    desk.supersede(NOON.date())
    assert await desk.checks.once() == 1
    assert await desk.checks.once() == 0
    kept = await desk.shelf.find(answer.key)
    assert kept is not None
    assert (kept.state, kept.suspended_because) == (CuratedState.SUSPENDED, {"1": "superseded"})
    notice = list(desk.queue.queued.values())
    assert [(each.kind, each.channel, each.content) for each in notice] == [
        (NoticeKind.CURATED_SUSPENDED, "C9", {"curated_id": kept.curated_id})
    ]
    # a new approval needs its citations renewed
    with pytest.raises(Rejected, match="curated_not_approvable"):
        await desk.curating.approve(answer.key, DESK)


async def test_a_version_that_holds_from_a_later_day_suspends_it_on_that_day() -> None:
    desk = Desk()
    await desk.approved()
    desk.supersede(NOON.date() + timedelta(days=2))
    assert await desk.checks.once() == 0
    desk.today = NOON + timedelta(days=1)
    assert await desk.checks.once() == 0
    desk.today = NOON + timedelta(days=2)
    assert await desk.checks.once() == 1


async def test_nothing_is_looked_at_again_while_nothing_changed() -> None:
    desk = Desk()
    await desk.approved()
    await desk.checks.once()
    desk.stored.found = {}  # cannot happen without a change on record
    assert await desk.checks.once() == 0
    desk.stored.change += 1
    assert await desk.checks.once() == 1


async def test_an_owner_is_told_even_if_the_process_ended_in_between() -> None:
    desk = Desk()
    answer = await desk.approved()
    desk.supersede(NOON.date())
    assert await desk.curating.suspend_if_fallen(answer) is not None  # as when somebody asked
    assert desk.queue.queued == {}
    await desk.checks.once()
    assert len(desk.queue.queued) == 1


async def test_who_suspends_it_by_hand_is_not_told() -> None:
    desk = Desk()
    answer = await desk.approved()
    assert (await desk.curating.suspend(answer.key, "account")).state is CuratedState.SUSPENDED
    await desk.checks.once()
    assert desk.queue.queued == {}
    assert (await desk.curating.approve(answer.key, DESK)).suspended_because == {}


async def test_a_retired_one_stays_retired() -> None:
    desk = Desk()
    answer = await desk.approved()
    await desk.curating.retire(answer.key, "account")
    with pytest.raises(Rejected, match="curated_retired"):
        await desk.curating.approve(answer.key, DESK)
    desk.supersede(NOON.date())
    assert await desk.checks.once() == 0
