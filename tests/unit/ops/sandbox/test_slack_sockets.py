"""Socket Mode, with the SDK's own client."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import aiohttp
import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from ops.sandbox.slack import App, SlackStandIn, slack_stand_in
from ops.sandbox.slack.sockets import MOST_CONNECTIONS
from tests.fakes.slack import FakeClock, client
from tests.fakes.slack_app import ALL, FakeApp, connected

SOCKET = replace(ALL, is_socket=True, shortcuts={"scope": "Scope"})


@asynccontextmanager
async def listening(app: App = SOCKET, ack_seconds: float = 3.0) -> AsyncIterator[SlackStandIn]:
    async with slack_stand_in(clock=FakeClock(), app=app, ack_seconds=ack_seconds) as slack:
        yield slack


async def test_everything_comes_over_the_connection() -> None:
    app = FakeApp({"/adpolicy": {"text": "hello"}})
    async with listening() as slack, connected(slack, app):
        person = slack.person("U1")
        await person.mentions("a question")
        seen = await person.commands("/adpolicy", "a question")
        await person.uses_shortcut("scope")
        assert sorted(app.called) == ["/adpolicy", "app_mention", "message", "shortcut"]
        assert [each.text for each in person.ephemeral()] == ["hello"]
        assert (seen.status, seen.error) == (200, "")


async def test_a_form_is_answered_over_the_connection() -> None:
    app = FakeApp({"view_submission": {"response_action": "errors", "errors": {"a": "no"}}})
    async with listening() as slack, connected(slack, app):
        person = slack.person("U1")
        trigger = (await person.uses_shortcut("scope")).delivery.trigger_id
        element = {"type": "plain_text_input", "action_id": "t"}
        label = {"type": "plain_text", "text": "A"}
        async with client() as session:
            api = AsyncWebClient("xoxb-sandbox", base_url=slack.api_url, session=session)
            block = {"type": "input", "block_id": "a", "label": label, "element": element}
            await api.views_open(
                trigger_id=trigger, view={"type": "modal", "title": label, "submit": label, "blocks": [block]}
            )
        assert person.modal is not None
        assert (await person.submits(person.modal, {"a": "x"})).errors == {"a": "no"}


async def test_what_is_not_acknowledged_comes_again() -> None:
    app = FakeApp()
    async with listening(ack_seconds=0.5) as slack, connected(slack, app, silent={"events_api"}):
        await slack.person("U1").says("hello")
        assert [each.retry for each in app.heard] == [("", ""), ("1", "http_timeout")]
        command = await slack.person("U1").commands("/adpolicy", "x")
        assert (command.status, command.error) == (200, "")


async def test_a_command_that_is_not_acknowledged_fails_for_its_typist() -> None:
    app = FakeApp()
    async with listening(ack_seconds=0.1) as slack, connected(slack, app, silent={"slash_commands"}):
        assert (await slack.person("U1").commands("/adpolicy", "x")).error == "operation_timeout"
        assert app.called == ["/adpolicy"]


async def test_slack_refreshes_connections_and_the_client_comes_back() -> None:
    app = FakeApp()
    async with listening() as slack, connected(slack, app) as socket:
        await slack.sockets.connected()
        before = socket.current_session
        await slack.sockets.refresh()
        await slack.sockets.connected()
        await slack.person("U1").says("still there?")
        assert app.called == ["message"]
        assert socket.current_session is not before


async def test_a_connection_that_breaks_is_made_again_and_nothing_is_lost() -> None:
    app = FakeApp()
    async with listening() as slack, connected(slack, app):
        await slack.sockets.connected()
        await slack.sockets.cut()
        assert slack.sockets.connections == []
        said = asyncio.create_task(slack.person("U1").says("hello"))
        await said
        await slack.sockets.connected(seconds=10)
        slack.world.clock.move(seconds=60)  # type: ignore[attr-defined]
        await slack.catch_up()
        assert [each.retry for each in app.heard] == [("2", "connection_failed")]


async def test_a_connection_that_is_warned_gets_nothing_new() -> None:
    async with listening() as slack, client() as session:
        socket = await session.ws_connect(slack.sockets.ticket())
        assert (await socket.receive_json())["type"] == "hello"
        leaving = asyncio.create_task(slack.sockets.refresh("warning", wait=0.2))
        assert (await socket.receive_json())["reason"] == "warning"
        assert not leaving.done()
        assert (await slack.person("U1").commands("/adpolicy", "x")).error == "dispatch_failed"
        assert (await socket.receive()).type is aiohttp.WSMsgType.CLOSE
        await leaving


async def test_deliveries_go_over_all_connections_in_turn() -> None:
    one, two = FakeApp(), FakeApp()
    async with listening() as slack, connected(slack, one), connected(slack, two):
        await slack.sockets.connected(2)
        for _ in range(4):
            await slack.person("U1").says("hello")
        assert (len(one.heard), len(two.heard)) == (2, 2)


async def test_an_address_works_once_and_ten_times_at_most() -> None:
    async with listening() as slack, client() as session:
        url = slack.sockets.ticket()
        sockets = [await session.ws_connect(url)]
        assert (await sockets[0].receive_json())["type"] == "hello"
        with pytest.raises(aiohttp.WSServerHandshakeError):
            await session.ws_connect(url)
        for _ in range(MOST_CONNECTIONS - 1):
            sockets.append(await session.ws_connect(slack.sockets.ticket()))
        hello = await sockets[-1].receive_json()
        assert hello["num_connections"] == MOST_CONNECTIONS
        over = await session.ws_connect(slack.sockets.ticket())
        assert (await over.receive_json())["reason"] == "too_many_websockets"
        await sockets[0].send_str("no JSON")
        await sockets[0].send_json({"envelope_id": "unheard of"})
        for each in [*sockets, over]:
            await each.close()


@pytest.mark.parametrize(
    ("token", "code"),
    [("", "not_authed"), ("xoxb-sandbox", "not_allowed_token_type"), ("xapp-other", "invalid_auth")],
)
async def test_only_the_apps_own_token_opens_a_connection(token: str, code: str) -> None:
    async with listening() as slack, client() as session:
        api = AsyncWebClient(token, base_url=slack.api_url, session=session)
        with pytest.raises(SlackApiError, match=code):
            await api.apps_connections_open(app_token=token)
