"""Redis servers of a test's own, to be killed, stopped and filled up."""

import asyncio
import os
import re
import shutil
import signal
import subprocess
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

from redis.asyncio import Redis
from redis.exceptions import RedisError

from ops.servers.free_ports import ANY, free_port
from tests.fakes.missing import program

_START_SECONDS = 10.0
_COMMANDS = re.compile(rb"^\*\d+\r", re.MULTILINE)


class RedisServer:
    """A process on loopback, without persistence. `options` are of redis-server."""

    def __init__(
        self, folder: Path, options: Sequence[str] = (), *, port: int | None = None, tls: bool = False
    ) -> None:
        self.port = port or free_port(ANY)
        self._folder = folder
        self._options = options
        self._tls = tls
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    async def start(self) -> None:
        """Returns when it answers, if only with an error."""
        listening = ["--port", "0", "--tls-port", str(self.port)] if self._tls else ["--port", str(self.port)]
        quiet = ["--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", str(self._folder)]
        self._process = self._run([*listening, *quiet, *self._options])
        await self._answers()

    def kill(self) -> None:
        self._signal(signal.SIGKILL)
        if self._process is not None:
            self._process.wait()
            self._process = None

    def stop_answering(self) -> None:
        """It keeps its connections, and accepts more, but says nothing."""
        self._signal(signal.SIGSTOP)

    def answer_again(self) -> None:
        self._signal(signal.SIGCONT)

    async def command(self, *arguments: str) -> Any:
        """As the server's operator."""
        raw: Any = Redis(host="127.0.0.1", port=self.port)
        try:
            return await raw.execute_command(*arguments)
        finally:
            await raw.aclose()

    def _run(self, arguments: Sequence[str]) -> subprocess.Popen[bytes]:
        with (self._folder / f"redis-{self.port}.log").open("ab") as log:
            return subprocess.Popen([_program(), *arguments], stdout=log, stderr=log)

    def _signal(self, number: int) -> None:
        if self._process is not None:
            os.kill(self._process.pid, number)

    async def _answers(self) -> None:
        async with asyncio.timeout(_START_SECONDS):
            while True:
                try:
                    _, writer = await asyncio.open_connection("127.0.0.1", self.port)
                except OSError:
                    await asyncio.sleep(0.01)
                else:
                    writer.close()
                    await writer.wait_closed()
                    return


class Sentinel(RedisServer):
    """Watches over one master, alone; a master is down for it after 300 ms."""

    def __init__(self, folder: Path, master: RedisServer, service: str = "policies") -> None:
        super().__init__(folder)
        self.service = service
        self._master = master

    async def start(self) -> None:
        settings = [
            f"port {self.port}",
            "bind 127.0.0.1",
            f"sentinel monitor {self.service} 127.0.0.1 {self._master.port} 1",
            f"sentinel down-after-milliseconds {self.service} 300",
            f"sentinel failover-timeout {self.service} 2000",
        ]
        file = self._folder / "sentinel.conf"
        file.write_text("\n".join(settings))
        self._process = self._run([str(file), "--sentinel"])
        await self._answers()

    async def knows_replicas(self, count: int) -> None:
        """Returns when it has found them: before, it could not fail over."""
        async with asyncio.timeout(_START_SECONDS):
            while True:
                found = await self.command("SENTINEL", "REPLICAS", self.service)
                if isinstance(found, list) and len(found) == count:
                    return
                await asyncio.sleep(0.1)


def _program() -> str:
    """Without one the test is skipped; in CI it fails."""
    return shutil.which("valkey-server") or program("redis-server", "redis-server")


@asynccontextmanager
async def redis_server(folder: Path, *options: str, tls: bool = False) -> AsyncIterator[RedisServer]:
    server = RedisServer(folder, options, tls=tls)
    try:
        await server.start()
        yield server
    finally:
        server.kill()


@asynccontextmanager
async def sentinel_of(folder: Path, master: RedisServer) -> AsyncIterator[Sentinel]:
    sentinel = Sentinel(folder, master)
    try:
        await sentinel.start()
        yield sentinel
    finally:
        sentinel.kill()


@asynccontextmanager
async def watched_servers(folder: Path) -> AsyncIterator[tuple[RedisServer, RedisServer, Sentinel]]:
    """A master, its replica, and the sentinel that knows both."""
    async with AsyncExitStack() as stack:
        master = await stack.enter_async_context(redis_server(folder))
        replica = await stack.enter_async_context(
            redis_server(folder, "--replicaof", f"127.0.0.1 {master.port}", "--repl-diskless-sync-delay", "0")
        )
        await _is_in_step(replica)
        sentinel = await stack.enter_async_context(sentinel_of(folder, master))
        await sentinel.knows_replicas(1)
        yield master, replica, sentinel


async def _is_in_step(replica: RedisServer) -> None:
    async with asyncio.timeout(_START_SECONDS):
        while True:
            try:
                found = await replica.command("INFO", "replication")
            except RedisError:
                found = {}
            if isinstance(found, dict) and found.get("master_link_status") == "up":
                return
            await asyncio.sleep(0.05)


@asynccontextmanager
async def answering(reply: bytes, delay: float = 0.0) -> AsyncIterator[str]:
    """The address of a server that greets like Redis and answers every command with one reply of its protocol, each
    time after `delay` seconds."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65_536):
            await asyncio.sleep(delay)
            greeting = b"CLIENT" in data or b"SELECT" in data
            writer.write(b"+OK\r\n" * len(_COMMANDS.findall(data)) if greeting else reply)
            await writer.drain()

    async with _listening(serve) as url:
        yield url


@asynccontextmanager
async def _listening(
    serve: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]],
) -> AsyncIterator[str]:
    """The address where every connection is served, and closed when it was, or when nobody listens any more."""
    serving: set[asyncio.Task[None] | None] = set()

    async def closing(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        serving.add(asyncio.current_task())
        try:
            await serve(reader, writer)
        except (ConnectionError, asyncio.CancelledError):
            pass  # the other side went, or the test is over
        finally:
            writer.close()

    async with await asyncio.start_server(closing, "127.0.0.1", 0) as server:
        yield f"redis://127.0.0.1:{server.sockets[0].getsockname()[1]}/0"
        tasks = [task for task in serving if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


class CuttingProxy:
    """Between a client and its server. `cut` makes it swallow the next answer and close the connection: the command
    ran, and nobody was told."""

    def __init__(self, port: int) -> None:
        self.cuts = 0
        self._port = port
        self._armed = False

    def cut(self) -> None:
        self._armed = True

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        from_server, to_server = await asyncio.open_connection("127.0.0.1", self._port)
        try:
            while data := await reader.read(65_536):
                to_server.write(data)
                answer = await from_server.read(65_536)
                if self._armed:
                    self._armed = False
                    self.cuts += 1
                    return
                writer.write(answer)
                await writer.drain()
        finally:
            to_server.close()


@asynccontextmanager
async def cutting_proxy(port: int) -> AsyncIterator[tuple[CuttingProxy, str]]:
    """The proxy, and the address of it."""
    proxy = CuttingProxy(port)
    async with _listening(proxy.serve) as url:
        yield proxy, url
