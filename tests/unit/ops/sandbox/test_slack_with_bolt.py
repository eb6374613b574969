"""Bolt, unchanged, takes what the stand-in sends: over HTTP with its own check of signatures, and over Socket Mode."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from slack_bolt.adapter.aiohttp import to_aiohttp_response, to_bolt_request
from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.async_app import AsyncAck, AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from ops.sandbox.slack import SlackStandIn
from tests.fakes.slack import SIGNING_SECRET
from tests.fakes.slack_app import ALL

APP = replace(ALL, shortcuts={"scope": "Scope"}, message_shortcuts={"check": "Check"})


def plain(text: str) -> dict[str, str]:
    return {"type": "plain_text", "text": text}


QUESTION = {
    "type": "input",
    "block_id": "q",
    "label": plain("Question"),
    "element": {"type": "plain_text_input", "action_id": "pick"},
}
FORM = {"type": "modal", "callback_id": "form", "title": plain("Scope"), "submit": plain("Ask"), "blocks": [QUESTION]}
HOME = {"type": "home", "blocks": [{"type": "divider"}]}
BUTTON = {"type": "actions", "elements": [{"type": "button", "action_id": "share", "text": plain("Share")}]}


def answering(slack: SlackStandIn) -> tuple[AsyncApp, list[str]]:
    """An app with a listener for each thing; what was called, in order."""
    bolt = AsyncApp(
        signing_secret=SIGNING_SECRET,
        client=AsyncWebClient("xoxb-sandbox", base_url=slack.api_url),
        process_before_response=True,
        ignoring_self_events_enabled=True,
    )
    called: list[str] = []

    async def command(ack: AsyncAck, body: dict[str, Any]) -> None:
        called.append(f"command {body['text']}")
        await ack("taken")

    async def mention(event: dict[str, Any], client: AsyncWebClient) -> None:
        called.append("mention")
        await client.chat_postMessage(channel=event["channel"], thread_ts=event["ts"], text="answer", blocks=[BUTTON])

    async def home(event: dict[str, Any], client: AsyncWebClient) -> None:
        called.append(f"home {event['tab']}")
        await client.views_publish(user_id=event["user"], view=HOME)

    async def shortcut(ack: AsyncAck, body: dict[str, Any], client: AsyncWebClient) -> None:
        called.append(body["type"])
        await ack()
        await client.views_open(trigger_id=body["trigger_id"], view=FORM)

    async def click(ack: AsyncAck, body: dict[str, Any], respond: Any) -> None:
        called.append(f"click {body['actions'][0]['action_id']}")
        await ack()
        await respond("thanks")

    async def submitted(ack: AsyncAck, view: dict[str, Any]) -> None:
        called.append("submitted")
        await ack(response_action="errors", errors={"q": "no"})

    async def message(event: dict[str, Any]) -> None:
        called.append(f"message {event.get('subtype', '')}".strip())

    bolt.command("/adpolicy")(command)
    bolt.event("app_mention")(mention)
    bolt.event("app_home_opened")(home)
    bolt.event("message")(message)
    bolt.shortcut("scope")(shortcut)
    bolt.shortcut("check")(shortcut)
    bolt.action("share")(click)
    bolt.view("form")(submitted)
    return bolt, called


@asynccontextmanager
async def over_http() -> AsyncIterator[tuple[SlackStandIn, list[str]]]:
    server = web.Application()
    apps: list[AsyncApp] = []

    async def receive(request: web.Request) -> web.Response:
        return await to_aiohttp_response(await apps[0].async_dispatch(await to_bolt_request(request)))

    server.add_routes([web.post("/slack/events", receive)])
    async with TestServer(server) as listening:
        slack = SlackStandIn(str(listening.make_url("")), SIGNING_SECRET, app=APP)
        await slack.start()
        bolt, called = answering(slack)
        apps.append(bolt)
        yield slack, called
        await slack.stop()


@asynccontextmanager
async def over_socket() -> AsyncIterator[tuple[SlackStandIn, list[str]]]:
    slack = SlackStandIn("http://127.0.0.1:9", SIGNING_SECRET, app=replace(APP, is_socket=True))
    await slack.start()
    bolt, called = answering(slack)
    handler = AsyncSocketModeHandler(bolt, "xapp-sandbox", web_client=AsyncWebClient(base_url=slack.api_url))
    await handler.connect_async()  # type: ignore[no-untyped-call]
    yield slack, called
    await handler.close_async()  # type: ignore[no-untyped-call]
    await slack.stop()


@pytest.mark.parametrize("connection", [over_http, over_socket])
async def test_bolt_understands_everything(connection: Any) -> None:
    async with connection() as (slack, called):
        person = slack.person("U1")
        await person.types("/adpolicy a & b")
        assert [each.text for each in person.ephemeral()] == ["taken"]
        await person.mentions("hello")
        [answer] = slack.bot_messages("C1")
        await person.clicks(answer, "Share")
        await slack.until(lambda: len(person.ephemeral()) == 2)
        assert person.ephemeral()[1].text == "thanks"
        await person.opens_home()
        assert person.home is not None
        await person.uses_message_shortcut("check", answer)
        await person.uses_shortcut("scope")
        assert person.modal is not None
        assert (await person.submits(person.modal, {"pick": "alcohol"})).errors == {"q": "no"}
        await slack.catch_up()
    assert called[0] == "command a &amp; b"
    assert sorted(called[1:3]) == ["mention", "message"]
    assert [each for each in called[3:] if each != "message"] == [
        *("click share", "home home", "message_action", "shortcut", "submitted")
    ]
    assert [each.error for each in slack.attempts if each.error] == []
