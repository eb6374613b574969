"""Asking: within a deadline, on the record."""

import asyncio
from collections.abc import Mapping
from datetime import UTC, date, datetime

import pytest
from blockbuster import blockbuster_ctx

from bot.model.jsonable import jsonable
from bot.model.messages import Actor, Conversation
from bot.ports import RecordedAnswer
from bot.questions.answerer import Asked, Asking
from rag_core.answers import AskTrace, Reply, Statement
from rag_core.errors import Rejected, Unavailable
from rag_core.ports import Watching
from rag_core.questions import AskRequest, Filters, Question, Turn
from tests.fakes.audit import FakeAuditLog
from tests.fakes.clock import FakeClock
from tests.fakes.conversing import PSEUDONYMS
from tests.fakes.questions import NOON
from tests.fakes.service import REPLY, TRACE

ACTOR = Actor("slack", "T1", "U1")


class FakeAsker:
    def __init__(self) -> None:
        self.requests: list[AskRequest] = []
        self.seconds = 0.0
        self.failure: Exception | None = None
        self.cancelled = False

    async def ask(self, request: AskRequest, watching: Watching | None = None) -> tuple[Reply, AskTrace]:
        self.requests.append(request)
        if watching is not None:
            watching.understood(TRACE.question)
        try:
            await asyncio.sleep(self.seconds)
        except asyncio.CancelledError:
            self.cancelled = True
            raise
        if self.failure:
            raise self.failure
        return REPLY, TRACE


class FakeRecords:
    def __init__(self) -> None:
        self.saved: list[RecordedAnswer] = []
        self.failure: Exception | None = None

    async def save(self, record: RecordedAnswer) -> None:
        if self.failure:
            raise self.failure
        self.saved.append(record)


def _shape(answer_id: str, reply: Reply, trace: AskTrace) -> dict[str, object]:
    return {"answer_id": answer_id, "degraded": list(reply.degraded)}


class Made:
    def __init__(self, deadline: float = 5.0, now: datetime = NOON) -> None:
        self.asker, self.records = FakeAsker(), FakeRecords()
        self.asking = Asking(
            self.asker,
            self.records,
            shape=_shape,
            now=FakeClock(now),
            new_id=lambda: "new-id",
            deadline_seconds=deadline,
            pseudonyms=PSEUDONYMS,
        )


async def test_an_answer_is_recorded_with_who_asked_and_from_where() -> None:
    made = Made()
    with blockbuster_ctx():
        answered = await made.asking.ask(Asked("alcohol?", ACTOR, "slack"))
    assert (answered.answer_id, answered.reply, answered.trace) == ("new-id", REPLY, TRACE)
    [record] = made.records.saved
    assert (record.answer_id, record.answered_from, record.workspace) == ("new-id", "slack", "T1")
    assert record.person == PSEUDONYMS.of(ACTOR)
    assert record.reply == {"answer_id": "new-id", "degraded": []}
    assert (record.trace, record.answered_at) == (jsonable(TRACE), NOON)


async def test_the_given_answer_id_is_kept() -> None:
    made = Made()
    answered = await made.asking.ask(Asked("alcohol?", ACTOR, "slack", answer_id="question-7"))
    assert answered.answer_id == made.records.saved[0].answer_id == "question-7"


async def test_everything_that_was_asked_reaches_the_asker() -> None:
    made = Made(now=datetime(2026, 3, 1, 23, 59, tzinfo=UTC))
    filters = Filters(regions=("uk",))
    asked = Asked("and there?", ACTOR, "rest", filters, (Turn("user", "beer?"),), date(2025, 5, 1), 7, frozenset({"l"}))
    await made.asking.ask(asked)
    [request] = made.asker.requests
    assert (request.text, request.today, request.as_of) == ("and there?", date(2026, 3, 1), date(2025, 5, 1))
    assert (request.filters, request.history, request.top_k) == (filters, (Turn("user", "beer?"),), 7)
    assert request.groups == frozenset({"l"})


async def test_after_the_deadline_the_asker_is_stopped() -> None:
    made = Made(deadline=0.01)
    made.asker.seconds = 30
    with pytest.raises(Unavailable, match="too_slow") as raised:
        await made.asking.ask(Asked("alcohol?", ACTOR, "slack"))
    assert raised.value.details == {"seconds": 0.01}
    assert made.asker.cancelled
    assert made.records.saved == []


async def test_a_record_that_cannot_be_written_is_named_and_the_answer_given() -> None:
    made = Made()
    made.records.failure = Unavailable("store_down")
    answered = await made.asking.ask(Asked("alcohol?", ACTOR, "slack"))
    assert answered.reply.degraded == (*REPLY.degraded, "record")


