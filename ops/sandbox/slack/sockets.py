"""Socket Mode: the bot holds connections, each delivery goes over one of them, and is acknowledged by its id."""

import asyncio
import itertools
import json
import secrets
import time
from dataclasses import dataclass, field

from aiohttp import WSMsgType, web

from ops.sandbox.slack.deliveries import Acknowledgement, Delivery, Retry

MOST_CONNECTIONS = 10
_DEBUG = {"host": "sandbox", "build_number": 1, "approximate_connection_time": 3600}


@dataclass(eq=False, slots=True)
class Connection:
    """`waiting`: envelope -> the payload of its acknowledgement. `is_leaving`: it was told that it will be closed, and
    gets nothing new."""

    socket: web.WebSocketResponse
    request: web.Request
    is_leaving: bool = False
    waiting: dict[str, "asyncio.Future[object]"] = field(default_factory=dict)
    gone: asyncio.Event = field(default_factory=asyncio.Event)

    def note(self, text: str) -> None:
        """An acknowledgement; what is no JSON object, or acknowledges nothing that was sent, is passed over."""
        try:
            found = json.loads(text)
        except ValueError:
            return
        waiting = self.waiting.get(str(found.get("envelope_id"))) if isinstance(found, dict) else None
        if waiting is not None and not waiting.done():
            waiting.set_result(found.get("payload"))


class Sockets:
    """Gives out addresses that work once, and carries deliveries to who connected there."""

    def __init__(self, app_id: str, ack_seconds: float) -> None:
        self.base_url = ""
        self.connections: list[Connection] = []
        self._app_id = app_id
        self._ack_seconds = ack_seconds
        self._tickets: set[str] = set()
        self._turns = itertools.count()
        self._arrived = asyncio.Event()

    def ticket(self) -> str:
        made = secrets.token_hex(8)
        self._tickets.add(made)
        return f"{self.base_url.replace('http', 'ws', 1)}/link/?ticket={made}&app_id={self._app_id}"

    async def accept(self, request: web.Request) -> web.StreamResponse:
        """A connection, for as long as it lasts."""
        ticket = request.query.get("ticket", "")
        if ticket not in self._tickets:
            raise web.HTTPUnauthorized
        self._tickets.discard(ticket)
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        connection = Connection(socket, request)
        if len(self.connections) >= MOST_CONNECTIONS:
            await self._end(connection, "too_many_websockets")
            return socket
        self.connections.append(connection)
        self._arrived.set()
        try:
            await self._talk(connection)
        finally:
            self.connections.remove(connection)
            connection.gone.set()
            for each in connection.waiting.values():
                each.cancel()
        return socket

    async def refresh(self, reason: str = "refresh_requested", *, wait: float = 0.0) -> None:
        """Tells every connection to go, as Slack does now and then, and closes it after `wait` seconds.

        `reason`: "warning" (in ten seconds), "refresh_requested", "link_disabled" (Socket Mode was switched off).
        """
        for each in list(self.connections):
            await self._end(each, reason, wait)

    async def cut(self) -> None:
        """Every connection breaks without a word."""
        broken = list(self.connections)
        for each in broken:
            if each.request.transport is not None:
                each.request.transport.close()
        for each in broken:
            await each.gone.wait()

    async def connected(self, count: int = 1, seconds: float = 5.0) -> None:
        """Waits for connections; TimeoutError when that takes longer."""
        async with asyncio.timeout(seconds):
            while len(self._ready()) < count:
                self._arrived.clear()
                await self._arrived.wait()

    async def carry(self, delivery: Delivery, retry: Retry | None, age_seconds: float) -> Acknowledgement:
        """Over one of the connections, in turn. There is no signature that could be dated back."""
        number, ready, started = retry.number if retry else 0, self._ready(), time.perf_counter()
        if not ready:
            return Acknowledgement(delivery, error="dispatch_failed", retry=number)
        answered = await self._ask(ready[next(self._turns) % len(ready)], delivery, retry)
        seconds = time.perf_counter() - started
        if answered is None:
            return Acknowledgement(delivery, 0, "", seconds, "operation_timeout", number)
        payload = answered.result()
        body = payload if isinstance(payload, str) else json.dumps(payload) if payload else ""
        return Acknowledgement(delivery, 200, body, seconds, "", number)

    async def _ask(
        self, connection: Connection, delivery: Delivery, retry: Retry | None
    ) -> "asyncio.Future[object] | None":
        """The acknowledgement, None for none in time."""
        envelope, is_event = secrets.token_hex(16), delivery.kind == "events_api"
        told: dict[str, object] = {
            "envelope_id": envelope, "type": delivery.kind, "payload": delivery.payload,
            "accepts_response_payload": not is_event,
        }  # fmt: skip
        if is_event:
            told |= {"retry_attempt": retry.number if retry else 0, "retry_reason": retry.reason if retry else ""}
        waiting: asyncio.Future[object] = asyncio.get_running_loop().create_future()
        connection.waiting[envelope] = waiting
        try:
            await connection.socket.send_json(told)
            await asyncio.wait({waiting}, timeout=self._ack_seconds)
        except ConnectionError:
            waiting.cancel()
        finally:
            connection.waiting.pop(envelope, None)
        return waiting if waiting.done() and not waiting.cancelled() else None

    def _ready(self) -> list[Connection]:
        return [each for each in self.connections if not each.is_leaving and not each.socket.closed]

    async def _talk(self, connection: Connection) -> None:
        about = {"connection_info": {"app_id": self._app_id}, "debug_info": _DEBUG}
        await connection.socket.send_json({"type": "hello", "num_connections": len(self.connections), **about})
        async for message in connection.socket:
            if message.type is WSMsgType.TEXT:
                connection.note(message.data)

    async def _end(self, connection: Connection, reason: str, wait: float = 0.0) -> None:
        connection.is_leaving = True
        await connection.socket.send_json({"type": "disconnect", "reason": reason, "debug_info": _DEBUG})
        if wait:
            await asyncio.sleep(wait)
        await connection.socket.close()
