"""The one way out to the web: for websites, sitemaps, forums."""

import asyncio
import ssl
import time
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

import stamina
from aiohttp import ClientResponse, ClientSession, ClientTimeout, DummyCookieJar, TCPConnector
from aiohttp.abc import AbstractResolver
from yarl import URL

from ingest.fetching.addresses import IpNetwork, MayConnect, checked_sockets, fetchable, is_public, public_or_in
from ingest.fetching.answers import FOREIGN, Fetched, check_status, conditions, fetched, redirect_of, translate
from rag_core.errors import Rejected, Unavailable

_MOST_HOSTS = 10_000


class HostPace:
    """Hands out turns: two requests to one host begin at least the interval apart. Clock and sleep in seconds."""

    def __init__(self, clock: Callable[[], float], sleep: Callable[[float], Awaitable[None]]) -> None:
        self._clock = clock
        self._sleep = sleep
        self._free_at: dict[str, float] = {}

    async def turn(self, host: str, interval: float) -> None:
        """Waits until a request may begin; the next one comes no sooner than `interval` after it."""
        now = self._clock()
        if len(self._free_at) > _MOST_HOSTS:
            self._free_at = {name: at for name, at in self._free_at.items() if at > now}
        begin = max(now, self._free_at.get(host, now))
        self._free_at[host] = begin + interval
        if begin > now:
            await self._sleep(begin - now)


_RETRIED = frozenset({"source_busy", "source_error", "source_timeout", "source_unreachable", "source_answer_broken"})
_PIECE = 64 * 1024


def user_agent(contact_url: str | None = None) -> str:
    """How this program names itself to the sites it reads; `contact_url`: where their people can ask about it."""
    return f"adpolicy/1.0 (+{contact_url})" if contact_url else "adpolicy/1.0"


@dataclass(frozen=True, slots=True)
class FetchLimits:
    """`most_bytes`: of one answer, decompressed. `total_seconds`: of one request with its body.

    Attempts wait twice as long each, from `first_wait_seconds`, or what Retry-After says; a server that asks for more
    than `longest_wait_seconds` is not asked again. `interval_seconds`: between two requests to one host.
    """

    most_bytes: int = 20 * 1024 * 1024
    connect_seconds: float = 10.0
    total_seconds: float = 60.0
    most_redirects: int = 5
    attempts: int = 4
    first_wait_seconds: float = 1.0
    longest_wait_seconds: float = 60.0
    interval_seconds: float = 1.0


@dataclass(frozen=True, slots=True)
class _Request:
    url: URL
    known_revision: str | None
    headers: Mapping[str, str]
    most_bytes: int
    interval: float


