"""Threads in which the bot speaks."""

from adapters.local.claims import LocalClaims
from bot.model.messages import Conversation
from bot.model.posted import Subject
from bot.questions.threads import ThreadsWithBot
from tests.fakes.shared_services import FakeClaims
from tests.fakes.slack_ways import FakePosted

HERE = Conversation("slack", "T1", "C1", "1.0")


async def test_known_from_the_question_on_and_by_its_answers() -> None:
    threads = ThreadsWithBot(LocalClaims(), posted := FakePosted())
    assert not await threads.has(HERE)
    await threads.enter(HERE)
    assert await threads.has(HERE)
    assert not await threads.has(Conversation("slack", "T1", "C1", "2.0"))
    posted.answered("2.0")
    assert await threads.has(Conversation("slack", "T1", "C1", "2.0"))


async def test_outside_of_threads_and_below_what_is_no_answer_it_is_none() -> None:
    threads = ThreadsWithBot(LocalClaims(), posted := FakePosted())
    await threads.enter(Conversation("slack", "T1", "C1"))
    posted.answered("1.0", subject=Subject.ALERT)
    assert not await threads.has(Conversation("slack", "T1", "C1"))
    assert not await threads.has(HERE)


async def test_what_is_not_known_just_now_is_none() -> None:
    claims, posted = FakeClaims(), FakePosted()
    posted.answered("1.0")
    posted.down = True
    assert not await ThreadsWithBot(claims, posted).has(HERE)
    claims.down = True
    await ThreadsWithBot(claims, posted).enter(HERE)
    assert not await ThreadsWithBot(claims).has(HERE)
    assert not await ThreadsWithBot().has(HERE)
