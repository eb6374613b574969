"""Everything between a kept question and the message in Slack: real inbox, workers, sinks and stores on a stand-in."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import aiohttp
from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.slack.addresses import MESSAGE, SlackAddress
from adapters.slack.client import SlackClients
from adapters.slack.delivery.posting import PostingPatience, SlackPoster
from adapters.slack.delivery.progress import SlackProgress
from adapters.slack.delivery.replies import AskerRoads, SlackMessageSink, Withdrawing
from adapters.slack.delivery.slash_replies import Patience, ResponseUrlPosts
from adapters.slack.oauth.tokens import SingleWorkspace
from bot.model.links import Links
from bot.model.messages import Actor, InboundQuestion
from bot.model.outcomes import Outcome
from bot.questions.delivery import Pace
from bot.render.slack.message import slack_message
from bot.render.slack.view import SlackView
from ops.sandbox.slack import EVERY_EVENT, NO_LIMITS, App, Limits, SlackStandIn, slack_stand_in
from tests.fakes.databases import migrated_engine
from tests.fakes.delivery import PACE, PSEUDONYMS, DeliveringProcess, DeliveryWorld
from tests.fakes.slack import FakeClock, client

LINKS = Links("http://127.0.0.1:8080", {"sample": "Sample platform"})


class Process(DeliveringProcess):
    """With Slack's sinks and its progress."""

    progress: SlackProgress

    def __init__(self, world: "World", *, dies_at: str = "", streams: bool = False, pace: Pace = PACE) -> None:
        super().__init__(world, dies_at)
        self.world = world
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
        self.serve(MESSAGE, self.sink, self.progress, pace)

    async def render(
        self, question: InboundQuestion, answer_id: str, outcome: Outcome, view: SlackView
    ) -> dict[str, object]:
        self.world.views.append(view)
        await self.steps.pass_by("rendering")
        return slack_message(question.text, answer_id, outcome, LINKS)


class World(DeliveryWorld):
    """With a stand-in."""

    def __init__(
        self, slack: SlackStandIn, engine: AsyncEngine, session: aiohttp.ClientSession, clock: FakeClock
    ) -> None:
        super().__init__(engine, clock)
        self.slack, self.session = slack, session
        self.clients = SlackClients(session, SingleWorkspace("xoxb-sandbox"), slack.api_url)
        self.views: list[SlackView] = []

    def process(self, *, dies_at: str = "", streams: bool = False, pace: Pace = PACE) -> Process:
        return Process(self, dies_at=dies_at, streams=streams, pace=pace)

    def withdrawing(self) -> Withdrawing:
        async def sleep(seconds: float) -> None:
            self.clock.move(seconds=seconds)

        return Withdrawing(self.clients, self.posted, PSEUDONYMS, sleep)

    def question(self, **of_address: str | bool) -> InboundQuestion:
        """The next one, of U1 in C1 unless the address says otherwise; "q1" and so on."""
        self.asked += 1
        number = self.asked
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
