"""Slack's requests: signed, taken apart, given to listeners, which keep and acknowledge. Nothing is answered here.

Each listener module has one `add_...(bolt, parts)`; `_LISTENERS` is the list of them.
"""

import logging
import re
from collections.abc import Callable

from aiohttp import web
from slack_bolt.adapter.aiohttp import to_aiohttp_response
from slack_bolt.async_app import AsyncAck, AsyncApp
from slack_bolt.response import BoltResponse
from slack_sdk.web.async_client import AsyncWebClient

from adapters.slack.actions.choices import add_choices
from adapters.slack.actions.feedback import add_feedback
from adapters.slack.actions.modals import add_reading
from adapters.slack.actions.scope import add_scope
from adapters.slack.actions.settings_dialog import add_settings
from adapters.slack.actions.share import add_share
from adapters.slack.actions.subscribe import add_unsubscribe
from adapters.slack.command_listener import add_command
from adapters.slack.events import add_messages, add_uninstalling
from adapters.slack.home_tab import add_home
from adapters.slack.oauth.tokens import Authorize, SingleWorkspace, authorized_by, turn_away
from adapters.slack.parts import SlackParts
from adapters.slack.people import add_escalations, add_saving_curated
from adapters.slack.requests import bolt_request, dispatched, is_only_told, read_signed
from adapters.slack.settings import SlackSettings
from adapters.slack.shortcuts import add_shortcuts
from rag_core.errors import Rejected

EVENTS_PATH = "/slack/events"

_LISTENERS: tuple[Callable[[AsyncApp, SlackParts], None], ...] = (
    add_command,
    *(add_feedback, add_reading, add_scope, add_choices, add_share),
    add_messages,
    add_shortcuts,
    add_settings,
    add_home,
    add_escalations,
    add_saving_curated,
    add_uninstalling,
    add_unsubscribe,
)


def slack_app(parts: SlackParts, authorize: Authorize | None = None) -> AsyncApp:
    """The Bolt app with all its listeners: the same for HTTP and Socket Mode."""
    bolt = _bolt(parts.settings, authorize or authorized_by(SingleWorkspace(parts.settings.bot_token)))
    bolt.use(turn_away)
    for add in _LISTENERS:
        add(bolt, parts)
    bolt.event(_ANY_EVENT)(_pass_over)
    return bolt


_ANY_EVENT = re.compile(".*")


async def _pass_over(ack: AsyncAck) -> BoltResponse:
    """An event that nobody here listens to. Without an answer Slack would count it as failed, and at last send none."""
    return await ack()


def slack_routes(parts: SlackParts, bolt: AsyncApp) -> list[web.RouteDef]:
    """The app over HTTP; none without a signing secret. The routes own nothing that has to be closed."""
    if not parts.settings.takes_requests:
        return []

    async def receive(request: web.Request) -> web.Response:
        fields = await read_signed(request, parts.settings, parts.clock)
        if fields is None or is_only_told(fields):
            return web.Response()
        try:
            asked = bolt_request(fields)
        except Rejected as exc:
            raise web.HTTPBadRequest from exc
        return await to_aiohttp_response(await dispatched(bolt, asked))

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


async def _check_certificate(request: web.Request) -> web.Response:
    if request.query.get("ssl_check") != "1":
        raise web.HTTPMethodNotAllowed("GET", ["POST"])
    return web.Response()
