"""Retention: what is old goes in small steps, what is young stays, and it is on record."""

import json
import uuid
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.audit.answers import SqlGivenAnswers
from adapters.sql.audit.log import SqlAuditLog
from adapters.sql.audit.reading import SqlAuditReading
from adapters.sql.database.lease import SqlLeaderLease
from adapters.sql.database.wiping import empty_log
from adapters.sql.people.api_tokens import SqlApiTokens, SqlPageSessions
from adapters.sql.people.feedback import SqlFeedback
from adapters.sql.people.retention import SqlRetention
from bot.access.tokens import ApiToken, PageSession
from bot.answers.feedback import GivingFeedback, Rating, Said
from bot.audit.entries import AuditEntry, administration
from bot.audit.trust import Trusted
from bot.audit.verification import forgotten_findings
from bot.model.messages import Conversation
from bot.ports import InboxState
from ops.audit.verifying import check_chain
from ops.privacy.retention import Retention
from rag_core.errors import Unavailable
from tests.fakes.clock import FakeClock
from tests.fakes.keepers import local_keepers
from tests.fakes.privacy import OTHER, PERSON, THREAD, Town, dump_of, open_town
from tests.fakes.questions import NOON, make_question

DAYS = {"conversations": 90, "inbox": 7, "record": 1000, "answers": 400}


@pytest.fixture
async def town(engine: AsyncEngine, tmp_path: Path) -> AsyncIterator[Town]:
    async with local_keepers() as keepers, open_town(engine, keepers, tmp_path) as opened:
        yield opened


class InterruptedRetention(SqlRetention):
    """Stops answering after some batches."""

    def __init__(self, engine: AsyncEngine, answers: int) -> None:
        super().__init__(engine, batch=1)
        self._answers = answers

    async def remove(self, kind: str, before: datetime, act: AuditEntry) -> int:
        self._answers -= 1
        if self._answers < 0:
            raise Unavailable("store_down")
        return await super().remove(kind, before, act)


def retention(town: Town, stored: SqlRetention | None = None, **days: int) -> Retention:
    engine = town.engine
    kept = stored or SqlRetention(engine, batch=2)
    return Retention(kept, DAYS | days, SqlAuditLog(engine), SqlLeaderLease(engine), engine, town.clock)


async def asked_long_ago(town: Town, count: int = 3) -> None:
    """Old questions, each in a thread and in the inbox; then young ones."""
    for number in range(count):
        await town.ask(PERSON, f"absinthe {number}", f"old{number}", _thread(number))
        await town.inbox.accept(make_question(number, actor=PERSON, text="moonshine", conversation=_thread(number)))
        lease = await town.inbox.take("worker", 60.0)
        assert lease is not None
        assert await town.inbox.finish(lease, InboxState.SENT)


def _thread(number: int) -> Conversation:
    return replace(THREAD, thread=f"{number}")


def an_act() -> AuditEntry:
    return administration(str(uuid.uuid4()), "retention", NOON)


async def acts(town: Town) -> list[dict[str, object]]:
    rows = await town.rows("SELECT canonical FROM audit_records WHERE kind = 'administration' ORDER BY sequence")
    return [json.loads(bytes(row[0]))["facts"] for row in rows]


async def counts(town: Town) -> dict[str, int]:
    tables = ("conversations", "messages", "answers", "inbox")
    found = {name: (await town.rows(f"SELECT count(*) FROM {name}"))[0][0] for name in tables}  # noqa: S608 - ours
    told = await town.rows("SELECT count(*) FROM audit_personal WHERE person = 'U0FORGETME' OR person = 'U0STAYS'")
    return found | {"audit_personal": told[0][0]}


async def test_old_goes_and_young_stays(town: Town) -> None:
    await asked_long_ago(town)
    town.clock.move(days=89)
    await town.ask(OTHER, "wine", "young", THREAD)
    town.clock.move(days=2)
    assert await retention(town, inbox=0).due() == {"conversations": 3, "record": 0, "answers": 0}
    removed = await retention(town, inbox=0).sweep()
    assert removed == {"conversations": 3, "record": 0, "answers": 0}
    assert await counts(town) == {"conversations": 1, "messages": 1, "answers": 4, "inbox": 3, "audit_personal": 8}


async def test_each_kind_has_a_time_of_its_own(town: Town) -> None:
    await asked_long_ago(town)
    town.clock.move(days=401)
    assert await retention(town, conversations=0, inbox=0).sweep() == {"record": 0, "answers": 3}
    town.clock.move(days=600)
    assert await retention(town, conversations=0, inbox=0).sweep() == {"record": 6, "answers": 0}
    assert await counts(town) == {"conversations": 3, "messages": 3, "answers": 0, "inbox": 3, "audit_personal": 0}
    found = await check_chain(SqlAuditReading(town.engine), "T1", Trusted(), columns=True)
    assert (found.records, found.forgotten, found.findings) == (6, 6, ())
    for chain, each in (await SqlAuditReading(town.engine).forgotten()).items():
        assert list(forgotten_findings(chain, *each)) == []


