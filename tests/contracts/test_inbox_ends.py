"""Inbox: how questions end, what the database keeps of them, and what other processes may do."""

import asyncio
import json
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.chat.inbox import SqlInbox
from adapters.sql.database.vault import Vault, new_key
from adapters.sql.tables.policies import inbox as inbox_table
from bot.model.messages import ReplyAddress
from bot.ports import HELD, InboxEntry, InboxState, Lease
from rag_core.errors import Misconfigured
from rag_core.questions import Turn
from tests.fakes.clock import FakeClock
from tests.fakes.databases import SCRIPTS, migrated_engine
from tests.fakes.inboxes import (
    ENDS,
    KEY,
    LEASE,
    id_taken,
    of,
    stored,
    taken,
)
from tests.fakes.program import run
from tests.fakes.questions import NOON, make_question


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def inbox(engine: AsyncEngine, clock: FakeClock) -> SqlInbox:
    return SqlInbox(engine, Vault([KEY]), clock)


@pytest.mark.parametrize("state", ENDS)
async def test_an_end_is_final_and_forgets_the_reply_address(
    engine: AsyncEngine, inbox: SqlInbox, clock: FakeClock, state: InboxState
) -> None:
    await inbox.accept(make_question())
    lease = await taken(inbox)
    assert await inbox.finish(lease, state)
    assert await stored(engine, "state") == [state]
    assert await stored(engine, "reply_address") == [None]
    for again in (InboxState.ACCEPTED, *ENDS):
        assert not await inbox.finish(lease, again)
    assert not await inbox.hold(lease, LEASE, sending=True)
    clock.move(seconds=10 * LEASE)
    assert await inbox.take("w2", LEASE) is None


@pytest.mark.parametrize("state", [InboxState.RUNNING, InboxState.SENDING])
async def test_a_question_does_not_finish_as_unfinished(inbox: SqlInbox, state: InboxState) -> None:
    await inbox.accept(make_question())
    with pytest.raises(ValueError, match=state):
        await inbox.finish(await taken(inbox), state)


async def test_the_reply_address_is_not_readable_in_the_database(engine: AsyncEngine, inbox: SqlInbox) -> None:
    await inbox.accept(make_question())
    async with engine.connect() as connection:
        row = (await connection.execute(select(inbox_table))).one()
    assert "hooks.example" not in repr(row)
    assert "slack-command" not in repr(row)


async def test_with_another_key_nothing_is_lost(engine: AsyncEngine, inbox: SqlInbox) -> None:
    await inbox.accept(make_question())
    stranger = SqlInbox(engine, Vault([new_key()]))
    with pytest.raises(Misconfigured, match="secret_key_wrong"):
        await stranger.take("w2", LEASE)
    rotated = SqlInbox(engine, Vault([new_key(), KEY]))
    lease = await rotated.take("w1", LEASE)
    assert lease is not None
    assert (lease.attempt, lease.question) == (1, make_question())


async def test_text_that_no_database_takes_is_accepted_all_the_same(inbox: SqlInbox) -> None:
    text = "alcohol\x00 in \ud83d UK"
    address = ReplyAddress("slack", {"note": text})
    assert await inbox.accept(make_question(text=text, reply_address=address, history=(Turn("user", text),)))
    question = (await taken(inbox)).question
    assert question.text == question.history[0].content == "alcohol\ufffd in \ufffd UK"


async def test_moments_are_kept_whatever_zone_they_came_in(inbox: SqlInbox) -> None:
    moment = datetime(2026, 6, 1, 12, 0, 0, 123456, tzinfo=UTC)
    await inbox.accept(make_question(received_at=moment.astimezone().astimezone(UTC)))
    assert (await taken(inbox)).question.received_at == moment


