"""Inbox: every question is accepted once, worked on by one at a time, and ends once."""

import asyncio
import json
import sys
from datetime import UTC, date, datetime, timedelta

import pytest
from sqlalchemy import select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.inbox import SqlInbox
from adapters.sql.tables import inbox as inbox_table
from adapters.sql.vault import Vault, new_key
from bot.messages import Actor, Conversation, InboundQuestion, ReplyAddress
from bot.ports import InboxState, Lease
from rag_core.errors import Misconfigured, Rejected
from rag_core.questions import Filters, Turn
from tests.fakes.databases import SCRIPTS
from tests.fakes.questions import NOON, make_question

LEASE = 60.0
KEY = new_key()
ENDS = (InboxState.SENT, InboxState.FAILED)


def at(seconds: float) -> datetime:
    return NOON + timedelta(seconds=seconds)


@pytest.fixture
def inbox(engine: AsyncEngine) -> SqlInbox:
    return SqlInbox(engine, Vault([KEY]))


async def taken(inbox: SqlInbox, worker: str = "w1", seconds: float = 0) -> Lease:
    lease = await inbox.take(worker, at(seconds), LEASE)
    assert lease is not None
    return lease


async def stored(engine: AsyncEngine, column: str) -> list[object]:
    statement = select(inbox_table.c[column]).order_by(inbox_table.c.question_id)
    async with engine.connect() as connection:
        return list((await connection.execute(statement)).scalars())


async def test_a_question_comes_back_as_it_was_accepted(inbox: SqlInbox) -> None:
    question = InboundQuestion(
        question_id="q1",
        claim_key="teams:19:abc@thread.tacv2:1",
        actor=Actor("teams", "tenant", "29:person"),
        conversation=Conversation("teams", "tenant", "19:abc@thread.tacv2"),
        text="Darf ich für Bier 🍺 werben?",
        reply_address=ReplyAddress("teams", {"service_url": "https://smba.example/", "id": "19:abc"}),
        received_at=NOON,
        filters=Filters(("google",), ("uk", "de"), ("video",), ("Alcohol",), {"stage": ("final", "draft")}),
        as_of=date(2026, 3, 1),
        history=(Turn("user", "hello"), Turn("assistant", "hi")),
    )
    assert await inbox.accept(question)
    assert await inbox.take("w1", at(1), LEASE) == Lease(question, "w1", attempt=1, was_sending=False)


async def test_a_claim_is_accepted_once_for_ever(inbox: SqlInbox) -> None:
    assert await inbox.accept(make_question())
    assert not await inbox.accept(make_question(question_id="q1-again"))
    lease = await taken(inbox)
    assert not await inbox.accept(make_question(question_id="q1-again"))
    assert await inbox.finish(lease, InboxState.SENT, at(1))
    assert not await inbox.accept(make_question(question_id="q1-again"))
    assert await inbox.take("w1", at(1000), LEASE) is None


async def test_of_a_thousand_deliveries_of_a_hundred_questions_a_hundred_are_accepted(inbox: SqlInbox) -> None:
    deliveries = [make_question(n, question_id=f"q{n}-{copy}") for copy in range(10) for n in range(100)]
    accepted = await asyncio.gather(*(inbox.accept(each) for each in deliveries))
    assert sum(accepted) == 100
    claims = {question.claim_key for question, new in zip(deliveries, accepted, strict=True) if new}
    assert len(claims) == 100


async def test_two_questions_with_one_id_are_a_mistake(inbox: SqlInbox) -> None:
    assert await inbox.accept(make_question())
    with pytest.raises(Rejected, match="constraint_broken"):
        await inbox.accept(make_question(claim_key="slack:T1:other"))


async def test_the_oldest_is_taken_first(inbox: SqlInbox) -> None:
    for number, seconds in ((1, 5), (2, 3), (3, 4)):
        await inbox.accept(make_question(number, received_at=at(seconds)))
    order = [(await taken(inbox, seconds=10)).question.question_id for _ in range(3)]
    assert order == ["q2", "q3", "q1"]
    assert await inbox.take("w1", at(10), LEASE) is None


async def test_many_workers_never_hold_one_question_together(inbox: SqlInbox) -> None:
    for number in range(40):
        await inbox.accept(make_question(number))
    leases = await asyncio.gather(*(inbox.take(f"w{n}", at(1), LEASE) for n in range(50)))
    held = [lease.question.question_id for lease in leases if lease is not None]
    assert len(held) == len(set(held)) == 40


async def test_a_lease_that_ran_out_is_taken_over_and_its_holder_loses(inbox: SqlInbox) -> None:
    await inbox.accept(make_question())
    first = await taken(inbox, "w1")
    assert await inbox.take("w2", at(LEASE - 1), LEASE) is None
    second = await taken(inbox, "w2", LEASE)
    assert (second.attempt, second.was_sending, second.question) == (2, False, first.question)
    assert not await inbox.sending(first, at(LEASE), LEASE)
    for state in (InboxState.ACCEPTED, *ENDS):
        assert not await inbox.finish(first, state, at(LEASE))
    assert await inbox.sending(second, at(LEASE), LEASE)
    assert await inbox.finish(second, InboxState.SENT, at(LEASE))


