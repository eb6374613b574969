"""Slack's requests: signed, taken apart, given to listeners, which keep and acknowledge. Nothing is answered here.

Each listener module has one `add_...(bolt, parts)`; `_LISTENERS` is the list of them.
"""

import json
import logging
from collections.abc import Callable

from aiohttp import web
from slack_bolt.adapter.aiohttp import to_aiohttp_response
from slack_bolt.async_app import AsyncApp
from slack_bolt.request.async_request import AsyncBoltRequest
from slack_sdk.web.async_client import AsyncWebClient

from adapters.slack.authorizing import Authorize, SingleWorkspace, authorized_by
from adapters.slack.command_listener import add_command
from adapters.slack.parts import SlackParts
from adapters.slack.requests import read_signed
from adapters.slack.settings import SlackSettings
from adapters.slack.subscribing import add_unsubscribe

EVENTS_PATH = "/slack/events"

_LISTENERS: tuple[Callable[[AsyncApp, SlackParts], None], ...] = (
    add_command,
    add_unsubscribe,
)


def slack_app(parts: SlackParts, authorize: Authorize | None = None) -> AsyncApp:
    """The Bolt app with all its listeners: the same for HTTP and Socket Mode."""
    bolt = _bolt(parts.settings, authorize or authorized_by(SingleWorkspace(parts.settings.bot_token)))
    for add in _LISTENERS:
        add(bolt, parts)
    return bolt


def slack_routes(parts: SlackParts, bolt: AsyncApp) -> list[web.RouteDef]:
    """The app over HTTP. The routes own nothing that has to be closed."""

    async def receive(request: web.Request) -> web.Response:
        fields = await read_signed(request, parts.settings, parts.clock)
        if fields is None:
            return web.Response()
        return await to_aiohttp_response(await bolt.async_dispatch(_bolt_request(fields)))

    return [web.post(EVENTS_PATH, receive), web.get(EVENTS_PATH, _check_certificate)]


def _bolt(settings: SlackSettings, authorize: Authorize) -> AsyncApp:
    return AsyncApp(
        name="adpolicy",
        logger=logging.getLogger(__name__),
        client=AsyncWebClient(base_url=settings.api_url),
        authorize=authorize,
        signing_secret=settings.signing_secret,
        request_verification_enabled=False,  # done in `read_signed`
        ssl_check_enabled=False,  # done in `read_signed`
        # The listener runs inside the request. Otherwise Bolt starts it as a task that nobody holds, which is
        # lost when the server stops and hangs for 3 s when it fails.
        process_before_response=True,
    )


def _bolt_request(fields: dict[str, object]) -> AsyncBoltRequest:
    """No header is passed on: some make Bolt run in another way, and Slack's signature does not cover them."""
    try:
        return AsyncBoltRequest(body=json.dumps(fields))
    except (AttributeError, KeyError, TypeError) as exc:  # valid JSON, but no shape that Slack sends
        raise web.HTTPBadRequest from exc


async def _check_certificate(request: web.Request) -> web.Response:
    if request.query.get("ssl_check") != "1":
        raise web.HTTPMethodNotAllowed("GET", ["POST"])
    return web.Response()
