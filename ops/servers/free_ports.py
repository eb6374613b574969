"""Free ports on loopback, remembered in a server's folder.

All lie below the range from which systems take ports for outgoing connections (32768 and up): nobody takes the port of
a server that is down for a moment, and no client that tries it again and again ends up connected to itself.
"""

import asyncio
import json
import random
import socket
from collections.abc import Mapping
from pathlib import Path

from rag_core.errors import Unavailable

ANY = range(10_000, 32_000)
_DICE = random.SystemRandom()


def is_free(port: int) -> bool:
    """Whether nobody listens there."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # connections that were just closed do not count
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def free_port(within: range, dice: random.Random = _DICE) -> int:
    """One of `within`. Unavailable: all are taken."""
    for port in dice.sample(within, len(within)):
        if is_free(port):
            return port
    raise Unavailable("no_free_port", first=within[0], last=within[-1])


class Ports:
    """The port numbers of one server, by name; chosen when first asked for."""

    def __init__(self, file: Path, ranges: Mapping[str, range]) -> None:
        self._file = file
        self._ranges = ranges

    def __getitem__(self, name: str) -> int:
        return self._numbers()[name]

    async def give_way(self, seconds: float = 1.0) -> None:
        """For a stopped server: other numbers where other programs took its own, and keep them for so long."""
        numbers = self._numbers()
        deadline = asyncio.get_running_loop().time() + seconds
        while taken := {name for name, port in numbers.items() if not is_free(port)}:
            if asyncio.get_running_loop().time() > deadline:
                break
            await asyncio.sleep(0.05)  # a server that was just killed keeps its port until the kernel is done with it
        if taken:
            self._write({name: free_port(self._ranges[name]) if name in taken else numbers[name] for name in numbers})

    def _numbers(self) -> dict[str, int]:
        if not self._file.exists():
            self._write({name: free_port(within) for name, within in self._ranges.items()})
        return {name: int(port) for name, port in json.loads(self._file.read_text(encoding="utf-8")).items()}

    def _write(self, numbers: dict[str, int]) -> None:
        self._file.parent.mkdir(parents=True, exist_ok=True)
        part = self._file.with_suffix(".part")
        part.write_text(json.dumps(numbers), encoding="utf-8")
        part.replace(self._file)