@dataclass(slots=True)
class Fetcher:
    """Fetches by GET over http and https, one session for all; whoever builds it closes it.

    Connects only to addresses that `may_connect` allows (default: the open Internet), checked on the address of each
    connection, those of redirects too. Proxies of the environment are not used. `tls`: another trust store.
    """

    agent: str
    limits: FetchLimits = field(default_factory=FetchLimits)
    may_connect: MayConnect = is_public
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    resolver: AbstractResolver | None = None
    tls: ssl.SSLContext | None = None
    _session: ClientSession | None = field(default=None, init=False)
    _wider: "dict[frozenset[IpNetwork], Fetcher]" = field(default_factory=dict, init=False)
    _pace: HostPace = field(init=False)

    def __post_init__(self) -> None:
        self._pace = HostPace(self.clock, self.sleep)

    @property
    def product(self) -> str:
        """The name in `agent`, by which robots.txt and pages address us."""
        return self.agent.split("/", 1)[0].lower()

    def allowing(self, networks: Collection[IpNetwork]) -> "Fetcher":
        """A fetcher that may connect to these networks as well; closed together with this one."""
        if not networks:
            return self
        wanted = frozenset(networks)
        if wanted not in self._wider:
            self._wider[wanted] = replace(self, may_connect=public_or_in(wanted, self.may_connect))
        return self._wider[wanted]

    async def get(
        self,
        url: str,
        known_revision: str | None = None,
        *,
        headers: Mapping[str, str] | None = None,
        most_bytes: int | None = None,
        interval_seconds: float = 0.0,
    ) -> Fetched | None:
        """What is at `url`; None if it still is what it was at `known_revision` (`Fetched.revision`).

        `headers` go to the host of `url` only, not where it redirects to. `interval_seconds`: at least so long until
        the next request to this host (robots.txt's crawl-delay).
        Raises Rejected: see `fetchable`, `redirect_of`, `check_status`; "address_not_public", "redirect_too_many",
        "page_too_large". Raises Unavailable, after some attempts: see `check_status`; "source_timeout",
        "source_unreachable"; at once: "source_tls", and a busy server that asks for more patience than is allowed.
        """
        request = _Request(
            fetchable(url),
            known_revision,
            headers or {},
            self.limits.most_bytes if most_bytes is None else most_bytes,
            max(self.limits.interval_seconds, interval_seconds),
        )
        retrying = stamina.AsyncRetryingCaller(
            attempts=self.limits.attempts,
            timeout=None,
            wait_initial=self.limits.first_wait_seconds,
            wait_max=self.limits.longest_wait_seconds,
            wait_jitter=self.limits.first_wait_seconds,
        )
        return await retrying.on(self._before_next_attempt)(self._follow, request)

    def _before_next_attempt(self, error: Exception) -> bool | float:
        """How long to wait; True: as usual, False: give up."""
        if not isinstance(error, Unavailable) or error.code not in _RETRIED:
            return False
        asked = error.details.get("retry_after")
        if not isinstance(asked, float):
            return True
        return max(asked, self.limits.first_wait_seconds) if asked <= self.limits.longest_wait_seconds else False

    async def _follow(self, request: _Request) -> Fetched | None:
        address = request.url
        for _ in range(self.limits.most_redirects + 1):
            answer = await self._ask(address, request)
            if not isinstance(answer, URL):
                return answer
            address = fetchable(answer)
        raise Rejected("redirect_too_many", host=request.url.host, most=self.limits.most_redirects)

    async def _ask(self, address: URL, request: _Request) -> Fetched | URL | None:
        host = address.host or ""
        headers = conditions(address, request.known_revision)
        if address.origin() == request.url.origin():
            headers = {**request.headers, **headers}
        await self._pace.turn(host, request.interval)
        try:
            async with self._opened().get(address, headers=headers, allow_redirects=False) as response:
                if (target := redirect_of(address, response)) is not None:
                    return target
                if response.status == 304 and conditions(address, request.known_revision):
                    return None
                check_status(host, response, self.now)
                content = await _read(response, request.most_bytes, host)
                return fetched(address, response, content)
        except FOREIGN as exc:
            raise translate(exc, host) from exc

    def _opened(self) -> ClientSession:
        if self._session is None:
            connector = TCPConnector(
                socket_factory=checked_sockets(self.may_connect), resolver=self.resolver, ssl=self.tls or True
            )
            self._session = ClientSession(
                connector=connector,
                timeout=ClientTimeout(total=self.limits.total_seconds, sock_connect=self.limits.connect_seconds),
                headers={
                    "User-Agent": self.agent,
                    "Accept-Encoding": "gzip, deflate",
                    "Accept-Language": "en, *;q=0.5",
                },
                cookie_jar=DummyCookieJar(),
            )
        return self._session

    async def aclose(self) -> None:
        for fetcher in self._wider.values():
            await fetcher.aclose()
        if self._session is not None:
            await self._session.close()
            self._session = None


async def _read(response: ClientResponse, most: int, host: str) -> bytes:
    """The body, decompressed piece by piece, so that no more than `most` bytes and a piece are ever held."""
    length = response.content_length
    if length is not None and length > most:
        raise Rejected("page_too_large", host=host, most=most)
    content = bytearray()
    async for piece in response.content.iter_chunked(_PIECE):
        content += piece
        if len(content) > most:
            raise Rejected("page_too_large", host=host, most=most)
    return bytes(content)
