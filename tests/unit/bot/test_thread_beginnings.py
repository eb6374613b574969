"""A thread that begins with an answer to a command: who asks on there asks on from it."""

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest

from bot.model.jsonable import jsonable
from bot.model.links import Links
from bot.model.memory import as_turn
from bot.model.messages import Conversation
from bot.model.posted import MessagePlace, Posted, Subject
from bot.ports import RecordedAnswer
from bot.questions.conversation import ThreadBeginnings, turn_of
from bot.render.json import reply_json
from rag_core.answers import AskTrace, Reply
from rag_core.errors import Unavailable
from rag_core.questions import Background, Intent, QueryTerm, Question, Turn
from tests.fakes.conversing import HERE, Made, asked
from tests.fakes.feedback import FakeGivenAnswers, make_answer
from tests.fakes.posted import FakePostedMessages
from tests.fakes.questions import NOON
from tests.fakes.replies import answer, refusal, scope

THREAD = "1700000000.000100"
QUESTION = Question("beer ads", scope(), Intent.PERMISSION, (QueryTerm("beer"),), rewritten="beer ads in the UK")
PERSON = "p1:" + "a" * 64


def recorded(reply: Reply, groups: tuple[str, ...] = (), trace: AskTrace | None = None) -> RecordedAnswer:
    made = trace or AskTrace(QUESTION, notes={"groups": list(groups)} if groups else {})
    return make_answer(
        "a0",
        person=PERSON,
        question_text="beer ads",
        reply=json.loads(json.dumps(reply_json("a0", reply, Links("http://127.0.0.1:1", {}), {}))),
        trace=json.loads(json.dumps(jsonable(made))),
        answered_at=NOON,
    )


def posted(**changes: Any) -> Posted:
    place = MessagePlace(HERE.platform, HERE.workspace, HERE.channel, THREAD, THREAD)
    return replace(Posted(place, Subject.ANSWER, "a0", NOON, "", PERSON), **changes)


@pytest.mark.parametrize("reply", [answer(), refusal()])
@pytest.mark.parametrize("groups", [(), ("legal", "trust")])
def test_the_turn_is_the_one_that_would_have_been_remembered(reply: Reply, groups: tuple[str, ...]) -> None:
    trace = AskTrace(QUESTION)
    expected = as_turn("a0", PERSON, "beer ads", NOON, reply, trace, (), frozenset(groups))
    assert turn_of(recorded(reply, groups)) == expected


def test_a_default_of_the_channel_is_nothing_that_anybody_named() -> None:
    assumed = scope(regions=("uk",), policy_sources=("acme",), assumed=("as_of", "regions", "policy_sources"))
    reply, trace = replace(answer(), scope=assumed), AskTrace(replace(QUESTION, scope=assumed))
    turn = turn_of(recorded(reply, trace=trace))
    assert turn == as_turn("a0", PERSON, "beer ads", NOON, reply, trace)
    assert turn is not None
    assert (turn.regions, turn.policy_sources) == ((), ())


@pytest.mark.parametrize(
    "trace", [None, {}, {"question": {}}, {"question": None}, {"question": {"scope": {"as_of": 1}}}]
)
def test_what_does_not_say_enough_is_no_turn(trace: Any) -> None:
    assert turn_of(replace(recorded(answer()), trace=trace)) is None


class Begun:
    """Asking in a thread that begins with `record`, posted as `rows` say."""

    def __init__(self, record: RecordedAnswer | None, *rows: Posted) -> None:
        self.made = Made()
        self.posted = FakePostedMessages(*rows)
        answers = FakeGivenAnswers(*([record] if record else []))
        self.beginnings = ThreadBeginnings(self.posted, answers)
        self.made.asking = self.made.process(beginnings=self.beginnings)

    async def asks_on(self, text: str = "and in France?", **changes: Any) -> tuple[Turn, ...]:
        here = replace(HERE, thread=THREAD)
        await self.made.asking.ask(asked(text, conversation=here, **changes))
        return self.made.asker.requests[-1].history


async def test_who_asks_on_asks_on_from_the_answer() -> None:
    begun = Begun(recorded(answer()), posted())
    assert await begun.asks_on() == (Turn("user", "beer ads in the UK"),)
    assert begun.made.asker.requests[0].background.document_ids == ("sample_alcohol",)


async def test_it_stays_the_first_turn_for_all_who_ask_later() -> None:
    begun = Begun(recorded(answer()), posted())
    await begun.asks_on()
    begun.posted.rows.clear()
    history = await begun.asks_on("and in Spain?")
    assert [each.content for each in history] == ["beer ads in the UK", "beer ads in the UK (and in France?)"]
    here = replace(HERE, thread=THREAD)
    assert [each.answer_id for each in await begun.made.durable.recall(here)] == ["a0", "a1", "a2"]


async def test_two_at_once_have_it_once() -> None:
    begun = Begun(recorded(answer()), posted())
    await asyncio.gather(begun.asks_on(), begun.asks_on("and in Spain?"))
    turns = await begun.made.durable.recall(replace(HERE, thread=THREAD))
    assert [each.answer_id for each in turns].count("a0") == 1


async def test_what_it_was_answered_for_only_they_are_told() -> None:
    begun = Begun(recorded(answer(), ("legal",)), posted())
    assert await begun.asks_on(groups=frozenset()) == ()
    assert begun.made.asker.requests[0].background == Background()
    assert await begun.asks_on("and in Spain?", groups=frozenset({"legal"})) != ()


@pytest.mark.parametrize(
    "row",
    [
        posted(subject=Subject.ALERT),
        posted(subject_id="unknown"),
        posted(place=replace(posted().place, message="1700000000.000200")),
        posted(place=replace(posted().place, channel="C9")),
        posted(place=replace(posted().place, workspace="T9")),
    ],
)
async def test_other_threads_begin_with_nothing(row: Posted) -> None:
    assert await Begun(recorded(answer()), row).asks_on() == ()


async def test_a_thread_with_turns_of_its_own_is_not_looked_up() -> None:
    begun = Begun(recorded(answer()))
    await begun.asks_on()
    begun.posted.rows.append(posted())
    assert [each.content for each in await begun.asks_on("and in Spain?")] == ["and in France?"]


async def test_without_the_store_the_question_is_answered_all_the_same() -> None:
    begun = Begun(recorded(answer()), posted())
    begun.posted.failure = Unavailable("store_down")
    assert await begun.asks_on() == ()


async def test_outside_of_threads_nothing_begins() -> None:
    begun = Begun(recorded(answer()), posted())
    assert await begun.beginnings.first_turn(Conversation("slack", "T1", "C1")) is None
