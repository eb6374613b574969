"""Asking in a conversation: what was said before, one at a time, within limits, and what is said of what is down."""

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import pytest
from blockbuster import blockbuster_ctx

from bot.model.memory import LONGEST_TEXT, MOST_CONDENSED, MOST_TURNS, RememberedTurn, entry_of, turn_from
from bot.model.messages import Conversation
from bot.questions.conversation import ORDER, Conversations
from rag_core.documents import ContentType
from rag_core.errors import Rejected, Unavailable
from rag_core.questions import Background, Turn
from tests.fakes.conversing import ACTOR, HERE, PSEUDONYMS, Made, asked
from tests.fakes.questions import NOON
from tests.fakes.replies import answer, citation, refusal, scope
from tests.fakes.service import until
from tests.fakes.shared_services import FakeLocks


@pytest.fixture(autouse=True)
def nothing_blocks() -> Iterator[None]:
    with blockbuster_ctx():
        yield


async def test_what_was_said_before_is_the_history_of_the_next_question() -> None:
    made = Made()
    await made.asking.ask(asked("alcohol in the UK"))
    await made.asking.ask(asked("and in France?"))
    await made.asking.ask(asked("and in Spain?"))
    assert [each.history for each in made.asker.requests[:2]] == [(), (Turn("user", "alcohol in the UK"),)]
    assert made.asker.requests[2].history[1] == Turn("user", "alcohol in the UK (and in France?)")


async def test_a_turn_holds_what_was_asked_and_what_came_of_it() -> None:
    made = Made()
    made.asker.reply = answer(scope=scope(content_types=(ContentType.VIDEO,), policy_sources=("sample",)))
    await made.asking.ask(asked("  alcohol in the UK "))
    [turn] = await made.fast.recall(HERE)
    assert [turn] == list(await made.durable.recall(HERE))
    assert (turn.answer_id, turn.person, turn.asked) == ("a1", PSEUDONYMS.of(ACTOR), "  alcohol in the UK ")
    assert turn.kind == "answer"
    assert (turn.at, turn.as_of, turn.regions) == (NOON, "2026-11-22", ("uk",))
    assert (turn.policy_sources, turn.content_types, turn.topics) == (("sample",), ("video",), ("alcohol",))
    assert [(each.chunk_id, each.document_id) for each in turn.citations] == [
        (citation(n).chunk_id, "sample_alcohol") for n in (1, 2)
    ]


async def test_a_turn_is_bounded() -> None:
    made = Made()
    made.asker.reply = refusal()
    await made.asking.ask(asked("x" * 5_000))
    [turn] = await made.fast.recall(HERE)
    assert (len(turn.asked), len(turn.understood), turn.kind, turn.citations) == (
        LONGEST_TEXT,
        LONGEST_TEXT,
        "refusal",
        (),
    )


async def test_a_given_history_wins_and_the_question_is_remembered_all_the_same() -> None:
    made = Made()
    await made.asking.ask(asked("first"))
    given = (Turn("user", "something else"),)
    await made.asking.ask(asked("second", history=given))
    assert made.asker.requests[1].history == given
    assert [turn.asked for turn in await made.fast.recall(HERE)] == ["first", "second"]


@pytest.mark.parametrize("conversation", [None, Conversation("slack", "T1", "C1")])
async def test_outside_of_a_thread_nothing_is_remembered(conversation: Conversation | None) -> None:
    made = Made()
    for _ in range(2):
        await made.asking.ask(asked(conversation=conversation))
    assert made.asker.requests[1].history == ()
    assert (made.fast.turns, made.durable.turns, made.locks.calls) == ({}, {}, 0)


async def test_the_conversation_of_another_person_is_another_one() -> None:
    made = Made()
    await made.asking.ask(asked("alcohol in the UK"))
    await made.asking.ask(asked("and in France?", conversation=replace(HERE, channel="somebody else")))
    assert made.asker.requests[1].history == ()


async def test_what_is_asked_again_after_a_crash_is_no_history_of_itself() -> None:
    made = Made()
    for _ in range(2):
        await made.asking.ask(asked("alcohol in the UK", answer_id="q1"))
    assert made.asker.requests[1].history == ()
    assert len(await made.fast.recall(HERE)) == 1


async def test_a_turn_about_nothing_is_no_context() -> None:
    made = Made()
    await made.memory.remember(HERE, replace(_turn(), topics=()))
    await made.asking.ask(asked("and in France?"))
    assert made.asker.requests[0].history == ()