@pytest.mark.parametrize(
    "changes",
    [
        {"state": "lost"},
        {"state": "running"},
        {"state": "sent"},
        {"lease_until": NOON},
        {"finished_at": NOON},
        {"reply_address": None},
        {"claim_key": "slack:T1:2"},
        {"text": None},
        {"actor": None},
    ],
)
async def test_the_database_itself_refuses_a_state_that_cannot_be(
    engine: AsyncEngine, inbox: SqlInbox, changes: dict[str, object]
) -> None:
    await inbox.accept(make_question(1))
    await inbox.accept(make_question(2))
    async with engine.connect() as connection:
        change = update(inbox_table).where(inbox_table.c.question_id == "q1").values(changes)
        with pytest.raises(IntegrityError):
            await connection.execute(change)


async def test_processes_side_by_side_share_one_inbox(engine: AsyncEngine) -> None:
    address = engine.url.render_as_string(hide_password=False)
    results = await asyncio.gather(*(in_process(address, f"w{n}", 60) for n in range(3)))
    for outcome in ("accepted", "finished"):
        claims = [claim for result in results for claim in result[outcome]]
        assert sorted(claims) == sorted(make_question(n).claim_key for n in range(60))


async def in_process(address: str, worker: str, count: int) -> dict[str, list[str]]:
    program = ("tests.fakes.inbox_process", address, KEY, worker, str(count))
    process = await asyncio.to_thread(run, *program, env=os.environ, cwd=SCRIPTS.parents[1])
    assert process.returncode == 0, process.stderr
    result: dict[str, list[str]] = json.loads(process.stdout)
    return result


async def test_a_renewed_lease_lasts_longer_and_stays_what_it_was(inbox: SqlInbox, clock: FakeClock) -> None:
    await inbox.accept(make_question())
    lease = await taken(inbox, "w1")
    clock.move(seconds=LEASE - 1)
    assert await inbox.hold(lease, LEASE)
    clock.move(seconds=2)
    assert await inbox.take("w2", LEASE) is None
    clock.move(seconds=LEASE)
    second = await taken(inbox, "w2")
    assert (second.attempt, second.was_sending) == (2, False)
    assert not await inbox.hold(lease, LEASE)


async def test_renewing_while_sending_does_not_hide_that_sending_had_begun(inbox: SqlInbox, clock: FakeClock) -> None:
    await inbox.accept(make_question())
    lease = await taken(inbox, "w1")
    assert await inbox.hold(lease, LEASE, sending=True)
    assert await inbox.hold(lease, LEASE)
    clock.move(seconds=2 * LEASE)
    assert (await taken(inbox, "w2")).was_sending


async def test_what_waits_is_counted_and_the_oldest_is_known(inbox: SqlInbox, clock: FakeClock) -> None:
    assert await inbox.backlog() == (0, None)
    for number in (1, 2, 3):
        await inbox.accept(of(str(number), number))
        clock.move(seconds=1)
    first = await taken(inbox)
    assert await inbox.backlog() == (2, NOON + timedelta(seconds=1))
    assert await inbox.postpone(first, 60)
    assert await inbox.backlog() == (3, NOON)
    await inbox.finish(await taken(inbox), InboxState.SENT)
    await inbox.finish(await taken(inbox), InboxState.FAILED)
    assert await inbox.backlog() == (1, NOON)


@pytest.mark.parametrize("state", list(InboxState))
async def test_what_was_accepted_elsewhere_is_entered_in_its_state(
    engine: AsyncEngine, inbox: SqlInbox, clock: FakeClock, state: InboxState
) -> None:
    entry = InboxEntry(make_question(), state, attempt=2, postponed=1, worker="w1")
    assert await inbox.enter(entry, LEASE)
    assert await stored(engine, "state") == [state]
    assert not await inbox.accept(make_question(question_id="again"))
    lease = Lease(make_question(), "w1", attempt=2, was_sending=False, postponed=1)
    assert await inbox.finish(lease, InboxState.SENT) is (state in HELD)
    assert await inbox.enter(entry, LEASE) is False
    clock.move(seconds=2 * LEASE)
    after = await inbox.take("w2", LEASE)
    assert (after is not None) is (state is InboxState.ACCEPTED)
    if after:
        assert (after.question, after.attempt, after.postponed) == (make_question(), 3, 1)


