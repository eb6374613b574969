"""Forgetting a person: everywhere, once, and again after being killed or refused half way."""

import asyncio
import json
import os
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.audit.reading import SqlAuditReading
from adapters.sql.database.engine import open_engine
from bot.audit.entries import INSTALLATION
from bot.audit.trust import Trusted
from bot.audit.verification import forgotten_findings
from bot.model.messages import Actor, Conversation
from bot.ports import InboxState
from ops.audit.verifying import check_chain
from rag_core.errors import Unavailable
from tests.fakes.databases import KINDS, migrated_database
from tests.fakes.keepers import KINDS as KEEPER_KINDS
from tests.fakes.keepers import MAKERS, Keepers, local_keepers
from tests.fakes.privacy import (
    OTHER,
    PERSON,
    THREAD,
    WORDS,
    DownMemory,
    Town,
    dump_of,
    open_town,
    redis_dump,
)
from tests.fakes.program import run

ROOT = Path(__file__).resolve().parents[2]
TRACES = (PERSON.person.encode(), *(word.encode() for word in WORDS))


@pytest.fixture(params=KEEPER_KINDS)
async def keepers(request: pytest.FixtureRequest) -> AsyncIterator[Keepers]:
    async with MAKERS[request.param]() as made:
        yield made


@pytest.fixture
async def town(engine: AsyncEngine, keepers: Keepers, tmp_path: Path) -> AsyncIterator[Town]:
    async with open_town(engine, keepers, tmp_path) as opened:
        yield opened


def found_in(dump: bytes) -> list[bytes]:
    return [trace for trace in TRACES if trace in dump]


async def acts(town: Town) -> list[dict[str, object]]:
    rows = await town.rows("SELECT canonical FROM audit_records WHERE kind = 'administration' ORDER BY sequence")
    return [body["facts"] | {"target": body["subject"]} for body in (json.loads(bytes(row[0])) for row in rows)]


async def is_whole(engine: AsyncEngine) -> bool:
    """Nothing was changed, and nothing is empty that was not forgotten."""
    found = await SqlAuditReading(engine).forgotten()
    if [finding for chain, each in found.items() for finding in forgotten_findings(chain, *each)]:
        return False
    chains = [
        await check_chain(SqlAuditReading(engine), name, Trusted(), columns=True) for name in ("T1", INSTALLATION)
    ]
    return all(each.records and not each.findings for each in chains)


async def test_of_a_forgotten_person_no_byte_is_left_and_the_record_verifies(town: Town, tmp_path: Path) -> None:
    await town.live()
    assert found_in(await dump_of(town.engine, tmp_path)) == list(TRACES)
    counts = await town.forgetting().counts()
    assert counts == {
        "inbox": 1,
        "answers": 2,
        "curated answers": 0,
        "escalations": 0,
        "persons_answers": 0,
        "feedback": 1,
        "posted": 1,
        "conversations": 2,
        "record": 5,
        "removals": 0,
        "corrected rules": 0,
        "notices": 0,
        "known conversations": 0,
        "spool": 3,
    }

    removed = await town.forgetting().run()

    assert removed == {**counts, "answers to others": 1}
    assert found_in(await dump_of(town.engine, tmp_path)) == []
    assert await town.spooled() == ["o3", "o4:failed:too_slow", "o5"]
    if hasattr(town.keepers, "raw"):
        left = await redis_dump(town.keepers)
        assert b"limit:" in left
        assert found_in(left) == []
    assert set((await town.forgetting().counts()).values()) == {0}
    assert await is_whole(town.engine)
    others, act = await acts(town)
    assert {(each["act"], each["target"]) for each in (others, act)} == {("forget", town.pseudonyms.of(PERSON))}
    assert others["removed"] == {"answers to others": 1}
    assert act["removed"] == {kind: count for kind, count in removed.items() if count}


async def test_the_others_keep_what_is_theirs(town: Town) -> None:
    await town.live()
    await town.forgetting().run()
    assert [row[0] for row in await town.rows("SELECT answer_id FROM answers ORDER BY answer_id")] == ["o1", "o3"]
    turns = await town.rows("SELECT answer_id, asked, understood FROM messages ORDER BY at")
    assert [tuple(turn) for turn in turns] == [
        ("o1", "beer in Spain?", "beer in Spain?"),
        ("o3", "are casinos fine in Italy", "beer in Spain? (are casinos fine in Italy)"),
        ("o2", "and in France?", "and in France?"),
    ]
    assert await town.rows("SELECT text FROM inbox WHERE finished_at IS NULL") == [("wine ads",)]
    stayed = await town.rows("SELECT count(*) FROM audit_personal WHERE person = 'U0STAYS'")
    # three questions and their replies, but for the reply that had the person's words; and what was said of one
    assert stayed == [(6,)]
    assert await town.rows("SELECT comment FROM feedback") == [("just what I asked",)]
    assert await town.rows("SELECT subject_id FROM posted_messages") == [("o1",)]
    # the thread goes on, from the durable memory, with what is left
    await town.ask(OTHER, "and beer there?", "o6")
    assert [turn.answer_id for turn in await town.fast.recall(THREAD)] == ["o1", "o3", "o2", "o6"]