def _turn(answer_id: str = "a0") -> RememberedTurn:
    return RememberedTurn(
        answer_id, "p", "beer", "beer", "answer", NOON - timedelta(minutes=1), "2026-06-01", topics=("beer",)
    )


async def test_a_long_thread_is_condensed_and_costs_no_more_than_a_short_one() -> None:
    made = Made()
    sizes: list[int] = []
    for number in range(40):
        made.asker.reply = answer(scope=scope(regions=(f"place-{number}",), policy_sources=(f"source-{number % 3}",)))
        await made.asking.ask(asked(f"question {number:03}"))
        turn = (await made.durable.recall(HERE))[-1]
        sizes.append(len(str(entry_of(replace(turn, understood="")))))
    last = made.asker.requests[-1]
    assert len(last.history) == MOST_TURNS
    assert last.background.topics == ("alcohol",)
    assert last.background.regions == tuple(f"place-{number}" for number in range(38, 38 - MOST_CONDENSED, -1))
    assert set(last.background.policy_sources) == {"source-0", "source-1", "source-2"}
    assert last.background.document_ids == ("sample_alcohol",)
    assert sizes[-1] == sizes[25]


async def test_a_given_history_has_no_background() -> None:
    made = Made()
    await made.asking.ask(asked("first"))
    await made.asking.ask(asked("second", history=(Turn("user", "something else"),)))
    assert made.asker.requests[1].background == Background()


def test_a_turn_written_by_an_older_version_knows_of_nothing_before_it() -> None:
    written = _turn().to_json()
    del written["before"]
    assert turn_from(written) == _turn()
    assert turn_from(replace(_turn(), before=Background(topics=("wine",))).to_json()).before.topics == ("wine",)


async def test_two_questions_at_once_are_asked_one_after_the_other() -> None:
    made = Made()
    other = made.process()
    await asyncio.gather(*((made.asking, other)[n % 2].ask(asked(f"question {n}")) for n in range(6)))
    assert made.asker.most_running == 1
    assert sorted(len(each.history) for each in made.asker.requests) == [0, 1, 2, 3, 4, 5]


async def test_two_conversations_do_not_wait_for_each_other() -> None:
    made = Made()
    both = asyncio.Barrier(2)
    made.asker.wait = both.wait
    async with asyncio.timeout(5):
        await asyncio.gather(*(made.asking.ask(asked(conversation=replace(HERE, thread=name))) for name in ("a", "b")))


async def test_who_waited_for_long_goes_on_and_says_so() -> None:
    made = Made(wait_seconds=0.05)
    assert await made.locks.acquire((await _name_of(made)), 60) is not None
    assert await made.degraded() == (ORDER,)


async def _name_of(made: Made) -> str:
    """The lock of the conversation, as it is called."""
    names: list[str] = []

    class Listening(FakeLocks):
        async def acquire(self, name: str, seconds: float) -> str | None:
            names.append(name)
            return await super().acquire(name, seconds)

    async with Conversations(made.memory, Listening()).turn(HERE):
        return names[0]


async def test_the_lock_is_kept_while_asking_and_free_afterwards() -> None:
    made = Made(deadline=60, lock_seconds=0.06)
    made.locks.now = 0.0
    go_on = asyncio.Event()
    made.asker.wait = go_on.wait
    running = asyncio.create_task(made.asking.ask(asked()))
    for _ in range(4):
        await _extended_once_more(made)
        made.locks.now += 0.04
    name = await _name_of(made)
    assert await made.locks.acquire(name, 1) is None
    go_on.set()
    await running
    assert await made.locks.acquire(name, 1) is not None


async def _extended_once_more(made: Made) -> None:
    seen = made.locks.extended

    async def extended() -> bool:
        return made.locks.extended > seen

    await until(extended)


async def test_a_question_that_fails_lets_the_next_one_in() -> None:
    made = Made(deadline=0.05)
    made.asker.failure = Unavailable("index_down")
    with pytest.raises(Unavailable, match="index_down"):
        await made.asking.ask(asked())
    made.asker.failure, made.asker.wait = None, lambda: asyncio.sleep(30)
    with pytest.raises(Unavailable, match="too_slow"):
        await made.asking.ask(asked())
    made.asker.wait = None
    assert await made.degraded() == ()
    assert made.asker.requests[-1].history == ()


async def test_waiting_counts_for_the_deadline() -> None:
    made = Made(deadline=0.05)
    await made.locks.acquire(await _name_of(made), 60)
    with pytest.raises(Unavailable, match="too_slow"):
        await made.asking.ask(asked())