async def test_what_was_sent_elsewhere_ends_the_delivery_that_is_here(inbox: SqlInbox) -> None:
    await inbox.accept(make_question(question_id="delivered-again"))
    lease = await taken(inbox)
    assert await inbox.enter(InboxEntry(make_question(), InboxState.SENT), LEASE)
    assert not await inbox.hold(lease, LEASE, sending=True)


@pytest.mark.parametrize("state", [InboxState.RUNNING, InboxState.SENDING])
async def test_what_is_worked_on_elsewhere_is_held_unless_somebody_here_has_it(
    inbox: SqlInbox, state: InboxState
) -> None:
    here, elsewhere = of("a", 1), of("b", 2)
    for question in (here, elsewhere):
        await inbox.accept(question)  # and the answer was lost, so it was kept a second time
    held_here = await taken(inbox)
    assert held_here.question == here
    assert not await inbox.enter(InboxEntry(here, state, attempt=1, worker="other"), LEASE)
    assert await inbox.enter(InboxEntry(elsewhere, state, attempt=1, worker="other"), LEASE)
    assert await id_taken(inbox) is None
    assert await inbox.hold(held_here, LEASE, sending=True)
    assert await inbox.finish(Lease(elsewhere, "other", 1, was_sending=False), InboxState.SENT)


@pytest.mark.services
@pytest.mark.parametrize("minutes", [-5, 5])
async def test_a_process_whose_clock_is_wrong_neither_steals_leases_nor_sleeps_on_them(
    minutes: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a database server, whose clock is everybody's."""
    async with migrated_engine(tmp_path, "postgresql") as engine:
        right, wrong = SqlInbox(engine, Vault([KEY])), SqlInbox(engine, Vault([KEY]))
        await right.accept(of("a", 1))
        first = await taken(right)
        monkeypatch.setattr(
            "adapters.sql.database.moments.utc_now", lambda: datetime.now(UTC) + timedelta(minutes=minutes)
        )
        assert await wrong.take("wrong", LEASE) is None
        await wrong.accept(of("b", 2))
        held = await taken(wrong, "wrong")
        monkeypatch.undo()
        assert await right.take("right", LEASE) is None
        assert await right.hold(first, 0.01)
        assert await right.postpone(held, 0.01) is True
        await asyncio.sleep(0.05)
        monkeypatch.setattr(
            "adapters.sql.database.moments.utc_now", lambda: datetime.now(UTC) + timedelta(minutes=minutes)
        )
        assert {await id_taken(wrong, "wrong"), await id_taken(wrong, "wrong")} == {"q1", "q2"}


async def test_put_back_quietly_it_is_taken_again_in_its_time_and_nobody_comes_behind_it(
    inbox: SqlInbox, clock: FakeClock
) -> None:
    for number in (1, 2):
        await inbox.accept(of("a", number))
    lease = await taken(inbox)
    assert await inbox.postpone(lease, 30, quietly=True)
    assert await inbox.take("w1", LEASE) is None  # neither that one nor the next of its conversation
    clock.move(seconds=30)
    again = await taken(inbox)
    assert (again.question.question_id, again.attempt, again.postponed, again.waits) == ("q1", 2, 0, 1)
    assert (again.tries, again.behind) == (1, False)
    assert not await inbox.postpone(lease, 30, quietly=True)


@pytest.mark.parametrize("unsent", [True, False])
async def test_what_the_platform_has_for_certain_not_need_not_be_looked_for(inbox: SqlInbox, unsent: bool) -> None:
    await inbox.accept(make_question())
    lease = await taken(inbox)
    await inbox.hold(lease, LEASE, sending=True)
    await inbox.postpone(lease, 0, quietly=True, unsent=unsent)
    assert (await taken(inbox)).was_sending is not unsent
