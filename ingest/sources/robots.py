"""robots.txt (RFC 9309), read once a look for each host."""

from protego import Protego
from yarl import URL

from ingest.fetching.fetcher import Fetcher
from rag_core.errors import Rejected, Unavailable

_MOST_BYTES = 5 * 1024 * 1024
_READ_BYTES = 500 * 1024  # RFC 9309, 2.5: at least so much is to be read
_LONGEST_DELAY = 30.0
_MISSING = frozenset({"document_gone", "document_forbidden", "document_refused", "redirect_too_many"})
"""RFC 9309, 2.3.1: no robots.txt, everything is allowed."""


class Robots:
    """Asks the robots.txt of each host for what it says to `fetcher.product`.

    Missing: everything is allowed. Where the host answers with an error, nothing is: Unavailable("robots_unavailable").
    Where it does not answer: what `Fetcher.get` raises.
    """

    def __init__(self, fetcher: Fetcher) -> None:
        self._fetcher = fetcher
        self._known: dict[str, Protego] = {}

    async def allow(self, address: str) -> bool:
        return (await self._rules(address)).can_fetch(address, self._fetcher.product)

    async def delay(self, address: str) -> float:
        """Seconds between two requests, at most 30."""
        delay = (await self._rules(address)).crawl_delay(self._fetcher.product)
        return min(max(delay or 0.0, 0.0), _LONGEST_DELAY)

    async def sitemaps(self, address: str) -> list[str]:
        """The sitemaps that the host of `address` names, as written."""
        return list((await self._rules(address)).sitemaps)

    def forget(self) -> None:
        """Read them anew."""
        self._known.clear()

    async def _rules(self, address: str) -> Protego:
        origin = str(URL(address).origin())
        if origin not in self._known:
            self._known[origin] = Protego.parse(await self._text(origin))
        return self._known[origin]

    async def _text(self, origin: str) -> str:
        try:
            found = await self._fetcher.get(f"{origin}/robots.txt", most_bytes=_MOST_BYTES)
        except Rejected as error:
            if error.code not in _MISSING:
                raise
            return ""
        except Unavailable as error:
            if error.code != "source_error":
                raise
            raise Unavailable("robots_unavailable", **error.details) from error
        return found.content[:_READ_BYTES].decode("utf-8-sig", "replace") if found is not None else ""
