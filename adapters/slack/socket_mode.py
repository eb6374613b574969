"""Socket Mode: the same app, without an address that Slack can reach. What is kept is acknowledged, nothing else."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
from slack_bolt.async_app import AsyncApp
from slack_bolt.response import BoltResponse
from slack_sdk.socket_mode.aiohttp import SocketModeClient
from slack_sdk.socket_mode.async_client import AsyncBaseSocketModeClient
from slack_sdk.socket_mode.request import SocketModeRequest
from slack_sdk.socket_mode.response import SocketModeResponse
from slack_sdk.web.async_client import AsyncWebClient

from adapters.slack.client import called
from adapters.slack.requests import bolt_request, dispatched, is_only_told
from adapters.slack.settings import SlackSettings
from rag_core.errors import Misconfigured, Rejected, Unavailable

_log = logging.getLogger(__name__)

_OK = 200
_STOP_SECONDS = 3.0
"""How long a stop waits for what is being kept: Slack itself waits no longer for an acknowledgement."""


class SlackSocket:
    """One connection that is renewed for as long as it is open. `renew_seconds`: how long it may be away before an
    address is asked for anew: one works once, and the SDK would try the old one for ever."""

    def __init__(self, bolt: AsyncApp, client: SocketModeClient, *, renew_seconds: float = 10.0) -> None:
        self._bolt = bolt
        self._client = client
        self._renew_seconds = renew_seconds
        self._held: set[asyncio.Task[None]] = set()
        self._is_stopping = False
        client.socket_mode_request_listeners.append(self._hear)

    async def run(self) -> None:
        """Until cancelled: connects, and connects again."""
        connecting = asyncio.create_task(self._client.connect())  # type: ignore[no-untyped-call]
        try:
            while True:
                await asyncio.sleep(self._renew_seconds)
                if not await self._client.is_connected():
                    self._client.wss_uri = None
        finally:
            connecting.cancel()

    async def stop(self) -> None:
        """Takes nothing new, so that Slack gives it to another connection; acknowledges what is being kept."""
        self._is_stopping = True
        if self._held:
            await asyncio.wait(tuple(self._held), timeout=_STOP_SECONDS)
        await self._client.close()  # type: ignore[no-untyped-call]

    async def _hear(self, client: AsyncBaseSocketModeClient, request: SocketModeRequest) -> None:
        """In a task of ours: the SDK keeps no reference to its own."""
        if self._is_stopping:
            return
        task = asyncio.create_task(self._answer(client, request))
        self._held.add(task)
        task.add_done_callback(self._held.discard)
        await asyncio.wait({task})

    async def _answer(self, client: AsyncBaseSocketModeClient, request: SocketModeRequest) -> None:
        response = await self._dispatched(request.payload)
        if response.status != _OK:  # not acknowledged: Slack delivers it again
            _log.warning("slack envelope not taken: type=%s status=%s", request.type, response.status)
            return
        try:
            await client.send_socket_mode_response(SocketModeResponse(request.envelope_id, _payload(response)))
        except (aiohttp.ClientError, OSError, AttributeError) as exc:  # gone meanwhile; what comes again is known
            _log.warning("slack envelope not acknowledged: type=%s error=%s", request.type, type(exc).__name__)

    async def _dispatched(self, payload: Any) -> BoltResponse:
        """Of no shape that Slack sends: acknowledged, for nothing comes of it, however often it is delivered."""
        if not isinstance(payload, dict) or is_only_told(payload):
            return BoltResponse(status=_OK)
        try:
            asked = bolt_request(payload, over_socket=True)
        except Rejected:
            return BoltResponse(status=_OK)
        return await dispatched(self._bolt, asked)


@asynccontextmanager
async def open_socket(
    bolt: AsyncApp,
    settings: SlackSettings,
    *,
    ping_seconds: float = 5.0,
    renew_seconds: float = 10.0,
    call_seconds: int = 10,
) -> AsyncIterator[SlackSocket]:
    """Raises Misconfigured("slack_app_token_refused") for a token that Slack does not take. A Slack that does not
    answer is tried again, within `call_seconds` each time."""
    # without a session of ours: with one the SDK does not keep to its time, and would wait for an address for minutes
    web_client = AsyncWebClient(base_url=settings.api_url, timeout=call_seconds)
    address = await _first_address(web_client, settings.app_token)
    client = SocketModeClient(settings.app_token, web_client=web_client, ping_interval=ping_seconds, logger=_log)
    client.wss_uri = address
    socket = SlackSocket(bolt, client, renew_seconds=renew_seconds)
    running = asyncio.create_task(socket.run())
    try:
        yield socket
    finally:
        await socket.stop()
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


async def _first_address(client: AsyncWebClient, app_token: str) -> str | None:
    try:
        return str((await called(client.apps_connections_open(app_token=app_token)))["url"])
    except Rejected as exc:
        error = str(exc.details.get("error", ""))
        raise Misconfigured("slack_app_token_refused", setting="ADPOLICY_SLACK_APP_TOKEN", reason=error) from exc
    except Unavailable as exc:
        _log.warning("slack does not answer: code=%s", exc.code)
        return None


def _payload(response: BoltResponse) -> dict[str, Any] | None:
    if not response.body:
        return None
    content_type = (response.headers.get("content-type") or [""])[0]
    if content_type.startswith("application/json"):
        found = json.loads(response.body)
        return found if isinstance(found, dict) else None
    return {"text": response.body}