async def test_with_everything_there_nothing_is_degraded() -> None:
    made = Made()
    assert [await made.degraded(), await made.degraded()] == [(), ()]


async def test_without_redis_the_database_remembers() -> None:
    made = Made()
    await made.asking.ask(asked("alcohol in the UK"))
    for part in (made.fast, made.locks, made.limits):
        part.down = True
    assert await made.degraded(text="and in France?") == ("redis",)
    assert made.asker.requests[1].history == (Turn("user", "alcohol in the UK"),)
    assert len(await made.durable.recall(HERE)) == 2
    assert made.own_limits.hits


async def test_a_redis_that_was_emptied_is_filled_again() -> None:
    made = Made()
    await made.asking.ask(asked("alcohol in the UK"))
    made.fast.turns.clear()
    assert await made.degraded(text="and in France?") == ()
    assert made.asker.requests[1].history == (Turn("user", "alcohol in the UK"),)
    assert [turn.asked for turn in await made.fast.recall(HERE)] == ["alcohol in the UK", "and in France?"]


async def test_without_both_the_history_is_said_to_be_missing() -> None:
    made = Made()
    await made.asking.ask(asked("alcohol in the UK"))
    made.fast.down = made.durable.down = True
    assert await made.degraded(text="beer in France") == ("redis", "memory")
    assert made.asker.requests[1].history == ()


async def test_without_the_database_redis_remembers_alone() -> None:
    made = Made()
    await made.asking.ask(asked("alcohol in the UK"))
    made.durable.down = True
    assert await made.degraded(text="and in France?") == ()
    assert made.asker.requests[1].history != ()
    made.fast.turns.clear()  # then nobody knows whether something was said before
    assert await made.degraded(text="and in Spain?") == ("memory",)


@pytest.mark.parametrize("part", ["locks", "limits"])
async def test_one_part_of_redis_is_named_once(part: str) -> None:
    made = Made()
    getattr(made, part).down = True
    assert await made.degraded() == ("redis",)
    assert made.records.saved["a1"].reply["degraded"] == ["redis"]


async def test_what_the_core_says_comes_first() -> None:
    made = Made()
    made.asker.reply = answer(degraded=("store", "vector"))
    made.limits.down = made.records.down = True
    assert await made.degraded() == ("store", "vector", "redis", "record")


async def test_one_question_too_many_is_rejected_with_the_time_to_wait() -> None:
    made = Made()
    made.limits.seconds = 7.2
    with pytest.raises(Rejected, match="rate_limited") as raised:
        await made.asking.ask(asked())
    assert raised.value.details == {"seconds": 8}
    assert made.asker.requests == []
    assert made.limits.hits == [(PSEUDONYMS.named(ACTOR), HERE)]
    assert made.events.seen == [("rest", "rate_limited")]


async def test_what_is_asked_again_does_not_count_again() -> None:
    made = Made()
    made.limits.seconds = 60
    assert await made.degraded(counted=False) == ()
    assert made.limits.hits == []


async def test_without_redis_the_process_limits_alone() -> None:
    made = Made()
    made.limits.down, made.own_limits.seconds = True, 3
    with pytest.raises(Rejected, match="rate_limited"):
        await made.asking.ask(asked())


@pytest.mark.parametrize(
    ("failure", "code"),
    [
        (Rejected("question_empty"), "question_empty"),
        (Unavailable("index_down"), "index_down"),
        (ZeroDivisionError(), "internal"),
    ],
)
async def test_what_failed_is_counted(failure: Exception, code: str) -> None:
    made = Made()
    made.asker.failure = failure
    with pytest.raises(type(failure)):
        await made.asking.ask(asked())
    assert made.events.seen == [("rest", code)]


async def test_what_was_answered_is_counted_and_what_was_left() -> None:
    made = Made()
    made.asker.reply = refusal(degraded=("store",))
    await made.asking.ask(asked())
    made.asker.wait = lambda: asyncio.sleep(30)
    running = asyncio.create_task(made.asking.ask(asked()))
    await asyncio.sleep(0.05)
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    assert made.events.seen == [("rest", "refusal", ("store",)), ("rest", "cancelled")]


async def test_forgetting_is_everywhere_or_an_error() -> None:
    made = Made()
    await made.asking.ask(asked())
    made.fast.down = True
    with pytest.raises(Unavailable):
        await made.memory.forget(HERE)
    made.fast.down = False
    await made.memory.forget(HERE)
    assert (await made.memory.recall(HERE)).turns == ()
