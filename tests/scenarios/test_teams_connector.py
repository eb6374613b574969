"""The ports on botbuilder against the stand-in: its tokens and keys, its conversations, its refusals."""

import asyncio
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from dataclasses import dataclass

import aiohttp
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from adapters.teams.addresses import TeamsReference
from adapters.teams.app import MESSAGES_PATH, teams_routes
from adapters.teams.botframework.opening import BotFramework, open_botframework
from adapters.teams.listening import InvokeReply
from adapters.teams.messages import TeamsActivity
from adapters.teams.parts import TeamsParts
from adapters.teams.settings import TeamsSettings
from bot.model.messages import InboundQuestion
from ops.sandbox.teams import TeamsStandIn, teams_stand_in
from ops.sandbox.teams.tokens import Bad
from ops.sandbox.teams.world import TENANT
from ops.sandbox.troubles import cut
from ops.teams_connection import TeamsConnection
from ops.teams_sdk import app_tokens, channel_tokens, open_teams_sdk
from rag_core.errors import Rejected, Unavailable

HELLO: dict[str, object] = {"type": "message", "text": "hello"}


@dataclass
class Teams:
    stand_in: TeamsStandIn
    sdk: BotFramework
    session: aiohttp.ClientSession
    heard: list[TeamsActivity]
    slept: list[float]

    def to(self, where: str) -> TeamsReference:
        place = self.stand_in.world.place(where)
        return TeamsReference(self.stand_in.service_url(), TENANT, place.id, self.stand_in.world.bot)


@asynccontextmanager
async def connected() -> AsyncIterator[Teams]:
    heard: list[TeamsActivity] = []
    slept: list[float] = []
    routes: list[web.RouteDef] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    async def listen(parts: TeamsParts, activity: TeamsActivity) -> InvokeReply | None:
        heard.append(activity)
        return None

    async def receive(request: web.Request) -> web.StreamResponse:
        return await routes[0].handler(request)

    app = web.Application()
    app.router.add_post(MESSAGES_PATH, receive)
    async with (
        aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar()) as session,
        TestServer(app) as server,
        teams_stand_in(str(server.make_url("")).rstrip("/")) as stand_in,
    ):
        settings = settings_for(stand_in)
        keys = channel_tokens(session, settings)
        sdk = open_botframework(settings, session, app_tokens(session, settings), keys, sleep=sleep)
        parts = TeamsParts(settings, sdk.inbound, sdk.outbound, sdk.directory, _accept)
        routes.extend(teams_routes(parts, {"message": listen}))
        yield Teams(stand_in, sdk, session, heard, slept)


def settings_for(stand_in: TeamsStandIn) -> TeamsSettings:
    return TeamsSettings(
        app_id=stand_in.tokens.app_id,
        tenants=frozenset({TENANT}),
        app_secret=stand_in.tokens.app_secret,
        openid_url=stand_in.openid_url,
        issuer=stand_in.issuer_name,
        scope=stand_in.scope,
        login_url=stand_in.login_url,
    )


async def _accept(question: InboundQuestion) -> bool:
    return True


@pytest.fixture
async def teams() -> AsyncIterator[Teams]:
    async with connected() as made:
        yield made


async def test_what_is_signed_wrong_is_401_and_what_is_right_200(teams: Teams) -> None:
    person = teams.stand_in.person(1)
    found = {}
    for bad in Bad:
        teams.stand_in.bad_tokens(bad)
        found[bad] = (await person.writes_to_bot(f"with {bad}")).status
    assert found == dict.fromkeys(Bad, 401)
    assert teams.heard == []
    teams.stand_in.bad_tokens(None)
    assert (await person.writes_to_bot("as it should be")).status == 200
    assert (await person.mentions("and in a channel", "ads")).status == 200
    assert (teams.heard[0].text, teams.heard[1].service_url) == ("as it should be", teams.stand_in.service_url())


@pytest.mark.parametrize("header", ["", "Bearer", "Bearer x.y.z", "Bearer " + "a" * 7_000, "Bearer é", "\x80"])
async def test_any_header_is_401_and_never_500(teams: Teams, header: str) -> None:
    for body in (b"", b"{}", b"not json", b"\xff", b"[" * 10_000):
        assert await teams.stand_in.post_raw(body, {"Authorization": header}, signed=False) == 401
        assert await teams.stand_in.post_raw(body, {}, signed=False) == 401


async def test_keys_are_rotated_and_the_next_message_is_taken(teams: Teams) -> None:
    person = teams.stand_in.person(1)
    assert (await person.writes_to_bot("before")).status == 200
    teams.stand_in.rotate_keys()
    after = await asyncio.gather(*(person.writes_to_bot(f"after {number}") for number in range(5)))
    assert {each.status for each in after} == {200}
    assert teams.stand_in.issuer.fetched == 2


async def test_a_token_of_one_service_address_is_none_for_another(teams: Teams) -> None:
    asked = await teams.stand_in.person(1).writes_to_bot("hello")
    assert asked.delivery is not None
    moved = {**asked.delivery.activity, "serviceUrl": "https://smba.trafficmanager.net/else/"}
    assert (await teams.stand_in.send(moved, bad=Bad.SERVICE_URL)).status == 401