async def test_a_conversation_that_goes_on_is_kept_whole(town: Town) -> None:
    await town.ask(PERSON, "absinthe", "first")
    town.clock.move(days=60)
    await town.ask(OTHER, "wine", "second")
    town.clock.move(days=60)
    assert await retention(town).sweep() == {"conversations": 0, "inbox": 0, "record": 0, "answers": 0}
    assert (await counts(town))["messages"] == 2


async def test_nothing_due_is_not_on_record_and_the_rest_is_before_it_goes(town: Town) -> None:
    assert set((await retention(town).sweep() or {"": 1}).values()) == {0}
    assert await acts(town) == []
    await asked_long_ago(town)
    town.clock.move(days=100)
    interrupted = InterruptedRetention(town.engine, 1)
    with pytest.raises(Unavailable, match="store_down"):
        await retention(town, interrupted, inbox=0).sweep()
    [act] = await acts(town)
    assert act["act"] == "retention"
    assert act["due"] == {"conversations": 3, "record": 0, "answers": 0}
    assert (await counts(town))["conversations"] == 2
    assert await retention(town, inbox=0).sweep() == {"conversations": 2, "record": 0, "answers": 0}
    assert (await counts(town))["conversations"] == 0


async def test_no_transaction_removes_more_than_a_batch(town: Town) -> None:
    await asked_long_ago(town, 5)
    stored = SqlRetention(town.engine, batch=2)
    later = town.clock() + timedelta(days=1)
    for kind, expected in (("conversations", [2, 2, 1, 0]), ("answers", [2, 2, 1, 0]), ("record", [10, 0])):
        assert [await stored.remove(kind, later, an_act()) for _ in expected] == expected


async def test_one_process_at_a_time(town: Town) -> None:
    await asked_long_ago(town)
    town.clock.move(days=100)
    async with SqlLeaderLease(town.engine).hold("retention", 0.0) as is_ours:
        assert is_ours
        assert await retention(town, inbox=0).sweep() is None
    assert (await retention(town, inbox=0).sweep() or {})["conversations"] == 3


async def test_ended_questions_are_known_for_a_while_and_say_nothing(town: Town, tmp_path: Path) -> None:
    await asked_long_ago(town)
    rows = await town.rows("SELECT DISTINCT text, CAST(actor AS TEXT), CAST(conversation AS TEXT) FROM inbox")
    assert [tuple(row) for row in rows] == [("", "{}", "{}")]
    await empty_log(town.engine)
    assert b"moonshine" not in await dump_of(town.engine, tmp_path)
    later = FakeClock()
    later.move(days=30_000)
    assert await SqlRetention(town.engine).due("inbox", later()) == 3
    assert await SqlRetention(town.engine).remove("inbox", later(), an_act()) == 3


@pytest.mark.parametrize(("revoked", "left"), [(None, ["t1"]), (NOON, [])])
async def test_a_token_goes_its_days_after_it_ended_with_who_signed_in(
    town: Town, revoked: datetime | None, left: list[str]
) -> None:
    tokens, sessions = SqlApiTokens(town.engine), SqlPageSessions(town.engine)
    until = NOON + timedelta(days=30)
    await tokens.create(ApiToken("t1", "one", frozenset(), frozenset(), NOON, until), "h1", an_act())
    await sessions.open("s1", PageSession("t1", NOON, until))
    if revoked is not None:
        await tokens.revoke("t1", revoked, an_act())
    stored = SqlRetention(town.engine)
    assert await stored.remove("tokens", NOON, an_act()) == 0
    assert await stored.remove("tokens", until, an_act()) == 1 - len(left)
    assert [each.token_id for each in await tokens.all()] == left
    await stored.remove("tokens", until + timedelta(seconds=1), an_act())
    assert (await tokens.all(), await town.rows("SELECT hash FROM page_sessions")) == ([], [])


async def test_what_people_said_goes_by_its_days_or_with_the_answer(town: Town) -> None:
    given = SqlGivenAnswers(town.engine)
    giving = GivingFeedback(
        given, SqlFeedback(town.engine), now=town.clock, new_id=lambda: "one", known_as=town.pseudonyms.of
    )
    for answer_id in ("a1", "a2"):
        await town.ask(PERSON, "absinthe", answer_id)
        assert await giving.give(PERSON, Said(answer_id, Rating.USEFUL), "slack") is not None
        town.clock.move(days=10)
    assert await retention(town, conversations=0, inbox=0, record=0, answers=15, feedback=0).sweep() == {"answers": 1}
    assert await town.rows("SELECT answer_id FROM feedback") == [("a2",)]
    assert await retention(town, conversations=0, inbox=0, record=0, answers=0, feedback=5).sweep() == {"feedback": 1}
    assert await town.rows("SELECT answer_id FROM answers") == [("a2",)]


async def test_what_was_removed_is_gone_from_the_file(town: Town, tmp_path: Path) -> None:
    await asked_long_ago(town)
    assert b"absinthe" in await dump_of(town.engine, tmp_path)
    town.clock.move(days=2_000)
    await retention(town, inbox=0).sweep()
    assert b"absinthe" not in await dump_of(town.engine, tmp_path)
    assert b"moonshine" not in await dump_of(town.engine, tmp_path)