@pytest.mark.parametrize("failure", [Rejected("question_empty"), Unavailable("index_failed"), ZeroDivisionError()])
async def test_what_the_asker_raises_comes_out_and_nothing_is_recorded(failure: Exception) -> None:
    made = Made()
    made.asker.failure = failure
    with pytest.raises(type(failure)) as raised:
        await made.asking.ask(Asked("", ACTOR, "slack"))
    assert raised.value is failure
    assert made.records.saved == []


async def test_the_record_holds_the_question_as_it_was_understood() -> None:
    made = Made()
    await made.asking.ask(Asked("  alcohol\x00? ", ACTOR, "slack"))
    recorded: Mapping[str, object] = {"text": made.records.saved[0].question_text}
    assert recorded == {"text": TRACE.question.text}


async def test_without_a_record_there_is_no_answer_where_that_is_the_rule() -> None:
    made = Made()
    made.records.failure = Unavailable("record_down")
    with pytest.raises(Unavailable, match="record_down"):
        await made.asking.ask(Asked("alcohol?", ACTOR, "slack"))


class FakeWatching:
    def __init__(self) -> None:
        self.questions: list[Question] = []

    def understood(self, question: Question) -> None:
        self.questions.append(question)

    def stated(self, statement: Statement) -> None:
        raise AssertionError(f"the fake asker states nothing: {statement.text}")


async def test_who_watches_is_told_while_it_is_answered() -> None:
    made, watching = Made(), FakeWatching()
    await made.asking.ask(Asked("alcohol?", ACTOR, "rest", watching=watching))
    assert watching.questions == [TRACE.question]
    assert "watching" not in repr(made.records.saved[0])


def audited(
    failure: Exception | None = None, deadline: float = 5.0
) -> tuple[Asking, FakeAsker, FakeRecords, FakeAuditLog]:
    asker, records, audit = FakeAsker(), FakeRecords(), FakeAuditLog()
    asker.failure = failure
    asking = Asking(
        asker,
        records,
        shape=lambda *_: {"text": "**shown**"},
        now=FakeClock(NOON),
        new_id=lambda: "new-id",
        deadline_seconds=deadline,
        audit=audit,
    )
    return asking, asker, records, audit


async def test_an_answer_brings_its_entries_of_the_record() -> None:
    asking, _, records, audit = audited()
    where = Conversation("slack", "T1", "C1", "")
    await asking.ask(Asked(" alcohol? ", ACTOR, "slack", groups=frozenset({"legal"}), conversation=where))
    question, answer = records.saved[0].entries
    assert (question.record_id, answer.record_id) == ("new-id:question", "new-id:reply")
    assert question.personal == {"person": "U1", "channel": "C1", "asked": " alcohol? "}
    assert (question.workspace, question.at, question.facts["groups"]) == ("T1", NOON, ["legal"])
    assert (answer.personal["shown"], answer.personal["understood"]) == ("**shown**", TRACE.question.search_text)
    assert audit.entries == []


@pytest.mark.parametrize(
    ("failure", "code"),
    [(Rejected("question_empty"), "question_empty"), (Unavailable("x"), "x"), (ZeroDivisionError(), "internal")],
)
async def test_a_question_without_a_reply_is_on_record_once(failure: Exception, code: str) -> None:
    asking, _, _, audit = audited(failure)
    for _ in range(2):
        with pytest.raises(type(failure)):
            await asking.ask(Asked("alcohol?", ACTOR, "slack", answer_id="question-7"))
    [entry] = audit.entries
    assert (entry.record_id, entry.subject) == (f"question-7:failed:{code}", "question-7")
    assert (entry.facts["outcome"], entry.personal["asked"]) == (code, "alcohol?")


async def test_what_fails_first_is_what_the_asker_hears_of() -> None:
    asking, _, _, audit = audited(Unavailable("index_failed"))
    audit.failure = Unavailable("record_down")
    with pytest.raises(Unavailable, match="index_failed"):
        await asking.ask(Asked("alcohol?", ACTOR, "slack"))


async def test_a_question_whose_asker_went_away_is_on_record_too() -> None:
    asking, asker, _, audit = audited()
    asker.seconds = 30
    asked = asyncio.ensure_future(asking.ask(Asked("alcohol?", ACTOR, "slack", answer_id="a1")))
    await asyncio.sleep(0.01)
    asked.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asked
    [entry] = audit.entries
    assert (entry.record_id, entry.facts["outcome"]) == ("a1:failed:cancelled", "cancelled")
    assert entry.personal["asked"] == "alcohol?"


async def test_with_the_record_down_no_entry_is_tried() -> None:
    asking, _, records, audit = audited()
    records.failure = Unavailable("record_down")
    with pytest.raises(Unavailable, match="record_down"):
        await asking.ask(Asked("alcohol?", ACTOR, "slack"))
    assert audit.entries == []