async def test_writing_changing_and_deleting_with_one_token(teams: Teams) -> None:
    out = teams.sdk.outbound
    root = await out.send(teams.to("ads"), HELLO)
    thread = TeamsReference(
        teams.stand_in.service_url(), TENANT, f"{teams.to('ads').conversation};messageid={root}", teams.to("ads").bot
    )
    ids = [await out.send(thread, {**HELLO, "text": f"reply {number}"}) for number in range(30)]
    await out.update(thread, ids[0], {**HELLO, "text": "changed"})
    await out.delete(thread, ids[1])
    await out.typing(thread)
    written = teams.stand_in.bot_messages(thread.conversation)
    assert [each.text for each in written][:3] == ["hello", "changed", "reply 2"]
    assert {each.thread or each.id for each in written} == {root}
    assert len(teams.stand_in.calls_of("typing")) == 1
    assert teams.stand_in.token_fetches == [(TENANT, teams.stand_in.scope)]


async def test_a_person_is_written_to_though_he_never_wrote(teams: Teams) -> None:
    person = teams.stand_in.person(2)
    chat = await teams.sdk.outbound.resume(teams.to("ads"), person.account.user)
    await teams.sdk.outbound.send(chat, HELLO)
    assert [each.text for each in teams.stand_in.bot_messages(person.chat.id)] == ["hello"]
    by_object_id = await teams.sdk.outbound.resume(teams.to("ads"), person.account.object_id)
    assert by_object_id == chat


async def test_trouble_that_passes_is_waited_out_and_nothing_is_written_twice(teams: Teams) -> None:
    for status in (429, 412, 502, 504):
        teams.stand_in.trouble("POST", status)
    teams.stand_in.trouble("POST", 429, Retry_After="7")
    with pytest.raises(Unavailable):  # the fifth try was the last one
        await teams.sdk.outbound.send(teams.to("ads"), HELLO)
    assert teams.slept == [1.0, 2.0, 4.0, 8.0]
    teams.stand_in.trouble("POST", 429, Retry_After="7")
    await teams.sdk.outbound.send(teams.to("ads"), HELLO)
    assert teams.slept[4:] == [7.0]
    assert len(teams.stand_in.bot_messages("ads")) == 1


async def test_what_broke_off_after_it_was_taken_is_not_sent_again(teams: Teams) -> None:
    teams.stand_in.trouble("POST", cut(after_doing=True))
    with pytest.raises(Unavailable) as raised:
        await teams.sdk.outbound.send(teams.to("ads"), HELLO)
    assert raised.value.details["delivered"] == "unknown"
    assert len(teams.stand_in.bot_messages("ads")) == 1


async def test_a_revoked_token_is_replaced(teams: Teams) -> None:
    await teams.sdk.outbound.send(teams.to("ads"), HELLO)
    teams.stand_in.tokens.revoke()
    await teams.sdk.outbound.send(teams.to("ads"), HELLO)
    assert len(teams.stand_in.token_fetches) == 2


async def test_what_teams_refuses(teams: Teams) -> None:
    out, person = teams.sdk.outbound, teams.stand_in.person(1)
    await refused("teams_message_too_big", out.send(teams.to("ads"), {**HELLO, "text": "a" * 60_000}))
    await refused("teams_message_gone", out.update(teams.to("ads"), "1", HELLO))
    await refused("teams_message_gone", out.delete(teams.to("ads"), "1"))
    person.blocks_bot()
    await refused("teams_channel_closed", out.send(teams.to(person.chat.id), HELLO))
    gone = TeamsReference(teams.stand_in.service_url(), TENANT, "19:nowhere@thread.tacv2", teams.to("ads").bot)
    await refused("teams_channel_closed", out.send(gone, HELLO))
    await refused("teams_channel_closed", teams.sdk.directory.members(gone, 10))
    await teams.stand_in.person(1).uninstalls("ads")
    await refused("teams_channel_closed", out.send(teams.to("ads"), HELLO))
    assert teams.slept == []


async def refused(code: str, call: Awaitable[object]) -> None:
    with pytest.raises(Rejected) as raised:
        await call
    assert raised.value.code == code


async def test_who_is_in_a_conversation(teams: Teams) -> None:
    teams.stand_in.world.page_size = 2
    guest = teams.stand_in.person(9, kind="guest")
    teams.stand_in.join(9, "ads")
    found = await teams.sdk.directory.members(teams.to("ads"), 10)
    assert found is not None
    assert [each.user for each in found if each.is_full(TENANT)] == [
        teams.stand_in.person(number).account.user for number in (1, 2, 3)
    ]
    assert guest.account.user in {each.user for each in found}
    assert await teams.sdk.directory.members(teams.to("ads"), 3) is None
    one = await teams.sdk.directory.member(teams.to("ads"), teams.stand_in.person(2).account.object_id)
    assert one is not None
    assert one.user == teams.stand_in.person(2).account.user
    assert await teams.sdk.directory.member(teams.to("talk"), guest.account.user) is None


async def test_as_the_server_opens_it(teams: Teams) -> None:
    sdk = open_teams_sdk(TeamsConnection(settings_for(teams.stand_in), teams.session))
    await sdk.outbound.send(teams.to("ads"), HELLO)
    assert [each.text for each in teams.stand_in.bot_messages("ads")] == ["hello"]
