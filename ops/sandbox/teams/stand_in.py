"""A local server that plays Teams: for tests, and for trying the bot by hand."""

import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any

import aiohttp

from ops.sandbox.own_page import Server
from ops.sandbox.teams.activities import Activities
from ops.sandbox.teams.clicking import Means
from ops.sandbox.teams.connector import Called, Connector
from ops.sandbox.teams.deliveries import Answered, Carrier, Delivery, Sending
from ops.sandbox.teams.graph import GraphApi, WorldFacts
from ops.sandbox.teams.limits import NO_LIMITS, Limits, TeamsRefusal
from ops.sandbox.teams.messages import Clock, Message
from ops.sandbox.teams.page import Page
from ops.sandbox.teams.person import Person
from ops.sandbox.teams.tokens import CONNECTOR, ISSUER, METADATA_PATH, Bad, Issuer, Tokens
from ops.sandbox.teams.world import TENANT, PersonKind, World, settle, thread_of
from ops.sandbox.troubles import Trouble, Troubles

APP_ID = "44444444-4444-4444-4444-444444444444"
APP_SECRET = "an-app-secret"  # noqa: S105 - for this stand-in alone # pragma: allowlist secret


def utc_now() -> datetime:
    return datetime.now(UTC)


_CODES = {429: "Throttled", 412: "PreconditionFailed", 502: "BadGateway", 504: "GatewayTimeout"}


def _body_of(trouble: Trouble) -> dict[str, object]:
    return {"error": {"code": trouble.error or _CODES.get(trouble.status, "ServiceError"), "message": "trouble"}}


def settings_for(address: str, app_id: str, app_secret: str, tenant: str = TENANT) -> dict[str, str]:
    """The settings with which a bot meets the Teams at this address."""
    return {
        "ADPOLICY_TEAMS_APP_ID": app_id,
        "ADPOLICY_TEAMS_APP_SECRET": app_secret,
        "ADPOLICY_TEAMS_TENANTS": tenant,
        "ADPOLICY_TEAMS_OPENID_URL": f"{address}{METADATA_PATH}",
        "ADPOLICY_TEAMS_ISSUER": ISSUER,
        "ADPOLICY_TEAMS_BOT_SCOPE": f"{CONNECTOR}/.default",
        "ADPOLICY_TEAMS_LOGIN_URL": address,
        "ADPOLICY_TEAMS_GRAPH_URL": f"{address}/v1.0",
    }


