"""A newsroom with Slack: what is queued is posted in the stand-in, and what people click there comes back."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from aiohttp import web
from aiohttp.test_utils import TestServer
from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.local.limits import LocalPostingPace
from adapters.slack.app import EVENTS_PATH, slack_app, slack_routes
from adapters.slack.client import SlackClients
from adapters.slack.commands import SlackSubscribing
from adapters.slack.delivery.notices import SlackNoticeSink
from adapters.slack.delivery.posting import SlackPoster
from adapters.slack.oauth.tokens import SingleWorkspace
from adapters.slack.parts import SlackParts
from adapters.slack.settings import SlackSettings
from adapters.sql.policies.store import SqlPolicyStore
from bot.alerts.sender import NoticePace, NoticeService
from bot.alerts.subscribing import Subscribing
from bot.model.messages import InboundQuestion
from bot.model.notices import Notice, NoticeKind
from bot.questions.delivery import LoggedDeliveries
from bot.render.slack.alert import slack_alert
from ops.sandbox.slack import NO_LIMITS, App, Limits, SlackStandIn
from tests.fakes.alerts import LINKS, Newsroom
from tests.fakes.notices import FakePosted, Timer
from tests.fakes.slack import SIGNING_SECRET, client
from tests.fakes.slack_channels import ports_of
from tests.fakes.slack_gate import FakeRule


@dataclass(slots=True)
class AlertSlack:
    """`pump` sends until nothing may be sent now. `turns`: of all that is posted in a channel; `slept`: how long was
    waited for one."""

    news: Newsroom
    slack: SlackStandIn
    sink: SlackNoticeSink
    service: NoticeService
    posted: FakePosted
    commands: SlackSubscribing
    subscribing: Subscribing
    clients: SlackClients
    rule: FakeRule
    turns: LocalPostingPace
    slept: list[float]

    async def pump(self, worker: str = "w") -> int:
        taken = 0
        while await self.service.once(worker):
            taken += 1
        return taken

    def alerts(self, channel: str = "C1", team: str = "T1") -> list[Any]:
        return [each for each in self.slack.bot_messages(channel, team) if each.metadata]


@asynccontextmanager
async def alert_slack(
    engine: AsyncEngine, *, limits: Limits = NO_LIMITS, pace: NoticePace | None = None, app: App | None = None
) -> AsyncIterator[AlertSlack]:
    news = Newsroom(engine)
    await news.declare()
    timer = Timer(news.clock)

    async def render(notice: Notice) -> dict[str, object] | None:
        told = await news.read(notice)
        return None if told is None else slack_alert(told, LINKS, news.clock().date(), "/adpolicy")

    async def accept(_: InboundQuestion) -> bool:
        return True

    posted, handlers = FakePosted(), list[Any]()

    async def receive(request: web.Request) -> web.StreamResponse:
        answered: web.StreamResponse = await handlers[0](request)
        return answered

    bot = web.Application()
    bot.add_routes([web.post(EVENTS_PATH, receive)])
    async with client() as session, TestServer(bot) as server:
        slack = SlackStandIn(
            str(server.make_url("")), SIGNING_SECRET, clock=news.clock, app=app, limits=limits, monotonic=timer
        )
        await slack.start()
        try:
            clients = SlackClients(session, SingleWorkspace("xoxb-sandbox"), slack.api_url)
            subscribing = Subscribing(
                news.subscriptions, SqlPolicyStore(engine), news.access, now=news.clock, new_id=news.new_id
            )
            settings = SlackSettings("xoxb-sandbox", SIGNING_SECRET, slack.api_url)
            commands = SlackSubscribing(subscribing, clients, LINKS.source_names, 8)
            rule = FakeRule()
            channels = ports_of(admits=rule)
            parts = SlackParts(settings, accept, clients, clock=news.clock, subscribing=commands, channels=channels)
            handlers.append(slack_routes(parts, slack_app(parts))[0].handler)
            renderers = dict.fromkeys((NoticeKind.ALERT, NoticeKind.DIGEST), render)
            turns, slept = LocalPostingPace(clock=timer), list[float]()

            async def sleep(seconds: float) -> None:
                slept.append(seconds)

            poster = SlackPoster(turns, LoggedDeliveries(), sleep=sleep)
            sink = SlackNoticeSink(clients, renderers, posted, poster, news.clock)
            service = NoticeService(
                news.queue, {"slack": sink}, news.subscriptions, news.log,
                worker="w", now=news.clock, monotonic=timer, pace=pace,
            )  # fmt: skip
            yield AlertSlack(news, slack, sink, service, posted, commands, subscribing, clients, rule, turns, slept)
            await parts.tasks.aclose()
        finally:
            await slack.stop()
