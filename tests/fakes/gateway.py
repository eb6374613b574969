"""A way to a PostgreSQL server on which connections are lost at a chosen moment."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from sqlalchemy import make_url


class Gateway:
    """Passes bytes on. `lose_answer_to`: the next message with these bytes gets through, and the connection is cut
    in place of its answer. `refuses`: new connections are cut at once; `opened` counts those that were not."""

    def __init__(self, host: str, port: int) -> None:
        self._target = (host, port)
        self._open: set[asyncio.StreamWriter] = set()
        self.lose_answer_to: bytes | None = None
        self.refuses = False
        self._mute: set[asyncio.StreamWriter] = set()
        self.opened = 0

    def cut(self) -> None:
        """Lose every connection there is."""
        for writer in self._open:
            writer.transport.abort()

    def forget(self) -> None:
        """Every connection there is looks open, and nothing comes through."""
        self._mute |= self._open

    async def accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.refuses:
            writer.transport.abort()
            return
        self.opened += 1
        server_reader, server_writer = await asyncio.open_connection(*self._target)
        both = {writer, server_writer}
        self._open |= both
        try:
            await asyncio.gather(self._ask(reader, server_writer, writer), self._answer(server_reader, writer))
        finally:
            self._open -= both
            for each in both:
                each.transport.abort()

    async def _ask(
        self, reader: asyncio.StreamReader, server: asyncio.StreamWriter, client: asyncio.StreamWriter
    ) -> None:
        with suppress(ConnectionError):
            while message := await reader.read(65_536):
                if self.lose_answer_to is not None and self.lose_answer_to in message:
                    self.lose_answer_to = None
                    client.transport.abort()  # whatever the server says now is heard by nobody
                if server not in self._mute:
                    server.write(message)
                    await server.drain()
            server.write_eof()

    async def _answer(self, reader: asyncio.StreamReader, client: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            while message := await reader.read(65_536):
                client.write(message)
                await client.drain()
        client.transport.abort()


@asynccontextmanager
async def gateway_to(address: str) -> AsyncIterator[tuple[Gateway, str]]:
    """A gateway to the server of a database, and the address of that database by way of it."""
    url = make_url(address)
    gateway = Gateway(url.host or "127.0.0.1", url.port or 5432)
    server = await asyncio.start_server(gateway.accept, "127.0.0.1", 0)
    try:
        way = url.set(host="127.0.0.1", port=server.sockets[0].getsockname()[1])
        yield gateway, way.render_as_string(hide_password=False)
    finally:
        server.close()
        gateway.cut()
        await server.wait_closed()
