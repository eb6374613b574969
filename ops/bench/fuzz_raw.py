"""Attacks sent over sockets, and whether each came to an end."""

import asyncio
import random
import re
import time
from collections.abc import Callable, Iterator

from ops.bench.fuzz_attacks import Attack, attacks
from ops.bench.fuzz_tally import Sent, Tally

_STATUS = re.compile(rb"HTTP/1\.[01] (\d{3})")
_LEAVES_AFTER = 0.05


class RawRequests:
    """Sends attacks to a server of this machine until it is told to stop. `bound_seconds`: of whatever is a request."""

    def __init__(self, port: int, tally: Tally, *, bound_seconds: float, at_once: int, seed: int) -> None:
        self._port = port
        self._tally = tally
        self._bound = bound_seconds
        self._at_once = at_once
        self._attacks = attacks(random.Random(seed))  # noqa: S311 - the same ones again, for whoever looks for the cause

    async def run(self, go_on: Callable[[], bool]) -> None:
        async with asyncio.TaskGroup() as together:
            for _ in range(self._at_once):
                together.create_task(self._work(self._attacks, go_on))

    async def _work(self, given: Iterator[Attack], go_on: Callable[[], bool]) -> None:
        while go_on():
            self._tally.add(await self.send(next(given)))

    async def send(self, attack: Attack) -> Sent:
        """How it ended: a status, a closed connection, or neither in time."""
        began = time.perf_counter()
        received, hung = b"", False
        try:
            async with asyncio.timeout(self._bound):
                received = await self._exchange(attack)
        except TimeoutError:
            hung = attack.is_request
        except OSError:
            pass  # the server closed the connection, which is an end
        status = _STATUS.match(received)
        seconds, is_slow = time.perf_counter() - began, attack.never_ends or attack.pause > 0
        return Sent(attack.route, int(status[1]) if status else None, seconds, attack.name, hung, is_slow)

    async def _exchange(self, attack: Attack) -> bytes:
        """The beginning of what comes back."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
        try:
            sending = asyncio.create_task(_send(writer, attack))
            try:
                if attack.leaves:
                    await sending
                    await asyncio.sleep(_LEAVES_AFTER)
                    return b""
                return await _first_line(reader)
            finally:
                sending.cancel()
                await asyncio.gather(sending, return_exceptions=True)
        finally:
            writer.transport.abort()


async def _send(writer: asyncio.StreamWriter, attack: Attack) -> None:
    for piece in attack.pieces:
        writer.write(piece)
        await writer.drain()
        await asyncio.sleep(attack.pause)


async def _first_line(reader: asyncio.StreamReader) -> bytes:
    """Of the final answer; "100 Continue" is none."""
    while (line := await reader.readline()).startswith(b"HTTP/1.1 100"):
        await reader.readline()
    return line