class TeamsStandIn:
    """Teams on loopback. `start` before use, `stop` at the end; both once.

    `world` holds tenants, people, teams and conversations, and may be changed at any time; `facts` what Graph knows
    beside it, `graph` how it answers. `calls`: every call of the connector, in order, may be cleared. `attempts`:
    everything that was sent to the bot, with what it answered and after how many seconds. `token_fetches`: tokens that
    were asked for, as (tenant, scope). What Teams would refuse is refused with Teams' own codes. Limits count
    `monotonic` seconds; what expires goes by `clock`, except the tokens on deliveries: they go by `token_clock`.
    """

    def __init__(
        self,
        bot_url: str,
        app_id: str = APP_ID,
        app_secret: str = APP_SECRET,
        *,
        tenant: str = TENANT,
        clock: Clock = utc_now,
        token_clock: Clock | None = None,
        limits: Limits = NO_LIMITS,
        monotonic: Callable[[], float] = time.monotonic,
        installed: bool = True,
    ) -> None:
        self.bot_url = bot_url
        self.world = World(app_id, clock, limits, monotonic)
        settle(self.world, installed=installed)
        self.issuer = Issuer(app_id, token_clock or utc_now)
        self.tokens = Tokens(app_id, app_secret, tenant, self.world.tenants, clock)
        self._troubles = Troubles(_body_of)
        self._connector = Connector(self.world, self.tokens, self._troubles)
        self.calls, self.token_fetches = self._connector.calls, self.tokens.fetches
        self.facts = WorldFacts(self.world)
        self.graph = GraphApi(self.facts, self._opens_graph)
        self._server = Server(2**22)

    @property
    def base_url(self) -> str:
        """Where the page is, and below it everything else."""
        return self.world.base_url

    @property
    def openid_url(self) -> str:
        """For ADPOLICY_TEAMS_OPENID_URL."""
        return f"{self.world.base_url}{METADATA_PATH}"

    @property
    def login_url(self) -> str:
        """For ADPOLICY_TEAMS_LOGIN_URL."""
        return self.world.base_url

    @property
    def graph_url(self) -> str:
        """For ADPOLICY_TEAMS_GRAPH_URL."""
        return f"{self.world.base_url}/v1.0"

    @property
    def issuer_name(self) -> str:
        """For ADPOLICY_TEAMS_ISSUER."""
        return self.issuer.issuer

    @property
    def scope(self) -> str:
        """For ADPOLICY_TEAMS_BOT_SCOPE."""
        return f"{CONNECTOR}/.default"

    @property
    def settings(self) -> dict[str, str]:
        """The settings with which the bot meets this Teams."""
        return settings_for(self.world.base_url, self.tokens.app_id, self.tokens.app_secret, self.tokens.app_tenant)

    def service_url(self, tenant: str = TENANT) -> str:
        return self.world.service_url(tenant)

    @property
    def invoke_seconds(self) -> float:
        """How long an invoke may take."""
        return self._carrier.invoke_seconds

    @invoke_seconds.setter
    def invoke_seconds(self, seconds: float) -> None:
        self._carrier.invoke_seconds = seconds

    async def start(self, port: int = 0) -> None:
        """Listens on loopback; port 0 takes a free one."""
        self._session = aiohttp.ClientSession()
        self._carrier = Carrier(self._session, self.bot_url, self.issuer)
        self._sending = Sending(self._carrier, self.world.clock)
        self.attempts, self.disorder = self._sending.attempts, self._sending.disorder
        self._means = Means(self.world, self._sending, Activities(self.world))
        await self._listen(port)
        self._sending.tasks.tick()

    async def stop(self) -> None:
        await self._sending.tasks.stop()
        await self._session.close()
        await self._server.stop()

    def person(self, number: int | str = 1, *, kind: PersonKind | str = "", tenant: str = TENANT) -> Person:
        """Somebody who can act. Who is not known yet is added, with `kind` and `tenant`; he is in no conversation but
        his own with the bot."""
        who = int(number)
        if who not in self.world.accounts:
            self.world.add_person(who, kind=PersonKind(kind or PersonKind.MEMBER), tenant=tenant)
            self.world.personal_chat(who).is_installed_here = True
        return Person(self._means, self.world.accounts[who])

    def join(self, number: int, where: str) -> None:
        """Makes somebody a member, of the team where it is a standard channel; the bot is not told."""
        self.world.place(where).members.add(number)

    def reads_all(self, where: str, *, granted: bool = True) -> None:
        """The resource-specific consent to read everything, of a team (`ChannelMessage.Read.Group`) or a chat."""
        place = self.world.place(where)
        if place.team is not None:
            place.team.hears_all = granted
        place.hears_all_here = granted

    def rotate_keys(self) -> None:
        """Teams signs with a new key from now on, and no longer publishes the old one."""
        self.issuer.rotate()

    def bad_tokens(self, bad: Bad | None) -> None:
        """What is wrong with the tokens of all that is sent from now on; None for nothing."""
        self._means.bad = bad

    def trouble(self, operation: str, trouble: Trouble | int = 502, times: int = 1, **headers: str) -> None:
        """The next `times` calls of an operation ("POST", "PUT", "DELETE", "typing", "stream", "create", "members")
        end so; a number is a status, `headers` its headers (`Retry_After="2"`)."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        made = trouble if isinstance(trouble, Trouble) else Trouble(trouble, headers=named)
        self._troubles.add(operation, made, times)

    def messages(self, where: str, *, deleted: bool = False) -> list[Message]:
        """What stands in a conversation now, oldest first; with a thread (`...;messageid=`), in that thread."""
        place, thread = self.world.place(where), thread_of(where)
        found = self.world.messages.listed(place.id, deleted=deleted)
        return [each for each in found if thread in ("", each.thread, each.id)]

    def bot_messages(self, where: str) -> list[Message]:
        """What the bot wrote; in a person's own chat by `person.chat.id`."""
        return [each for each in self.messages(where) if each.is_by_bot]

    def message(self, message: Message) -> Message:
        """As it stands now. Raises LookupError."""
        found = self.world.messages.find(message.conversation, message.id)
        if found is None:
            raise LookupError(f"there is no message {message.id}")
        return found

    def calls_of(self, operation: str) -> list[Called]:
        return [each for each in self.calls if each.operation == operation]

    async def until(self, holds: Callable[[], bool], seconds: float = 10.0) -> None:
        """Waits for something about messages or calls; TimeoutError when that takes longer."""
        await self.world.messages.until(holds, seconds)

    async def redeliver(self, answered: Answered | Delivery, *, bad: Bad | None = None) -> Answered:
        """The same activity again, signed anew."""
        delivery = answered.delivery if isinstance(answered, Answered) else answered
        if delivery is None:
            raise LookupError("nothing was sent")
        attempt = answered.attempt + 1 if isinstance(answered, Answered) else 1
        return await self._sending.once(Delivery(delivery.activity, bad or delivery.bad), attempt)

    async def send(self, activity: Mapping[str, object], *, bad: Bad | None = None) -> Answered:
        """Any activity, signed."""
        return await self._sending.once(Delivery(activity, bad))

    async def post_raw(self, body: bytes, headers: Mapping[str, str] | None = None, *, signed: bool = True) -> int:
        """Any bytes to the bot's address; the status, 0 for no answer. `headers` win over the signed ones."""
        made = {"Authorization": self.issuer.authorization(self.service_url())} if signed else {}
        return (await self._carrier.post(body, {**made, **(headers or {})}))[0]

    def hold(self) -> None:
        """Keeps activities back until `release`; invokes are never kept back."""
        self._sending.hold()

    async def release(self, *, reverse: bool = False) -> list[Answered]:
        return await self._sending.release(reverse=reverse)

    async def catch_up(self) -> None:
        """Sends what is due by the clock (again after 15 s), and waits for all that is under way."""
        self._sending.tasks.catch_up()
        await self._sending.tasks.settled()

    @property
    def pending(self) -> int:
        """Deliveries that wait for their time."""
        return self._sending.tasks.pending

    async def other_bot_says(self, text: str, where: str = "ads", thread: str = "") -> Answered:
        """A message of another app that mentions this one."""
        place = self.world.place(where)
        tag = f"<at>{self.world.bot_name}</at>"
        mention = {"type": "mention", "mentioned": {"id": self.world.bot, "name": self.world.bot_name}, "text": tag}
        said = {"text": f"{tag} {text}", "textFormat": "plain", "entities": [mention]}
        other = "28:99999999-9999-9999-9999-999999999999"
        written = self.world.messages.post(place.id, other, said, thread=thread, heard=True)
        made = self._means.activities.message(place, self.world.accounts[min(self.world.accounts)], written)
        made["from"] = {"id": other, "name": "Other bot", "role": "bot"}
        return await self._means.deliver(made, written)

    async def team_changes(self, event: str, where: str = "general", by: int = 1, **facts: object) -> Answered:
        """ "teamRenamed", "teamDeleted", "teamArchived", "channelCreated", "channelRenamed", "channelDeleted",
        "channelRestored"; deleted ones take no more messages."""
        place = self.world.place(where)
        if place.team is None:
            raise LookupError(f"{where} is no channel")
        gone = [place] if event == "channelDeleted" else []
        if event == "teamDeleted":
            gone = [each for each in self.world.places.values() if each.team is place.team]
        for each in gone:
            each.is_deleted = True
        if event == "channelRestored":
            place.is_deleted = False
        told = self._means.activities.changed(place, self.world.accounts[by], event, **facts)
        return await self._means.deliver(told)

    async def members_change(self, where: str, numbers: list[int], *, added: bool = True, by: int = 1) -> Answered:
        """People join or leave; the bot is told."""
        place = self.world.place(where)
        for each in numbers:
            (place.members.add if added else place.members.discard)(each)
        who = [self.world.accounts[each].sender() for each in numbers]
        return await self._means.deliver(self._means.activities.members(place, self.world.accounts[by], who, added))

    async def _listen(self, port: int) -> None:
        page = Page(self._means, self.bot_url, self.person)
        for each in (self.issuer, self.tokens, self._connector, self.graph, page):
            self._server.app.router.add_routes(each.routes())
        self.world.base_url = self.issuer.base_url = await self._server.start(port)
        self.tokens.graph_url = self.graph.base_url = self.world.base_url

    def _opens_graph(self, authorization: str) -> bool:
        try:
            self.tokens.check(authorization, self.tokens.graph_url)
        except TeamsRefusal:
            return False
        return True


@asynccontextmanager
async def teams_stand_in(
    bot_url: str = "http://127.0.0.1:9",
    app_id: str = APP_ID,
    app_secret: str = APP_SECRET,
    *,
    port: int = 0,
    **options: Any,
) -> AsyncIterator[TeamsStandIn]:
    """A running stand-in. `options` as of `TeamsStandIn`; `installed`: the app is in the team, the group chat and
    everybody's own chat already."""
    stand_in = TeamsStandIn(bot_url, app_id, app_secret, **options)
    await stand_in.start(port)
    try:
        yield stand_in
    finally:
        await stand_in.stop()