async def test_what_others_knew_of_a_thread_is_condensed_anew(town: Town) -> None:
    await town.ask(PERSON, "absinthe for students", "p1")
    await town.ask(OTHER, "alcohol in Italy", "o1", THREAD)
    before = "SELECT scope FROM messages WHERE answer_id = 'o1'"
    scope = (await town.rows(before))[0][0]
    assert "alcohol" in json.dumps(scope)
    await town.forgetting().run()
    left = (await town.rows(before))[0][0]
    told = (json.loads(left) if isinstance(left, str) else left)["before"]
    assert told == {"topics": [], "regions": [], "policy_sources": [], "document_ids": []}


async def test_forgetting_again_changes_nothing_but_says_so_on_record(town: Town) -> None:
    await town.live()
    await town.forgetting().run()
    dump = len(await town.rows("SELECT 1 FROM audit_records"))
    assert set((await town.forgetting().run()).values()) == {0}
    assert len(await town.rows("SELECT 1 FROM audit_records")) == dump + 1
    assert await is_whole(town.engine)


async def test_a_person_of_the_api_is_forgotten_on_the_pages_as_well(town: Town, tmp_path: Path) -> None:
    for platform, answer_id in (("rest", "r1"), ("web", "w1")):
        actor = Actor(platform, "local", PERSON.person)
        where = Conversation(platform, "local", PERSON.person, "c-1")
        await town.ask(actor, "absinthe", answer_id, where)
    await town.forgetting(Actor("rest", "local", PERSON.person)).run()
    assert found_in(await dump_of(town.engine, tmp_path)) == []


async def test_where_the_key_of_pseudonyms_was_lost_the_record_tells_whose_it_was(town: Town, tmp_path: Path) -> None:
    await town.live()
    town.pseudonyms = type(town.pseudonyms)(b"another key" * 3)
    for kind, key in (("answer", "p5"),):  # nothing but the lost pseudonym tells whose that is
        await town.spool.remove(kind, key)
    await town.forgetting().run()
    assert found_in(await dump_of(town.engine, tmp_path)) == []


async def test_with_redis_down_nothing_is_begun(town: Town) -> None:
    await town.live()
    with pytest.raises(Unavailable, match="redis_down"):
        await town.forgetting(memory=DownMemory()).run()
    assert await town.rows("SELECT count(*) FROM forgettings") == [(0,)]
    assert (await town.forgetting().counts())["answers"] == 2


async def test_with_redis_lost_half_way_it_is_not_finished_and_the_next_call_goes_on(
    town: Town, tmp_path: Path
) -> None:
    await town.live()
    with pytest.raises(Unavailable, match="redis_down"):
        await town.forgetting(memory=DownMemory(answers=1)).run()
    assert await town.rows("SELECT count(*) FROM forgettings WHERE finished_at IS NULL") == [(1,)]
    assert [act["removed"] for act in await acts(town)] == [{"answers to others": 1}]
    await town.forgetting().run()
    assert await town.rows("SELECT count(*), count(finished_at) FROM forgettings") == [(1, 1)]
    assert found_in(await dump_of(town.engine, tmp_path)) == []
    assert len(await acts(town)) == 2
    assert await is_whole(town.engine)


async def test_a_question_that_is_being_answered_is_waited_for(town: Town, tmp_path: Path) -> None:
    await town.wait_in_inbox()
    lease = await town.inbox.take("worker", 60.0)
    assert lease is not None
    assert lease.question.actor == PERSON

    async def answer() -> None:
        await asyncio.sleep(0.5)
        await town.ask(PERSON, lease.question.text, lease.question.question_id)
        assert await town.inbox.finish(lease, InboxState.SENT)

    removed, _ = await asyncio.gather(town.forgetting().run(), answer())
    assert (removed["inbox"], removed["answers"]) == (0, 1)
    assert found_in(await dump_of(town.engine, tmp_path)) == []


async def test_who_holds_a_question_for_too_long_does_not_get_to_send_it(town: Town) -> None:
    await town.wait_in_inbox()
    lease = await town.inbox.take("worker", 60.0)
    assert lease is not None
    assert (await town.forgetting(wait=0.3).run())["inbox"] == 1
    assert not await town.inbox.hold(lease, 60.0, sending=True)
    again = replace(lease.question, question_id="again")
    assert not await town.inbox.accept(again)


@pytest.fixture(params=KINDS)
async def address(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[str]:
    async with migrated_database(tmp_path, request.param) as given:
        yield given


STEPS = ("begin", "drop_questions", "rows", "record", "finish")


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("step", STEPS)
async def test_killed_at_any_step_the_next_call_finishes(address: str, tmp_path: Path, step: str, when: str) -> None:
    program = ("tests.fakes.forgetting_process", address, str(tmp_path), step, when)
    killed = await asyncio.to_thread(run, *program, env=os.environ, cwd=ROOT)
    assert killed.returncode == -9, killed.stderr
    engine = open_engine(address)
    async with local_keepers() as keepers, open_town(engine, keepers, tmp_path) as town:
        await town.forgetting().run()
        assert found_in(await dump_of(engine, tmp_path)) == []
        assert {act["act"] for act in await acts(town)} == {"forget"}
        assert await town.rows("SELECT count(*) FROM forgettings WHERE finished_at IS NULL") == [(0,)]
        assert await town.rows("SELECT count(*) FROM answers WHERE answer_id LIKE 'o%'") == [(2,)]
        assert await is_whole(engine)
    await engine.dispose()
