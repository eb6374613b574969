"""What an issuer publishes, over HTTP: its discovery document (OpenID Connect Discovery 1.0) and its keys."""

import asyncio
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import aiohttp

from adapters.oidc.key_sets import PublishedKey, pick, published
from adapters.oidc.settings import OidcSettings, is_safe
from rag_core.errors import Unavailable

_MOST_BYTES = 1024 * 1024
_OK = 200


@dataclass(frozen=True, slots=True)
class _Fetched:
    keys: tuple[PublishedKey, ...]
    at: float


class IssuerKeys:
    """An issuer's keys, kept for a while. `session` follows no cookies; the builder closes it."""

    def __init__(
        self, settings: OidcSettings, session: aiohttp.ClientSession, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._settings = settings
        self._session = session
        self._clock = clock
        self._fetching = asyncio.Lock()
        self._fetched: _Fetched | None = None
        self._tried_at = float("-inf")
        self._failed = False

    async def find(self, algorithm: str, kid: str) -> PublishedKey | None:
        """The key that a token names, asking the issuer once more for one that nobody knows.

        None: there is no such key. Raises Unavailable (issuer_down, issuer_unusable): nobody can tell.
        """
        fetched = await self._fresh()
        found = pick(fetched.keys, algorithm, kid)
        if found is None and kid and not any(each.kid == kid for each in fetched.keys):
            found = pick((await self._newer_than(fetched)).keys, algorithm, kid)
        return found

    async def fetch(self) -> tuple[PublishedKey, ...]:
        """The keys as they are published now. Raises Unavailable."""
        settings = self._settings
        usual = f"{settings.issuer.rstrip('/')}/.well-known/openid-configuration"
        found = await self._get(settings.discovery or usual)
        if found.get("issuer") != settings.issuer:
            raise Unavailable("issuer_unusable", reason="issuer")
        address = found.get("jwks_uri")
        if not isinstance(address, str) or not is_safe(address):
            raise Unavailable("issuer_unusable", reason="jwks_uri")
        keys = published(await self._get(address))
        if not keys:
            raise Unavailable("issuer_unusable", reason="keys")
        return keys

    async def _fresh(self) -> _Fetched:
        """Keys that are not old; while the issuer does not answer, older ones, for a time."""
        fetched, settings = self._fetched, self._settings
        age = float("inf") if fetched is None else self._clock() - fetched.at
        if fetched is not None and (age < settings.fresh or (age < settings.stale and self._fetching.locked())):
            return fetched
        try:
            return await self._newer_than(fetched)
        except Unavailable:
            if fetched is not None and age < settings.stale:
                return fetched
            raise

    async def _newer_than(self, known: _Fetched | None) -> _Fetched:
        """What is published now; asked for at most once in a while, whoever wants it. In between: what is `known`, but
        where the last try failed, Unavailable."""
        async with self._fetching:
            if self._fetched is not None and self._fetched is not known:
                return self._fetched  # somebody else asked meanwhile
            if self._clock() - self._tried_at < self._settings.pause:
                if known is None or self._failed:
                    raise Unavailable("issuer_down", reason="pause")
                return known
            self._tried_at = began = self._clock()
            self._failed = True
            try:
                self._fetched = _Fetched(await self.fetch(), began)
            except Unavailable:
                self._tried_at = self._clock()  # who waited for this does not wait for another one
                raise
            self._failed = False
            if known is None:
                self._tried_at = float("-inf")  # the first fetch holds up none for a key that came right after it
            return self._fetched

    async def _get(self, url: str) -> Mapping[str, object]:
        timeout = aiohttp.ClientTimeout(total=self._settings.timeout)
        try:
            # no redirects: the address was checked, and where it leads was not
            async with self._session.get(url, allow_redirects=False, timeout=timeout) as response:
                if response.status != _OK:
                    raise Unavailable("issuer_down", reason=f"status {response.status}")
                body = await _read(response)
        except (aiohttp.ClientError, OSError, TimeoutError, ValueError) as exc:
            raise Unavailable("issuer_down", reason=type(exc).__name__) from exc
        try:
            found = json.loads(body)
        except (ValueError, RecursionError) as exc:
            raise Unavailable("issuer_unusable", reason="JSON") from exc
        if not isinstance(found, dict):
            raise Unavailable("issuer_unusable", reason="JSON")
        return found


async def _read(response: aiohttp.ClientResponse) -> bytes:
    body = b""
    async for piece in response.content.iter_chunked(64 * 1024):
        body += piece
        if len(body) > _MOST_BYTES:
            raise Unavailable("issuer_unusable", reason="size")
    return body