async def test_a_worker_that_takes_its_own_question_again_holds_it_once(inbox: SqlInbox) -> None:
    await inbox.accept(make_question())
    first, second = await taken(inbox, "w1"), await taken(inbox, "w1", LEASE)
    assert not await inbox.finish(first, InboxState.FAILED, at(LEASE))
    assert await inbox.finish(second, InboxState.SENT, at(LEASE))


async def test_a_late_holder_goes_on_if_nobody_else_took_over(inbox: SqlInbox) -> None:
    await inbox.accept(make_question())
    lease = await taken(inbox)
    assert await inbox.sending(lease, at(2 * LEASE), LEASE)
    assert await inbox.take("w2", at(2 * LEASE + 1), LEASE) is None
    assert await inbox.finish(lease, InboxState.SENT, at(4 * LEASE))


async def test_who_takes_over_is_told_that_sending_had_begun(inbox: SqlInbox) -> None:
    await inbox.accept(make_question())
    assert await inbox.sending(await taken(inbox), at(1), LEASE)
    assert (await taken(inbox, "w2", 1 + LEASE)).was_sending
    third = await taken(inbox, "w3", 1 + 2 * LEASE)
    assert (third.attempt, third.was_sending) == (3, True)


async def test_what_is_put_back_waits_behind_the_others(inbox: SqlInbox) -> None:
    await inbox.accept(make_question(1))
    await inbox.accept(make_question(2, received_at=at(1)))
    first = await taken(inbox, seconds=2)
    assert await inbox.sending(first, at(2), LEASE)
    assert await inbox.finish(first, InboxState.ACCEPTED, at(3))
    assert not await inbox.finish(first, InboxState.SENT, at(3))
    order = [await taken(inbox, seconds=4), await taken(inbox, seconds=4)]
    assert [lease.question.question_id for lease in order] == ["q2", "q1"]
    assert [(lease.attempt, lease.was_sending) for lease in order] == [(1, False), (2, True)]


@pytest.mark.parametrize("state", ENDS)
async def test_an_end_is_final_and_forgets_the_reply_address(
    engine: AsyncEngine, inbox: SqlInbox, state: InboxState
) -> None:
    await inbox.accept(make_question())
    lease = await taken(inbox)
    assert await inbox.finish(lease, state, at(1))
    assert await stored(engine, "state") == [state]
    assert await stored(engine, "reply_address") == [None]
    for again in (InboxState.ACCEPTED, *ENDS):
        assert not await inbox.finish(lease, again, at(2))
    assert not await inbox.sending(lease, at(2), LEASE)
    assert await inbox.take("w2", at(10 * LEASE), LEASE) is None


@pytest.mark.parametrize("state", [InboxState.RUNNING, InboxState.SENDING])
async def test_a_question_does_not_finish_as_unfinished(inbox: SqlInbox, state: InboxState) -> None:
    await inbox.accept(make_question())
    with pytest.raises(ValueError, match=state):
        await inbox.finish(await taken(inbox), state, at(1))


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
        await stranger.take("w2", at(1), LEASE)
    rotated = SqlInbox(engine, Vault([new_key(), KEY]))
    lease = await rotated.take("w1", at(1), LEASE)
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
    assert (await taken(inbox, seconds=5)).question.received_at == moment


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
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.fakes.inbox_process", address, KEY, worker, str(count)),
        cwd=SCRIPTS.parents[1],
        stdout=asyncio.subprocess.PIPE,
    )
    output, _ = await process.communicate()
    assert process.returncode == 0
    result: dict[str, list[str]] = json.loads(output)
    return result


async def test_a_renewed_lease_lasts_longer_and_stays_what_it_was(inbox: SqlInbox) -> None:
    await inbox.accept(make_question())
    lease = await taken(inbox, "w1")
    assert await inbox.renew(lease, at(LEASE - 1), LEASE)
    assert await inbox.take("w2", at(LEASE + 1), LEASE) is None
    second = await taken(inbox, "w2", 2 * LEASE)
    assert (second.attempt, second.was_sending) == (2, False)
    assert not await inbox.renew(lease, at(2 * LEASE), LEASE)


async def test_renewing_while_sending_does_not_hide_that_sending_had_begun(inbox: SqlInbox) -> None:
    await inbox.accept(make_question())
    lease = await taken(inbox, "w1")
    assert await inbox.sending(lease, at(1), LEASE)
    assert await inbox.renew(lease, at(2), LEASE)
    assert (await taken(inbox, "w2", 2 * LEASE)).was_sending
