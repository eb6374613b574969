"""A name server for tests."""

import socket

from aiohttp.abc import AbstractResolver, ResolveResult


class FakeNames(AbstractResolver):
    """`answers`: host -> the addresses of each lookup in turn, the last ones again and again. Unknown hosts fail."""

    def __init__(self, answers: dict[str, list[list[str]]]) -> None:
        self._answers = answers
        self.lookups: list[str] = []

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        self.lookups.append(host)
        turns = self._answers.get(host)
        if not turns:
            raise OSError(socket.EAI_NONAME, "unknown host")
        addresses = turns.pop(0) if len(turns) > 1 else turns[0]
        return [
            {
                "hostname": host,
                "host": address,
                "port": port,
                "family": socket.AF_INET6 if ":" in address else socket.AF_INET,
                "proto": 0,
                "flags": socket.AI_NUMERICHOST,
            }
            for address in addresses
        ]

    async def close(self) -> None:
        """Nothing is open."""
