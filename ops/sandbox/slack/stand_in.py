"""A local server that plays Slack: for tests, and for trying the bot by hand."""

import itertools
import secrets
from datetime import UTC, datetime

import aiohttp
from aiohttp import web

from ops.sandbox.slack.deliveries import Acknowledgement, Delivery, Sender, command_body
from ops.sandbox.slack.page import page_routes
from ops.sandbox.slack.people import Lookups
from ops.sandbox.slack.response_urls import ResponseUrls
from ops.sandbox.slack.troubles import Trouble, Troubles
from ops.sandbox.slack.web_api import WebApi
from ops.sandbox.slack.workspace import Clock, Message, Workspace

LOOPBACK = "127.0.0.1"


def utc_now() -> datetime:
    return datetime.now(UTC)


class SlackStandIn:
    """One workspace on loopback. `start` before use, `stop` at the end; both once.

    `workspace` holds channels and messages and may be changed at any time. What Slack would refuse is refused with
    Slack's own codes: tokens, channel membership, Block Kit limits, worn-out `response_url`s.
    """

    def __init__(
        self,
        bot_url: str,
        signing_secret: str,
        *,
        bot_token: str = "xoxb-sandbox",  # noqa: S107 - a token for this stand-in alone
        clock: Clock = utc_now,
        workspace: Workspace | None = None,
    ) -> None:
        self.bot_url = bot_url
        self.workspace = workspace or Workspace(clock)
        self._signing_secret = signing_secret
        self._troubles = Troubles()
        self.response_urls = ResponseUrls(self.workspace, self._troubles)
        self._api = WebApi(self.workspace, self._troubles, bot_token)
        self._trigger_numbers = itertools.count(1)
        self._run = secrets.token_hex(4)
        self._base_url = ""

    @property
    def base_url(self) -> str:
        """Where the page is, and below it everything else."""
        return self._base_url

    @property
    def api_url(self) -> str:
        """For ADPOLICY_SLACK_API_URL."""
        return f"{self._base_url}/api/"

    @property
    def lookups(self) -> Lookups:
        """Scopes and page size of the methods that tell who is who."""
        return self._api.lookups

    @property
    def api_calls(self) -> list[str]:
        """The methods that were called, in order."""
        return self._api.calls

    @property
    def messages(self) -> list[Message]:
        return self.workspace.messages

    async def start(self, port: int = 0) -> None:
        """Listens on loopback; port 0 takes a free one."""
        app = web.Application()
        app.router.add_route("*", "/api/{method}", self._api.receive)
        app.router.add_post("/commands/{team}/{secret}", self.response_urls.receive)
        app.router.add_routes(page_routes(self.workspace, self.bot_url, self.send_command))
        self._runner = web.AppRunner(app, access_log=None)
        await self._runner.setup()
        site = web.TCPSite(self._runner, LOOPBACK, port)
        await site.start()
        self._base_url = f"http://{LOOPBACK}:{self._runner.addresses[0][1]}"
        self._session = aiohttp.ClientSession()
        self._sender = Sender(self._session, self.workspace, self.bot_url, self._signing_secret)

    async def stop(self) -> None:
        await self._session.close()
        await self._runner.cleanup()

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
        """`user` types `command text` in `channel`; returns when the bot has acknowledged, or after 3 seconds."""
        return await self._sender.send(self._delivery(text, team, channel, user, trigger_id, command))

    async def redeliver(self, delivery: Delivery, *, retry: int = 1, age_seconds: float = 0.0) -> Acknowledgement:
        """Slack's retry: the same request, signed again. For a late one move the clock, for a stale one give
        `age_seconds`, by which the signature is dated back."""
        return await self._sender.send(delivery, retry=retry, age_seconds=age_seconds)

    async def received(self, count: int = 1, seconds: float = 10.0) -> list[Message]:
        """All messages as soon as there are `count`; TimeoutError when that takes longer."""
        return await self.workspace.received(count, seconds)

    def trouble(self, endpoint: str, trouble: Trouble, times: int = 1) -> None:
        """The next `times` requests to "response_url" or an API method end in `trouble`."""
        self._troubles.add(endpoint, trouble, times)

    def revoke_token(self) -> None:
        self._api.revoke()

    def _delivery(self, text: str, team: str, channel: str, user: str, trigger_id: str, command: str) -> Delivery:
        response_url = self.response_urls.issue(self._base_url, channel, user)
        trigger = trigger_id or f"{next(self._trigger_numbers)}.{self._run}"
        body = command_body(
            team=team or self.workspace.team,
            channel=channel,
            channel_name=self.workspace.channels[channel].name,
            user=user,
            command=command,
            text=text,
            response_url=response_url,
            trigger_id=trigger,
        )
        return Delivery(channel, user, command, trigger, response_url, body)
