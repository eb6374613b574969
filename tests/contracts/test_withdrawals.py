"""Questions whose message was deleted or edited: withdrawn while they wait, and kept from coming late."""

from datetime import timedelta

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.chat.inbox import SqlInbox
from adapters.sql.database.vault import Vault
from bot.ports import InboxState
from bot.questions.spool import QUESTIONS
from tests.fakes.clock import FakeClock
from tests.fakes.inboxes import KEY, LEASE, of, stored, taken
from tests.fakes.outages import Process, World, again
from tests.fakes.questions import make_question
from tests.fakes.shared_services import FakeSpool


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def inbox(engine: AsyncEngine, clock: FakeClock) -> SqlInbox:
    return SqlInbox(engine, Vault([KEY]), clock)


async def test_one_that_waits_ends_and_leaves_nothing_of_what_was_asked(inbox: SqlInbox, engine: AsyncEngine) -> None:
    await inbox.accept(make_question())
    assert await inbox.withdraw("slack:T1:1")
    assert await inbox.take("w1", LEASE) is None
    assert await stored(engine, "state") == ["failed"]
    assert await stored(engine, "text") == [""]
    assert await stored(engine, "reply_address") == [None]
    assert not await inbox.accept(make_question(question_id="q1-again"))


async def test_the_edits_of_a_message_are_known_by_its_claim(inbox: SqlInbox) -> None:
    keys = ["teams:c:1", "teams:c:1:edit:a", "teams:c:1:edit:b", "teams:c:1:editor", "teams:c:11:edit:a", "teams:c:1:f"]
    for number, key in enumerate(keys, 1):
        await inbox.accept(make_question(number, claim_key=key))
    assert await inbox.edits_of("teams:c:1") == ("teams:c:1:edit:a", "teams:c:1:edit:b")
    assert await inbox.edits_of("teams:c:2") == ()


async def test_so_are_those_that_were_withdrawn_before_they_came(inbox: SqlInbox) -> None:
    """By which it is known that a message was changed again, or deleted, since."""
    keys = ("teams:c:1:edit:2026-03-02T09:01:00Z", "teams:c:1:edit:2026-03-02T09:02:00Z;deleted")
    for key in keys:
        await inbox.withdraw(key)
    assert await inbox.edits_of("teams:c:1") == keys


async def test_the_next_question_of_its_conversation_goes_on(inbox: SqlInbox) -> None:
    await inbox.accept(of("t1", 1))
    await inbox.accept(of("t1", 2, received_at=make_question().received_at + timedelta(seconds=1)))
    assert await inbox.withdraw("slack:T1:1")
    assert (await taken(inbox)).question.question_id == "q2"


async def test_one_that_is_worked_on_goes_on(inbox: SqlInbox) -> None:
    await inbox.accept(make_question())
    lease = await taken(inbox)
    assert not await inbox.withdraw("slack:T1:1")
    assert await inbox.hold(lease, LEASE, sending=True)
    assert await inbox.finish(lease, InboxState.SENT)


async def test_one_that_may_be_answered_already_is_looked_at_first(inbox: SqlInbox) -> None:
    await inbox.accept(make_question())
    lease = await taken(inbox)
    assert await inbox.hold(lease, LEASE, sending=True)
    assert await inbox.finish(lease, InboxState.ACCEPTED)
    assert not await inbox.withdraw("slack:T1:1")
    assert (await taken(inbox)).was_sending


async def test_one_that_has_ended_stays_as_it_ended(inbox: SqlInbox, engine: AsyncEngine) -> None:
    await inbox.accept(make_question())
    await inbox.finish(await taken(inbox), InboxState.SENT)
    assert not await inbox.withdraw("slack:T1:1")
    assert await stored(engine, "state") == ["sent"]


async def test_what_is_withdrawn_before_it_comes_is_not_accepted(inbox: SqlInbox, engine: AsyncEngine) -> None:
    assert not await inbox.withdraw("slack:T1:1")
    assert not await inbox.withdraw("slack:T1:1")
    assert not await inbox.accept(make_question())
    assert await inbox.take("w1", LEASE) is None
    assert await stored(engine, "state") == ["failed"]
    assert await inbox.accept(make_question(2))
    assert await inbox.backlog() == (1, make_question().received_at)


@pytest.fixture
def process(engine: AsyncEngine) -> Process:
    return World(engine).process()


async def test_while_the_database_answers_it_decides(process: Process) -> None:
    await process.inbox.accept(make_question())
    assert await process.inbox.withdraw("slack:T1:1")
    assert await process.takes_nothing()


async def test_with_the_database_down_one_that_waits_here_ends_here_and_there(process: Process) -> None:
    process.sql.down = True
    await process.inbox.accept(make_question())
    assert await process.inbox.withdraw("slack:T1:1")
    assert await process.takes_nothing()
    await process.comes_back()
    assert await process.world.state() == "failed"
    assert isinstance(process.spool, FakeSpool)
    assert [key for kind, key in process.spool.kept if kind == QUESTIONS] == []


async def test_with_the_database_down_what_comes_late_is_not_accepted(process: Process) -> None:
    process.sql.down = True
    assert not await process.inbox.withdraw("slack:T1:1")
    assert not await process.inbox.accept(again())
    await process.comes_back()
    assert not await process.inbox.accept(again())


async def test_one_that_is_worked_on_here_goes_on(process: Process) -> None:
    process.sql.down = True
    await process.inbox.accept(make_question())
    lease = await process.take()
    assert not await process.inbox.withdraw("slack:T1:1")
    await process.send(lease)


async def test_edits_are_known_with_the_database_down(process: Process) -> None:
    await process.inbox.accept(make_question(1, claim_key="teams:c:1:edit:a"))
    process.sql.down = True
    await process.inbox.accept(make_question(2, claim_key="teams:c:1:edit:b"))
    assert await process.inbox.edits_of("teams:c:1") == ("teams:c:1:edit:b",)
