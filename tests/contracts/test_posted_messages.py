"""PostedMessages: one row a message, found by what it is about, by its thread and by what it answers."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.chat.posted import SqlPostedMessages
from bot.model.posted import MessagePlace, Posted, Subject

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
PLACE = MessagePlace("slack", "T1", "C1", "1700000000.000100", "1700000000.000100")
POSTED = Posted(PLACE, Subject.ANSWER, "a1", NOON, "", "p1:" + "0" * 64)


@pytest.fixture
def posted(engine: AsyncEngine) -> SqlPostedMessages:
    return SqlPostedMessages(engine)


def reply(number: int, **changes: object) -> Posted:
    """The `number`-th message in the thread of POSTED."""
    place = replace(PLACE, message=f"1700000000.0002{number:02d}")
    made = replace(POSTED, place=place, subject_id=f"b{number}", posted_at=NOON + timedelta(minutes=number))
    return replace(made, **changes)  # type: ignore[arg-type]


async def test_it_is_found_as_it_was_saved(posted: SqlPostedMessages) -> None:
    answer = replace(POSTED, asked_in="1699999999.000100")
    await posted.save(answer)
    assert await posted.of_subject(Subject.ANSWER, "a1") == (answer,)
    assert await posted.in_thread("slack", "T1", "C1", PLACE.thread) == (answer,)
    assert await posted.answering("slack", "T1", "C1", "1699999999.000100") == answer


async def test_saved_again_it_replaces_what_was_said(posted: SqlPostedMessages) -> None:
    await posted.save(POSTED)
    edited = replace(POSTED, subject_id="a2", posted_at=NOON + timedelta(minutes=1))
    await asyncio.gather(*(posted.save(edited) for _ in range(5)))
    assert await posted.of_subject(Subject.ANSWER, "a1") == ()
    assert await posted.in_thread("slack", "T1", "C1", PLACE.thread) == (edited,)


async def test_those_of_a_thread_come_oldest_first(posted: SqlPostedMessages) -> None:
    replies = [reply(number) for number in range(1, 4)]
    for each in (replies[1], POSTED, replies[2], replies[0]):
        await posted.save(each)
    assert await posted.in_thread("slack", "T1", "C1", PLACE.thread) == (POSTED, *replies)


async def test_a_subject_may_have_several_messages(posted: SqlPostedMessages) -> None:
    elsewhere = reply(1, subject_id="a1")
    await posted.save(elsewhere)
    await posted.save(POSTED)
    await posted.save(reply(2, subject_id="a1", subject=Subject.ESCALATION))
    assert await posted.of_subject(Subject.ANSWER, "a1") == (POSTED, elsewhere)


async def test_of_several_answers_to_a_message_the_last_counts(posted: SqlPostedMessages) -> None:
    for number in (2, 1):
        await posted.save(reply(number, asked_in="1.1"))
    await posted.save(reply(3, asked_in="1.1", subject=Subject.ESCALATION))
    found = await posted.answering("slack", "T1", "C1", "1.1")
    assert found is not None
    assert found.subject_id == "b2"


@pytest.mark.parametrize("place", [("teams", "T1", "C1"), ("slack", "T2", "C1"), ("slack", "T1", "C2")])
async def test_nothing_is_found_elsewhere(posted: SqlPostedMessages, place: tuple[str, str, str]) -> None:
    await posted.save(replace(POSTED, asked_in="1.1"))
    assert await posted.in_thread(*place, PLACE.thread) == ()
    assert await posted.answering(*place, "1.1") is None
    await posted.remove(replace(PLACE, platform=place[0], workspace=place[1], channel=place[2]))
    assert await posted.in_thread("slack", "T1", "C1", PLACE.thread) != ()


async def test_what_answers_no_message_answers_none(posted: SqlPostedMessages) -> None:
    await posted.save(POSTED)
    assert await posted.answering("slack", "T1", "C1", "") is None


async def test_removed_it_is_gone_and_may_be_removed_again(posted: SqlPostedMessages) -> None:
    await posted.save(POSTED)
    await posted.save(reply(1))
    for _ in range(2):
        await posted.remove(PLACE)
    assert await posted.in_thread("slack", "T1", "C1", PLACE.thread) == (reply(1),)


async def test_any_id_is_looked_for(posted: SqlPostedMessages) -> None:
    for odd in ("", "x" * 10_000, "'; --", "日本語 🍺"):
        assert await posted.of_subject(Subject.ANSWER, odd) == ()
        assert await posted.in_thread("slack", odd, odd, odd) == ()


async def test_it_is_found_by_where_it_stands(posted: SqlPostedMessages) -> None:
    await posted.save(POSTED)
    await posted.save(reply(1))
    assert await posted.at("slack", "T1", "C1", PLACE.message) == POSTED
    for elsewhere in (("teams", "T1", "C1"), ("slack", "T2", "C1"), ("slack", "T1", "C2")):
        assert await posted.at(*elsewhere, PLACE.message) is None
    assert await posted.at("slack", "T1", "C1", "1700000000.999999") is None
