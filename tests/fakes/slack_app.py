"""An app that Slack talks to: it keeps what it hears and answers from a script, over HTTP or over Socket Mode."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from urllib.parse import parse_qsl

from aiohttp import web
from aiohttp.test_utils import TestServer
from slack_sdk.socket_mode.aiohttp import SocketModeClient
from slack_sdk.socket_mode.async_client import AsyncBaseSocketModeClient
from slack_sdk.socket_mode.request import SocketModeRequest
from slack_sdk.socket_mode.response import SocketModeResponse
from slack_sdk.web.async_client import AsyncWebClient

from ops.sandbox.slack import EVERY_EVENT, NO_LIMITS, App, Limits, SlackStandIn
from tests.fakes.slack import SIGNING_SECRET, FakeClock, client

Payload = Mapping[str, object]
ALL = App(events=EVERY_EVENT)


@dataclass(frozen=True, slots=True)
class Heard:
    """`retry`: number and reason of a redelivery, ("", "") for the first."""

    payload: Payload
    retry: tuple[str, str] = ("", "")

    @property
    def event(self) -> dict[str, object]:
        found = self.payload.get("event")
        return found if isinstance(found, dict) else {}

    @property
    def called(self) -> str:
        """The event's type and subtype, the kind of interaction, or the command."""
        if self.event:
            return "/".join(str(self.event[name]) for name in ("type", "subtype") if name in self.event)
        return str(self.payload.get("type") or self.payload.get("command"))


@dataclass(slots=True)
class FakeApp:
    """`answers`: kind of payload -> what is answered: a body, or a status. Everything else is acknowledged empty."""

    answers: dict[str, object] = field(default_factory=dict)
    heard: list[Heard] = field(default_factory=list)
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0
    _spoken_to: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def called(self) -> list[str]:
        return [each.called for each in self.heard]

    @property
    def events(self) -> list[dict[str, object]]:
        return [each.event for each in self.heard if each.event]

    def last(self, called: str) -> Heard:
        return [each for each in self.heard if each.called == called][-1]

    def forget(self) -> None:
        self.heard.clear()

    async def until(self, called: str, seconds: float = 10.0) -> Heard:
        """The last of this kind, as soon as there is one; TimeoutError when that takes longer."""
        async with asyncio.timeout(seconds):
            while called not in self.called:
                self._spoken_to.clear()
                await self._spoken_to.wait()
        return self.last(called)

    def take(self, heard: Heard) -> object:
        self.heard.append(heard)
        self._spoken_to.set()
        return self.answers.get(heard.called, "")

    async def receive(self, request: web.Request) -> web.Response:
        body = await request.text()
        if request.content_type == "application/json":
            payload = json.loads(body)
        else:
            form = dict(parse_qsl(body, keep_blank_values=True))
            payload = json.loads(form["payload"]) if "payload" in form else form
        retry = (request.headers.get("X-Slack-Retry-Num", ""), request.headers.get("X-Slack-Retry-Reason", ""))
        answer = self.take(Heard(payload, retry))
        await asyncio.sleep(self.delay)
        if isinstance(answer, int):
            return web.Response(status=answer, headers=self.headers)
        if isinstance(answer, str):
            return web.Response(text=answer)
        return web.json_response(answer)


@dataclass(slots=True)
class Met:
    """A stand-in, an app that it talks to, and a client with the app's token."""

    slack: SlackStandIn
    app: FakeApp
    api: AsyncWebClient
    clock: FakeClock
    client_of: Callable[[str], AsyncWebClient]

    async def heard(self, count: int = 1) -> list[Heard]:
        """All that the app heard, once nothing is under way."""
        await self.slack.catch_up()
        return self.app.heard


@asynccontextmanager
async def met(
    app: App = ALL, limits: Limits = NO_LIMITS, monotonic: Callable[[], float] = lambda: 0.0, ack_seconds: float = 3.0
) -> AsyncIterator[Met]:
    """Slack and an app over HTTP."""
    fake, clock = FakeApp(), FakeClock()
    server = web.Application()
    server.add_routes([web.post("/slack/events", fake.receive)])
    async with TestServer(server) as listening, client() as session:
        slack = SlackStandIn(
            str(listening.make_url("")), SIGNING_SECRET, clock=clock, app=app, limits=limits, monotonic=monotonic,
            ack_seconds=ack_seconds,
        )  # fmt: skip
        await slack.start()
        try:

            def client_of(token: str) -> AsyncWebClient:
                return AsyncWebClient(token, base_url=slack.api_url, session=session)

            yield Met(slack, fake, client_of("xoxb-sandbox"), clock, client_of)
        finally:
            await slack.stop()


@asynccontextmanager
async def connected(
    slack: SlackStandIn, app: FakeApp, *, silent: set[str] | None = None
) -> AsyncIterator[SocketModeClient]:
    """The SDK's Socket Mode client, acknowledging all but the kinds in `silent`."""
    web_client = AsyncWebClient(base_url=slack.api_url)
    socket = SocketModeClient("xapp-sandbox", web_client=web_client, ping_interval=0.2)

    async def hear(_client: AsyncBaseSocketModeClient, request: SocketModeRequest) -> None:
        number = str(request.retry_attempt or "")
        answer = app.take(Heard(request.payload, (number, request.retry_reason or "")))
        if request.type not in (silent or set()):
            payload = answer if isinstance(answer, dict | str) and answer else None
            await socket.send_socket_mode_response(SocketModeResponse(request.envelope_id, payload))

    socket.socket_mode_request_listeners.append(hear)
    await socket.connect()  # type: ignore[no-untyped-call]
    try:
        yield socket
    finally:
        await socket.close()  # type: ignore[no-untyped-call]


def code_of(found: BaseException) -> str:
    """Slack's error code in what the SDK raised."""
    return str(getattr(found, "response", {}).get("error"))
