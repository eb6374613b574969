"""A bot that many workspaces can install, beside a Slack that lets them."""

import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

import aiohttp
from aiohttp.test_utils import TestServer, unused_port
from sqlalchemy.ext.asyncio import AsyncEngine
from yarl import URL

from adapters.slack.app import slack_app, slack_routes
from adapters.slack.client import SlackClients
from adapters.slack.oauth.tokens import SingleWorkspace, authorized_by
from adapters.slack.parts import SlackParts
from adapters.slack.settings import AllowedWorkspaces, OAuthSettings, SlackSettings
from adapters.sql.chat.installations import SqlInstallations
from adapters.sql.database.vault import Vault, new_key
from adapters.web.app import chat_app
from ops.deploy.slack_manifest import bot_scopes
from ops.sandbox.slack import EVERY_EVENT, NO_LIMITS, App, SlackStandIn
from ops.slack_installing import Workspaces, open_workspaces
from tests.fakes.slack import PATIENT_SECONDS, SIGNING_SECRET, FakeClock, FakeInbox

ROTATING = App(events=EVERY_EVENT, is_rotating=True, takes_orgs=True)
LASTING = replace(ROTATING, is_rotating=False)
VAULT = Vault([new_key()])


@dataclass(slots=True)
class InstallingWorld:
    """`forgotten`: workspaces that were forgotten after the app was uninstalled, in order."""

    slack: SlackStandIn
    url: str
    workspaces: Workspaces
    clients: SlackClients
    store: SqlInstallations
    clock: FakeClock
    inbox: FakeInbox
    session: aiohttp.ClientSession
    forgotten: list[str] = field(default_factory=list)
    failure: Exception | None = None

    async def forget(self, workspace: str) -> None:
        if self.failure:
            raise self.failure
        self.forgotten.append(workspace)

    def browser(self) -> "Browser":
        return Browser(self, aiohttp.CookieJar(unsafe=True))

    async def install(self, team: str = "T1", *, organisation: bool = False) -> "Shown":
        browser = self.browser()
        asked = await browser.begin()
        return await browser.opens(self.slack.authorize(asked, team=team, organisation=organisation))

    async def token(self, team: str, enterprise: str = "") -> str:
        return await self.workspaces.tokens.of(team, enterprise)


@dataclass(frozen=True, slots=True)
class Shown:
    """What a browser got; `to`: where it is sent."""

    status: int
    html: str
    to: str = ""

    @property
    def title(self) -> str:
        found = re.search("<title>(.*)</title>", self.html)
        return found[1] if found else ""


@dataclass(slots=True)
class Browser:
    world: InstallingWorld
    jar: aiohttp.CookieJar

    async def opens(self, address: str) -> Shown:
        async with (
            aiohttp.ClientSession(cookie_jar=self.jar) as session,
            session.get(URL(address, encoded=True), allow_redirects=False) as answer,
        ):
            return Shown(answer.status, await answer.text(), answer.headers.get("Location", ""))

    async def begin(self) -> str:
        """Clicks "Add to Slack"; Slack's address."""
        return (await self.opens(f"{self.world.url}/slack/install?start=1")).to


@asynccontextmanager
async def installing_world(
    engine: AsyncEngine,
    *,
    app: App = LASTING,
    allowed: str = "T1,T2,E1",
    bot_token: str = "",
    clock: FakeClock | None = None,
) -> AsyncIterator[InstallingWorld]:
    """With T1, T2 and T3; T7 and T8 in the organisation E1; the app is in none of them, but for `bot_token` in T1."""
    clock, port = clock or FakeClock(), unused_port()
    url = f"http://127.0.0.1:{port}"
    slack = SlackStandIn(
        url, SIGNING_SECRET, clock=clock, app=app, limits=NO_LIMITS, bot_token=bot_token or "xoxb-nobodys"
    )
    await slack.start()
    for team, enterprise in (("T2", ""), ("T3", ""), ("T7", "E1"), ("T8", "E1")):
        slack.add_workspace(team, enterprise=enterprise)
    if not bot_token:
        slack.world.grants.end("xoxb-nobodys")
    oauth = OAuthSettings("1.1", app.client_secret, url, bot_scopes(), AllowedWorkspaces(frozenset(allowed.split(","))))
    settings = SlackSettings(bot_token, SIGNING_SECRET, slack.api_url, oauth=oauth)
    try:
        async with (
            aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar()) as session,
            open_workspaces(settings, session, engine, VAULT, clock) as workspaces,
        ):
            clients = SlackClients(session, workspaces.tokens, settings.api_url)
            store, inbox = SqlInstallations(engine, VAULT), FakeInbox()
            world = InstallingWorld(slack, url, workspaces, clients, store, clock, inbox, session)
            parts = SlackParts(
                settings, inbox.accept, clients, clock=clock, ended=workspaces.ended, on_uninstalled=(world.forget,)
            )
            bolt = slack_app(parts, authorized_by(workspaces.tokens, wait_seconds=PATIENT_SECONDS))
            server = TestServer(chat_app([*slack_routes(parts, bolt), *workspaces.routes]), port=port)
            await server.start_server()
            try:
                yield world
            finally:
                await server.close()
    finally:
        await slack.stop()


@asynccontextmanager
async def single_world() -> AsyncIterator[tuple[SlackStandIn, list[str]]]:
    """One workspace by its token, and the workspaces that were forgotten."""
    port, clock = unused_port(), FakeClock()
    slack = SlackStandIn(f"http://127.0.0.1:{port}", SIGNING_SECRET, clock=clock, app=LASTING, limits=NO_LIMITS)
    await slack.start()
    forgotten: list[str] = []

    async def forget(workspace: str) -> None:
        forgotten.append(workspace)

    try:
        async with aiohttp.ClientSession() as session:
            settings = SlackSettings("xoxb-sandbox", SIGNING_SECRET, slack.api_url)
            tokens = SingleWorkspace(settings.bot_token)
            clients = SlackClients(session, tokens, settings.api_url)
            parts = SlackParts(settings, FakeInbox().accept, clients, clock=clock, on_uninstalled=(forget,))
            server = TestServer(
                chat_app(slack_routes(parts, slack_app(parts, authorized_by(tokens, wait_seconds=PATIENT_SECONDS)))),
                port=port,
            )
            await server.start_server()
            try:
                yield slack, forgotten
            finally:
                await server.close()
    finally:
        await slack.stop()


def tell(slack: SlackStandIn, team: str, event: Mapping[str, object]) -> None:
    """An event about a token, as Slack would send it whatever is true."""
    grant = [each for each in slack.world.grants if each.team == team or each.is_org][-1]
    slack._events.tell(slack.world.workspaces[team], str(event["type"]), event, grant=grant)


async def organisation_leaves(slack: SlackStandIn, team: str) -> None:
    """An admin takes the app out of a whole organisation; told with one of its workspaces."""
    [whole] = [each for each in slack.world.grants if each.is_org]
    slack.world.grants.end(whole.token, "account_inactive")
    slack._events.ended(slack.world.workspaces[team], whole, uninstalled=True)
    await slack.catch_up()
