"""From where a request comes, for counting what goes wrong or waits: never for letting anybody in."""

import ipaddress
import re
from collections import Counter
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from contextlib import contextmanager

from aiohttp import web

from rag_core.errors import Rejected

_WITH_PORT = re.compile(r"\[([0-9a-fA-F:.]+)\](?::\d+)?|([0-9.]+):\d+")
_WAIT_SECONDS = 5.0
_Address = ipaddress.IPv4Address | ipaddress.IPv6Address


def peer_of(request: web.Request, proxies: AbstractSet[str]) -> str:
    """The address that connected; behind a named proxy the last one in X-Forwarded-For that is no such proxy: what
    stands further left, the caller may have written himself.

    Of IPv6 the first 64 bits: who has one such address has them all.
    """
    connected = request.remote or ""
    if connected not in proxies:
        return _counted(_parsed(connected)) or connected
    hops = [hop.strip() for value in request.headers.getall("X-Forwarded-For", []) for hop in value.split(",")]
    for hop in reversed(hops):
        address = _parsed(hop)
        if address is None:
            break
        if str(address) not in proxies:
            return _counted(address)
    return connected


def _parsed(text: str) -> _Address | None:
    match = _WITH_PORT.fullmatch(text)
    try:
        address = ipaddress.ip_address(match[1] or match[2] if match else text.split("%", 1)[0])
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


def _counted(address: _Address | None) -> str:
    if address is None:
        return ""
    return str(address) if address.version == 4 else str(ipaddress.ip_network((address, 64), strict=False))


class Waiting:
    """Questions that wait for their answers in this process: at most `most` of one address."""

    def __init__(self, most: int = 100) -> None:
        self._most = most
        self._waiting = Counter[str]()

    @contextmanager
    def one_of(self, peer: str) -> Iterator[None]:
        """While a question of `peer` is answered. Raises Rejected("questions_waiting", seconds)."""
        if self._waiting[peer] >= self._most:
            raise Rejected("questions_waiting", seconds=_WAIT_SECONDS)
        self._waiting[peer] += 1
        try:
            yield
        finally:
            self._waiting[peer] -= 1
            if not self._waiting[peer]:
                del self._waiting[peer]
