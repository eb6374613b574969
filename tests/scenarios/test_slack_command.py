"""From a signed `/adpolicy` request to one message in the stand-in, with the real inbox, workers and renderer."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from adapters.slack.addresses import slack_address
from adapters.slack.delivery.slash_replies import Patience, SlackReplySink
from adapters.slack.settings import SlackSettings
from adapters.sql.chat.inbox import SqlInbox
from adapters.sql.database.vault import Vault, new_key
from bot.model.links import Links
from bot.model.messages import InboundQuestion, ReplyAddress
from bot.model.outcomes import Outcome
from bot.questions.answerer import Answered, Asked
from bot.questions.delivery import Pace
from bot.questions.service import QuestionService
from bot.render.slack.message import slack_message
from ops.sandbox.slack import SlackStandIn
from ops.sandbox.slack.workspace import Message
from ops.sandbox.troubles import Trouble, rate_limited
from rag_core.answers import AskTrace
from rag_core.errors import PolicyBotError
from rag_core.questions import Intent, Question
from tests.fakes.databases import migrated_engine
from tests.fakes.replies import ITEM, answer, refusal, scope
from tests.fakes.slack import SIGNING_SECRET, FakeClock, bot_server, client

LINKS = Links("http://127.0.0.1:8080", {"sample": "Sample platform"})
TRACE = AskTrace(Question("", scope(), Intent.PERMISSION, ()))
QUESTION = "can I advertise alcohol in the UK"


class FakeAsking:
    """Answers every question alike and remembers them; `failure` is raised instead."""

    def __init__(self) -> None:
        self.asked: list[Asked] = []
        self.failure: Exception | None = None

    async def ask(self, asked: Asked) -> Answered:
        self.asked.append(asked)
        if self.failure:
            raise self.failure
        reply = refusal() if "weather" in asked.text else answer()
        return Answered(asked.answer_id or "", reply, TRACE)


class FakeServiceLog:
    """What an operator would read."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.written = asyncio.Event()

    def _write(self, line: str) -> None:
        self.lines.append(line)
        self.written.set()

    def unavailable(self, question_id: str, error: PolicyBotError, attempt: int) -> None:
        self._write(f"unavailable {question_id} {error.code} {attempt}")

    def unreachable(self, question_id: str, error: PolicyBotError) -> None:
        self._write(f"unreachable {question_id} {error.code}")

    def unexpected(self, question_id: str, error: BaseException) -> None:
        self._write(f"unexpected {question_id} {type(error).__name__}")

    def postponed(self, question_id: str, code: str, seconds: float) -> None:
        self._write(f"postponed {question_id} {code}")

    def put_back(self, question_id: str, code: str, seconds: float) -> None:
        self._write(f"put_back {question_id} {code}")

    def duplicate(self, platform: str) -> None:
        """Not kept: tests count messages."""

    def recovered(self, question_id: str, postponed: int) -> None:
        """Not kept: tests count messages."""


class Bot:
    """The bot beside the stand-in; `working` runs its workers for as long as it lasts."""

    def __init__(self, slack: SlackStandIn, clock: FakeClock, asking: FakeAsking, service: QuestionService) -> None:
        self.slack = slack
        self.clock = clock
        self.asking = asking
        self.service = service
        self.log = FakeServiceLog()

    @asynccontextmanager
    async def working(self) -> AsyncIterator[None]:
        workers = asyncio.create_task(self.service.run())
        try:
            yield
        finally:
            self.service.stop()
            await workers

    async def answered(self, count: int = 1) -> list[Message]:
        """Waits for `count` messages, and a little longer for one too many."""
        await self.slack.received(count)
        await asyncio.sleep(0.2)
        return self.slack.messages


def _render(question: InboundQuestion, answer_id: str, outcome: Outcome) -> dict[str, object]:
    return slack_message(question.text, answer_id, outcome, LINKS)


def as_older_versions_kept_it(question: InboundQuestion) -> InboundQuestion:
    """With its `response_url` alone: such rows are still answered."""
    address = slack_address(question.reply_address)
    fields = {name: str(getattr(address, name)) for name in ("response_url", "team", "channel", "user")}
    return replace(question, reply_address=ReplyAddress("slack.response_url", fields))


