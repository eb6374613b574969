"""Everything between a kept question and the message in Slack: real inbox, workers, sinks and stores on a stand-in."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

import aiohttp
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.local.posting_pace import LocalPostingPace
from adapters.slack.addresses import MESSAGE, SlackAddress
from adapters.slack.asker_roads import AskerRoads
from adapters.slack.authorizing import SingleWorkspace
from adapters.slack.message_sink import SlackMessageSink
from adapters.slack.posting import PostingPatience, SlackPoster
from adapters.slack.progress import SlackProgress
from adapters.slack.response_url_posts import Patience, ResponseUrlPosts
from adapters.slack.web_api import SlackClients
from adapters.slack.withdrawing import Withdrawing
from adapters.sql.inbox import SqlInbox
from adapters.sql.posted import SqlPostedMessages
from adapters.sql.tables import inbox as inbox_table
from adapters.sql.vault import Vault, new_key
from bot.asking import Answered, Asked
from bot.background import Background
from bot.links import Links
from bot.messages import Actor, InboundQuestion
from bot.outcomes import Outcome
from bot.posted import MessagePlace, Posted, Subject
from bot.pseudonyms import KEY_BYTES, Pseudonyms
from bot.render.slack import slack_message
from bot.render.slack_view import SlackView
from bot.service import Pace, QuestionService
from ops.sandbox.slack import EVERY_EVENT, NO_LIMITS, App, Limits, SlackStandIn, slack_stand_in
from rag_core.answers import AskTrace, Reply
from rag_core.questions import Intent, Question
from tests.fakes.databases import migrated_engine
from tests.fakes.replies import answer, scope
from tests.fakes.service import FakeServiceLog, SteppedInbox, Steps, until
from tests.fakes.slack import FakeClock, client

LINKS = Links("http://127.0.0.1:8080", {"sample": "Sample platform"})
TRACE = AskTrace(Question("", scope(), Intent.PERMISSION, ()))
PSEUDONYMS = Pseudonyms(b"k" * KEY_BYTES)
PACE = Pace(workers=2, poll=0.01, retry=0.001, longest_retry=0.002, lease=60.0)


class ScriptedAsking:
    """Answers alike, after `before`; `failures` are raised first."""

    def __init__(self, steps: Steps) -> None:
        self.asked: list[Asked] = []
        self.reply: Reply = answer()
        self.failures: list[Exception] = []
        self.before: Callable[[Asked], Awaitable[object]] | None = None
        self._steps = steps

    async def ask(self, asked: Asked) -> Answered:
        self.asked.append(asked)
        if self.before:
            await self.before(asked)
        await self._steps.pass_by("asking")
        if self.failures:
            raise self.failures.pop(0)
        return Answered(asked.answer_id or "", self.reply, TRACE)


class SteppedPosted:
    """Real posted messages, stopped between steps; `failures` are raised by `save`."""

    def __init__(self, posted: SqlPostedMessages, steps: Steps) -> None:
        self._posted = posted
        self._steps = steps
        self.failures: list[Exception] = []

    async def save(self, posted: Posted) -> None:
        await self._steps.pass_by("posted")
        if self.failures:
            raise self.failures.pop(0)
        await self._posted.save(posted)
        await self._steps.pass_by("saved")

    async def of_subject(self, subject: Subject, subject_id: str) -> tuple[Posted, ...]:
        return await self._posted.of_subject(subject, subject_id)

    async def in_thread(self, platform: str, workspace: str, channel: str, thread: str) -> tuple[Posted, ...]:
        return await self._posted.in_thread(platform, workspace, channel, thread)

    async def answering(self, platform: str, workspace: str, channel: str, asked_in: str) -> Posted | None:
        return await self._posted.answering(platform, workspace, channel, asked_in)

    async def remove(self, place: MessagePlace) -> None:
        await self._posted.remove(place)


@dataclass(slots=True)
class FakeDeliveryLog:
    lines: list[str] = field(default_factory=list)

    def delivered(self, question_id: str, road: str) -> None:
        self.lines.append(f"delivered {road}")

    def delivery_retried(self, question_id: str, code: str) -> None:
        self.lines.append(f"retried {code}")

    def reconciled(self, question_id: str, found: bool) -> None:
        self.lines.append(f"reconciled {found}")

    def fell_back(self, question_id: str, code: str, road: str) -> None:
        self.lines.append(f"fell back {code} {road}")


class Process:
    """One process with a service on the world's inbox."""

    def __init__(self, world: "World", *, dies_at: str = "", streams: bool = False, pace: Pace = PACE) -> None:
        self.steps, self.log, self.told = Steps(dies_at), FakeServiceLog(), FakeDeliveryLog()
        self.world = world
        self.slept: list[float] = []
        self.tasks = Background()
        self.posted = SteppedPosted(SqlPostedMessages(world.engine), self.steps)
        self.asking = ScriptedAsking(self.steps)
        poster = SlackPoster(world.pace, self.told, patience=PostingPatience(), sleep=self.sleep)
        self.progress = SlackProgress(
            world.clients, poster, self.posted, PSEUDONYMS, clock=world.clock, streams=streams, append_every=0.02
        )
        urls = ResponseUrlPosts(
            world.session,
            world.slack.api_url,
            patience=Patience(first_wait=0.01, longest_wait=0.02),
            jitter=lambda: 0.0,
        )
        self.sink = SlackMessageSink(
            clients=world.clients,
            poster=poster,
            roads=AskerRoads.on(world.clients, urls, world.clock),
            progress=self.progress,
            posted=self.posted,
            pseudonyms=PSEUDONYMS,
            render=self.render,
            log=self.told,
            tasks=self.tasks,
            clock=world.clock,
            sleep=self.sleep,
        )
        self.inbox = SteppedInbox(SqlInbox(world.engine, world.vault, world.clock), self.steps)
        self.service = QuestionService(
            self.inbox,
            self.asking,
            {MESSAGE: self.sink},
            self.log,
            worker=f"w{next(world.numbers)}",
            now=world.clock,
            pace=pace,
            progress={MESSAGE: self.progress},
        )

    async def render(
        self, question: InboundQuestion, answer_id: str, outcome: Outcome, view: SlackView
    ) -> dict[str, object]:
        self.world.views.append(view)
        await self.steps.pass_by("rendering")
        return slack_message(question.text, answer_id, outcome, LINKS)

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.world.clock.move(seconds=seconds)
        await asyncio.sleep(0)

    @asynccontextmanager
    async def working(self) -> AsyncIterator["Process"]:
        task = asyncio.create_task(self.service.run())
        try:
            yield self
        finally:
            self.service.stop()
            async with asyncio.timeout(5):
                await task
            await self.tasks.aclose()
            await self.progress.aclose()

    async def die(self) -> None:
        """Work until the step at which the process dies."""
        task = asyncio.create_task(self.service.run())
        async with asyncio.timeout(5):
            await self.steps.reached.wait()
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
        await self.progress.aclose()


