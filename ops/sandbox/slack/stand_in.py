"""A local server that plays Slack: for tests, and for trying the bot by hand."""

import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import aiohttp

from ops.sandbox.own_page import Server
from ops.sandbox.slack import grants
from ops.sandbox.slack.app import EVERY_EVENT, App
from ops.sandbox.slack.deliveries import (
    ACK_SECONDS,
    Acknowledgement,
    Carrier,
    Delivery,
    Events,
    HttpCarrier,
    Retry,
    Sending,
    signed_headers,
)
from ops.sandbox.slack.grants import Grant
from ops.sandbox.slack.interactions import Interactions, ResponseUrls
from ops.sandbox.slack.limits import Limits, Meter
from ops.sandbox.slack.page import Page
from ops.sandbox.slack.people import BOT
from ops.sandbox.slack.person import Means, Person
from ops.sandbox.slack.sockets import Sockets
from ops.sandbox.slack.web_api import Called, WebApi, code_of
from ops.sandbox.slack.workspace import Clock, Message, Workspace
from ops.sandbox.slack.world import World
from ops.sandbox.troubles import Trouble, Troubles

OTHER_BOT = "BOTHER"


def utc_now() -> datetime:
    return datetime.now(UTC)


class SlackStandIn:
    """Slack on loopback. `start` before use, `stop` at the end; both once.

    `workspace` (T1) and `workspaces` hold channels, people and messages and may be changed at any time; what changes
    there is told to the app as events, if `app.events` subscribes to them. What Slack would refuse is refused with
    Slack's own codes. Limits count `monotonic` seconds; everything else that expires goes by `clock`.

    `messages`: of the first workspace, ephemeral ones among them, as they stand now. `calls`: every call of the Web API
    in order, `api_calls` their methods, which may be cleared. `attempts`: everything that was sent to the bot, with
    what it answered and after how many seconds. `lookups`: scopes and page size of the methods that tell who is who.
    `disorder`: duplicates of events, on request.
    """

    def __init__(
        self,
        bot_url: str,
        signing_secret: str,
        *,
        bot_token: str = "xoxb-sandbox",  # noqa: S107 - a token for this stand-in alone
        clock: Clock = utc_now,
        workspace: Workspace | None = None,
        app: App | None = None,
        limits: Limits | None = None,
        monotonic: Callable[[], float] = time.monotonic,
        ack_seconds: float = ACK_SECONDS,
    ) -> None:
        self.bot_url = bot_url
        self.workspace = workspace or Workspace(clock)
        self.messages = self.workspace.messages
        self.app = known = replace(app or App(), signing_secret=signing_secret)
        self.world = World(clock, known, Meter(limits or Limits(), monotonic), {})
        self.lookups = self.world.lookups
        self._troubles = Troubles(lambda trouble: {"ok": False, "error": code_of(trouble)})
        self.response_urls = ResponseUrls(self.workspace, self._troubles)
        self._api = WebApi(self.world, self._troubles)
        self.calls, self.api_calls = self._api.calls, self._api.names
        self.sockets = Sockets(known.app_id, ack_seconds)
        self._ack_seconds = ack_seconds
        self._server = Server(2**21)
        self.world.connect = self.sockets.ticket
        self.world.uninstalled = self._ended
        self._adopt(self.workspace)
        self.world.grants.add(Grant(bot_token, self.workspace.team, known.scopes, self.workspace.enterprise))

    @property
    def base_url(self) -> str:
        """Where the page is, and below it everything else."""
        return self.world.base_url

    @property
    def api_url(self) -> str:
        """For ADPOLICY_SLACK_API_URL."""
        return f"{self.world.base_url}/api/"

    @property
    def stream_overlaps(self) -> int:
        """How often two calls wrote to one stream at the same time."""
        return self._api.overlaps

    @property
    def events_enabled(self) -> bool:
        """False once the app failed too often."""
        return self._sending.is_enabled

    async def start(self, port: int = 0) -> None:
        """Listens on loopback; port 0 takes a free one."""
        self._session = aiohttp.ClientSession()
        self._http = HttpCarrier(
            self._session, self.bot_url, self.app.signing_secret, self.world.clock, self._ack_seconds
        )
        carrier: Carrier = self.sockets if self.app.is_socket else self._http
        self._sending = Sending(carrier, self.world.clock)
        self.attempts, self.disorder = self._sending.attempts, self._sending.disorder
        self._events = Events(self.world, self._sending)
        self._interactions = Interactions(self.world, self._sending, self.response_urls)
        for each in self.world.workspaces.values():
            each.listeners.append(self._events.changed)
        await self._listen(port)
        self._sending.tasks.tick()

    async def stop(self) -> None:
        await self._sending.tasks.stop()
        await self._session.close()
        await self._server.stop()

    def person(self, user: str = "U1", team: str = "T1") -> Person:
        """Somebody who can act; they need not be known to the workspace."""
        means = Means(self.world, self._sending, self._events, self._interactions)
        return Person(means, self.world.workspaces[team], user)

    async def send_command(
        self,
        text: str,
        *,
        team: str = "",
        channel: str = "C1",
        user: str = "U1",
        trigger_id: str = "",
        command: str = "/adpolicy",
    ) -> Acknowledgement:
        """`user` types `command text` in `channel`; returns when the bot has acknowledged, or after 3 seconds.

        A `team` that is not known is told to the bot all the same.
        """
        workspace = self.world.workspaces.get(team, self.workspace)
        delivery = self._interactions.command(workspace, channel, user, command, text, trigger_id)
        if team and team not in self.world.workspaces:
            delivery = replace(delivery, payload={**delivery.payload, "team_id": team})
        seen = await self._sending.once(delivery)
        self._interactions.show(workspace, seen)
        return seen

    async def redeliver(self, delivery: Delivery, *, retry: int = 1, age_seconds: float = 0.0) -> Acknowledgement:
        """Slack's retry: the same request, signed again. For a late one move the clock, for a stale one give
        `age_seconds`, by which the signature is dated back."""
        seen = await self._sending.once(delivery, Retry(retry) if retry else None, age_seconds)
        if delivery.kind == "slash_commands":
            self._interactions.show(self.world.workspaces.get(delivery.team, self.workspace), seen)
        return seen

    async def post_raw(self, body: bytes, headers: Mapping[str, str] | None = None, *, signed: bool = True) -> int:
        """Any bytes to the bot's address; the status, 0 for no answer. `headers` win over the signed ones."""
        made = signed_headers(self.app.signing_secret, body, self.world.clock) if signed else {}
        return (await self._http.post(body, {**made, **(headers or {})}))[0]

    async def verify_url(self) -> bool:
        """What Slack does when the address is entered in the app's settings."""
        challenge = {"type": "url_verification", "token": "deprecated", "challenge": "sandbox-challenge"}
        seen = await self._http.carry(Delivery("events_api", challenge), None, 0.0)
        return seen.status == 200 and challenge["challenge"] in (seen.body, seen.json.get("challenge"))

    def hold_events(self) -> None:
        """Keeps events back until `release_events`, in order or the other way round."""
        self._sending.hold()

    def release_events(self, *, reverse: bool = False) -> None:
        self._sending.release(reverse=reverse)

    async def catch_up(self) -> None:
        """Sends what is due by the clock (retries after 1 and 5 minutes), and waits for all that is under way."""
        self._sending.tasks.catch_up()
        await self._sending.tasks.settled()

    @property
    def pending(self) -> int:
        """Deliveries that wait for their time."""
        return self._sending.tasks.pending

    async def received(self, count: int = 1, seconds: float = 10.0) -> list[Message]:
        """All messages as soon as there are `count`; TimeoutError when that takes longer."""
        return await self.workspace.received(count, seconds)

    async def until(self, holds: Callable[[], bool], seconds: float = 10.0) -> None:
        """Waits for something about messages; TimeoutError when that takes longer."""
        await self.workspace.until(holds, seconds)

    def messages_in(self, channel: str, thread_ts: str = "", team: str = "T1") -> list[Message]:
        """What everybody sees in a channel, or in one thread of it."""
        return [
            each
            for each in self.world.workspaces[team].messages
            if each.channel == channel and each.visible_to is None and thread_ts in ("", each.thread_ts, each.ts)
        ]

    def bot_messages(self, channel: str, team: str = "T1") -> list[Message]:
        """What the bot wrote that everybody sees."""
        return [each for each in self.messages_in(channel, team=team) if each.author == BOT]

    def calls_of(self, method: str) -> list[Called]:
        return [each for each in self.calls if each.method == method]

    def status(self, channel: str, thread_ts: str = "", team: str = "T1") -> str:
        """The app's "is typing ..." in a thread; "" for none."""
        return self.world.threads.status(team, channel, thread_ts)

    def trouble(self, endpoint: str, trouble: Trouble, times: int = 1) -> None:
        """The next `times` requests to "response_url" or an API method end in `trouble`."""
        self._troubles.add(endpoint, trouble, times)

    def other_bot_says(self, text: str, channel: str = "C1", *, thread_ts: str = "") -> Message:
        """A message of another app, as subtype `bot_message`."""
        payload = {"text": text, "thread_ts": thread_ts}
        return self.workspace.post(channel, "other-app", "bot", payload, subtype="bot_message", bot_id=OTHER_BOT)

    def add_workspace(self, team: str, name: str = "", *, enterprise: str = "", token: str = "") -> Workspace:
        """A further workspace; with a `token`, the app is installed there.

        In an organisation the ids of its channels end with the team's ("C1T7"): one token finds them by their ids.
        """
        made = Workspace(self.world.clock, team, name or f"Sandbox {team}", enterprise)
        if enterprise:
            moved = [replace(each, channel_id=f"{each.channel_id}{team}") for each in made.channels.values()]
            made.channels = {each.channel_id: each for each in moved}
        self._adopt(made)
        if token:
            self.world.grants.add(Grant(token, team, self.app.scopes, enterprise))
        if self.world.base_url:
            made.listeners.append(self._events.changed)
        return made

    def install_organisation(self, enterprise: str, token: str) -> Grant:
        """Puts the app into all workspaces of an Enterprise Grid organisation by one token."""
        return self.world.grants.add(Grant(token, "", self.app.scopes, enterprise))

    def authorize(
        self, url: str, *, user: str = "U3", team: str = "T1", organisation: bool = False, allowed: bool = True
    ) -> str:
        """Somebody opens an authorisation address and decides; where the browser goes then. Raises SlackRefusal."""
        made, space = grants.offer(self.app, grants.asked(url)), self.world.workspaces[team]
        return grants.decide(self.world.grants, made, space, user=user, organisation=organisation, allowed=allowed)

    def revoke_token(self, team: str = "T1", reason: str = "token_revoked") -> None:
        """Tokens of a workspace end. `reason` "account_inactive" is a workspace or bot that was deactivated."""
        self._end(team, reason, uninstalled=False)

    async def uninstall(self, team: str = "T1") -> None:
        """The app is removed: tokens end, the app is told."""
        self._end(team, "account_inactive", uninstalled=True)
        await self._sending.tasks.settled()

    def _adopt(self, workspace: Workspace) -> None:
        self.world.workspaces[workspace.team] = workspace
        workspace.listeners.append(self.world.threads.changed)

    def _ended(self, team: str) -> None:
        """The app gave its token back."""
        revoked = [each for each in self.world.grants if each.team == team][-1]
        self._events.ended(self.world.workspaces[team], revoked, uninstalled=False)

    def _end(self, team: str, reason: str, *, uninstalled: bool) -> None:
        workspace = self.world.workspaces[team]
        ended = [each for each in self.world.grants if each.covers(team, workspace.enterprise) and not each.ended]
        for each in ended:
            self.world.grants.end(each.token, reason)
        if ended:
            self._events.ended(workspace, ended[-1], uninstalled=uninstalled)

    async def _listen(self, port: int) -> None:
        router = self._server.app.router
        router.add_route("*", "/api/{method}", self._api.receive)
        router.add_post("/commands/{team}/{secret}", self.response_urls.receive)
        router.add_post("/actions/{team}/{secret}", self.response_urls.receive)
        router.add_get("/link/", self.sockets.accept)
        router.add_routes(Page(self.world, self.bot_url, self.person).routes())
        self.world.base_url = self.sockets.base_url = await self._server.start(port)


@asynccontextmanager
async def slack_stand_in(
    bot_url: str = "http://127.0.0.1:9",
    signing_secret: str = "sandbox-signing-secret",  # noqa: S107 # pragma: allowlist secret
    *,
    app: App | None = None,
    port: int = 0,
    **options: Any,
) -> AsyncIterator[SlackStandIn]:
    """A running stand-in; the app is subscribed to all events unless `app` says otherwise. `options` as of
    `SlackStandIn`."""
    stand_in = SlackStandIn(bot_url, signing_secret, app=app or App(events=EVERY_EVENT), **options)
    await stand_in.start(port)
    try:
        yield stand_in
    finally:
        await stand_in.stop()