@pytest.fixture
async def bot(tmp_path: Path) -> AsyncIterator[Bot]:
    clock, asking = FakeClock(), FakeAsking()
    services: list[QuestionService] = []

    async def accept(question: InboundQuestion) -> bool:
        return await services[0].accept(as_older_versions_kept_it(question))

    async with migrated_engine(tmp_path) as engine, bot_server(accept, clock) as url, client() as session:
        slack = SlackStandIn(url, SIGNING_SECRET, clock=clock)
        await slack.start()
        settings = SlackSettings("xoxb-sandbox", SIGNING_SECRET, slack.api_url)
        sink = SlackReplySink(session, settings, _render, patience=Patience(first_wait=0.01), jitter=lambda: 0.0)
        log, pace = FakeServiceLog(), Pace(workers=2, poll=0.05, retry=0.01)
        inbox = SqlInbox(engine, Vault([new_key()]))
        service = QuestionService(
            inbox, asking, {"slack.response_url": sink}, log, worker="worker", now=clock, pace=pace
        )
        services.append(service)
        made = Bot(slack, clock, asking, service)
        made.log = log
        yield made
        await slack.stop()


async def test_a_command_ends_as_one_message_that_everybody_sees(bot: Bot) -> None:
    async with bot.working():
        acknowledged = await bot.slack.send_command(QUESTION)
        [message] = await bot.answered()
    assert (acknowledged.status, acknowledged.body) == (200, "")
    assert (message.via, message.channel, message.visible_to) == ("response_url", "C1", None)
    shown = str(message.blocks)
    assert QUESTION in shown
    assert ITEM in shown
    assert "<http://127.0.0.1:8080/sources/sample_alcohol_2026-01-15?" in shown
    assert bot.asking.asked[0].text == QUESTION
    assert bot.asking.asked[0].answer_id == "question-1"
    assert bot.log.lines == []


async def test_a_refusal_is_a_message_too(bot: Bot) -> None:
    async with bot.working():
        await bot.slack.send_command("what is the weather")
        [message] = await bot.answered()
    assert "do not say" in message.text or "policies" in message.text


async def test_slack_delivering_five_times_more_changes_nothing(bot: Bot) -> None:
    async with bot.working():
        first = await bot.slack.send_command(QUESTION)
        again = [await bot.slack.redeliver(first.delivery, retry=1 + n) for n in range(3)]
        await bot.answered()
        bot.clock.move(minutes=11)
        again += [await bot.slack.redeliver(first.delivery, retry=4) for _ in range(2)]
        messages = await bot.answered()
    assert [(each.status, each.body) for each in again] == [(200, "")] * 5
    assert len(messages) == 1
    assert len(bot.asking.asked) == 1


async def test_deliveries_at_the_same_moment_are_one_question(bot: Bot) -> None:
    async with bot.working():
        seen = await asyncio.gather(*(bot.slack.send_command(QUESTION, trigger_id="1.2.3") for _ in range(5)))
        messages = await bot.answered()
    assert [each.status for each in seen] == [200] * 5
    assert len(messages) == 1


async def test_a_question_accepted_before_the_stop_is_answered_after_the_start(bot: Bot) -> None:
    await bot.slack.send_command(QUESTION)
    assert bot.slack.messages == []
    async with bot.working():
        assert len(await bot.answered()) == 1


async def test_help_comes_back_at_once_and_asks_nothing(bot: Bot) -> None:
    await bot.slack.send_command("help")
    [message] = bot.slack.messages
    assert (message.via, message.visible_to) == ("acknowledgement", "U1")
    async with bot.working():
        await asyncio.sleep(0.1)
    assert bot.asking.asked == []


async def test_slack_slowing_down_or_failing_ends_as_one_message(bot: Bot) -> None:
    bot.slack.trouble("response_url", rate_limited(1))
    bot.slack.trouble("response_url", Trouble(500), times=5)
    async with bot.working():
        await bot.slack.send_command(QUESTION)
        assert len(await bot.answered()) == 1


async def test_the_asker_hears_of_an_error_of_ours(bot: Bot) -> None:
    bot.asking.failure = ZeroDivisionError()
    async with bot.working():
        await bot.slack.send_command(QUESTION)
        [message] = await bot.answered()
    assert "question-1" in str(message.blocks)
    assert bot.log.lines == ["unexpected question-1 ZeroDivisionError"]


async def test_an_expired_address_ends_the_question(bot: Bot) -> None:
    await bot.slack.send_command(QUESTION)
    bot.clock.move(seconds=timedelta(minutes=31).total_seconds())
    async with bot.working():
        await asyncio.wait_for(bot.log.written.wait(), 10)
        await asyncio.sleep(0.2)
    assert bot.log.lines == ["unreachable question-1 reply_address_gone"]
    assert bot.slack.messages == []


async def test_what_people_type_cannot_mention_or_link(bot: Bot) -> None:
    async with bot.working():
        await bot.slack.send_command("ads for <!channel> & <https://evil.example|here> & ```code```")
        [message] = await bot.answered()
    assert "<!channel>" not in str(message.payload)
    assert "<https://evil.example" not in str(message.payload)