class World:
    """A stand-in, a database and a clock, shared by processes."""

    def __init__(
        self, slack: SlackStandIn, engine: AsyncEngine, session: aiohttp.ClientSession, clock: FakeClock
    ) -> None:
        self.slack, self.engine, self.session, self.clock = slack, engine, session, clock
        self.clients = SlackClients(session, SingleWorkspace("xoxb-sandbox"), slack.api_url)
        self.vault = Vault([new_key()])
        self.views: list[SlackView] = []
        self.numbers = iter(range(1, 1000))
        self.pace = LocalPostingPace(clock=lambda: clock().timestamp())
        self.posted = SqlPostedMessages(engine)
        self._asked = 0

    def process(self, *, dies_at: str = "", streams: bool = False, pace: Pace = PACE) -> Process:
        return Process(self, dies_at=dies_at, streams=streams, pace=pace)

    def withdrawing(self) -> Withdrawing:
        async def sleep(seconds: float) -> None:
            self.clock.move(seconds=seconds)

        return Withdrawing(self.clients, self.posted, PSEUDONYMS, sleep)

    def question(self, **of_address: str | bool) -> InboundQuestion:
        """The next one, of U1 in C1 unless the address says otherwise; "q1" and so on."""
        self._asked += 1
        number = self._asked
        address = replace(SlackAddress("T1", "C1", "U1"), **of_address)  # type: ignore[arg-type]
        return InboundQuestion(
            question_id=f"q{number}",
            claim_key=f"slack:T1:{number}",
            actor=Actor("slack", "T1", address.user),
            conversation=address.conversation,
            text="can I advertise alcohol in the UK",
            reply_address=address.as_reply_address(),
            received_at=self.clock(),
        )

    def response_url(self, channel: str = "C1") -> str:
        return self.slack.response_urls.issue(self.slack.base_url, channel, "U1")

    async def ask(self, process: Process, *questions: InboundQuestion, end: str = "sent") -> None:
        """Until all that was ever asked has ended."""
        async with process.working():
            for each in questions:
                await process.service.accept(each)
            await self.ended(end)

    async def ended(self, *states: str) -> None:
        """All questions have ended; as `states`, or all alike where there is one."""

        async def all_ended() -> bool:
            found = await self.states()
            return found == (list(states) if len(states) > 1 else list(states) * len(found))

        await until(all_ended)

    async def states(self) -> list[str]:
        async with self.engine.connect() as connection:
            rows = await connection.execute(select(inbox_table.c.state).order_by(inbox_table.c.queued_at))
            return [str(each) for each in rows.scalars()]

    async def kept(self, answer_id: str = "q1") -> list[Posted]:
        return list(await self.posted.of_subject(Subject.ANSWER, answer_id))


@asynccontextmanager
async def delivery_world(folder: Path, *, limits: Limits = NO_LIMITS, app: App | None = None) -> AsyncIterator[World]:
    clock = FakeClock()
    async with (
        migrated_engine(folder) as engine,
        client() as session,
        slack_stand_in(
            clock=clock,
            app=app or App(events=EVERY_EVENT),
            limits=limits,
            monotonic=lambda: clock().timestamp(),
        ) as slack,
    ):
        yield World(slack, engine, session, clock)
