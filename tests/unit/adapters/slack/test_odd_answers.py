"""Answers of a proxy that stands where Slack should: nothing of them may end a worker or lose a reply."""

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from adapters.slack.client import SlackClients, called
from adapters.slack.oauth.tokens import SingleWorkspace
from rag_core.errors import Unavailable
from tests.fakes.slack import client


@pytest.mark.parametrize("status", [200, 502])
@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        ("[]", "application/json"),
        ('["busy"]', "application/json"),
        ('"busy"', "application/json"),
        ("null", "application/json"),
        ("7", "application/json"),
        ("busy", "text/plain"),
        ("<html>busy</html>", "text/html"),
        ("<html>busy</html>", "application/json"),
        ("", "application/json"),
        ("busy", "application/gzip"),
        ('{"ok": "\\ud800"', "application/json"),
    ],
)
async def test_what_is_no_answer_of_slack_may_be_tried_again(status: int, body: str, content_type: str) -> None:
    async def answer(_: web.Request) -> web.Response:
        return web.Response(status=status, body=body.encode(), headers={"Content-Type": content_type})

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", answer)
    async with TestServer(app) as server, client() as session:
        clients = SlackClients(session, SingleWorkspace("xoxb-sandbox"), str(server.make_url("/api/")))
        with pytest.raises(Unavailable):
            await called((await clients.of("T1")).chat_postMessage(channel="C1", text="hello"))
