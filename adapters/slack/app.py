"""Slack over HTTP: a signed request in, kept in the inbox, acknowledged. Nothing is answered here."""

import asyncio
import json
import logging
import uuid
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime

from aiohttp import web
from slack_bolt.adapter.aiohttp import to_aiohttp_response
from slack_bolt.async_app import AsyncAck, AsyncApp
from slack_bolt.request.async_request import AsyncBoltRequest
from slack_bolt.response import BoltResponse
from slack_sdk.web.async_client import AsyncWebClient

from adapters.slack.authorizing import Authorize, single_workspace
from adapters.slack.commands import COMMAND, command_text, inbound_question, wants_help
from adapters.slack.requests import read_signed
from adapters.slack.settings import SlackSettings
from bot.messages import InboundQuestion
from bot.wording_slack import slack_not_accepted, slack_usage
from rag_core.errors import Rejected, Unavailable

EVENTS_PATH = "/slack/events"
ACCEPT_SECONDS = 2.5  # Slack shows an error of its own after 3 s

Accept = Callable[[InboundQuestion], Awaitable[bool]]
"""Keeps a question for good before it returns; False if it is known already. Raises Unavailable."""
Clock = Callable[[], datetime]


def utc_now() -> datetime:
    return datetime.now(UTC)


def new_question_id() -> str:
    return str(uuid.uuid4())


def slack_routes(
    settings: SlackSettings,
    accept: Accept,
    *,
    clock: Clock = utc_now,
    new_id: Callable[[], str] = new_question_id,
    authorize: Authorize | None = None,
) -> list[web.RouteDef]:
    """The routes of the Slack app. They own nothing that has to be closed."""
    bolt = _bolt(settings, authorize or single_workspace(settings))
    _add_command(bolt, accept, clock, new_id)

    async def receive(request: web.Request) -> web.Response:
        fields = await read_signed(request, settings, clock)
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


def _add_command(bolt: AsyncApp, accept: Accept, clock: Clock, new_id: Callable[[], str]) -> None:
    async def take(ack: AsyncAck, body: dict[str, object]) -> BoltResponse:
        text = command_text(body)
        if wants_help(text):
            return await ack(text=slack_usage(COMMAND), response_type="ephemeral")
        try:
            async with asyncio.timeout(ACCEPT_SECONDS):
                await accept(inbound_question(body, new_id(), clock()))
        except Rejected:
            return BoltResponse(status=400)
        except (Unavailable, TimeoutError):
            return await ack(text=slack_not_accepted(COMMAND, text), response_type="ephemeral")
        return await ack()

    bolt.command(COMMAND)(take)


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
