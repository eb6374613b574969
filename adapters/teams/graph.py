"""Microsoft Graph with an app's own permissions: token, pages, waiting, and what its errors mean."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

import aiohttp
from yarl import URL

from adapters.teams.settings import GraphSettings
from rag_core.errors import Unavailable

LONGEST_PAUSE = 2.0
"""Seconds that Graph may ask to wait for; what takes longer has not answered."""

_EARLY = 300.0
"""Seconds before its end at which a token is not used any more: clocks differ, and a call takes a while."""

_ATTEMPTS = 3
_AT_ONCE = 6
_MOST_READ = 4_194_304
_WAIT = frozenset({HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE, HTTPStatus.GATEWAY_TIMEOUT})

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _Answer:
    status: int
    retry_after: float | None
    body: Json


class Graph:
    """Calls to Graph for one tenant at a time. Uses the session, does not close it.

    Raises Unavailable: "directory_slow_down" (`retry_after`), "directory_refused" (`error`: Graph's own code),
    "directory_unreachable". Secret and token are in none of them.
    """

    def __init__(
        self, session: aiohttp.ClientSession, settings: GraphSettings, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._session = session
        self._settings = settings
        self._clock = clock
        self._graph = URL(settings.graph_url)
        self._tokens: dict[str, tuple[str, float]] = {}
        self._asking: dict[str, asyncio.Lock] = {}
        self._slots = asyncio.Semaphore(_AT_ONCE)

    async def get(self, tenant: str, path: str, **query: str) -> Json | None:
        """One object; None where Graph knows of none."""
        return await self._call(tenant, "GET", self._address(path).with_query(query))

    async def post(self, tenant: str, path: str, body: Json) -> Json | None:
        """What Graph answers to `body`; None where it knows of no such object."""
        return await self._call(tenant, "POST", self._address(path), body)

    async def listed(self, tenant: str, path: str, most: int, **query: str) -> tuple[Json, ...] | None:
        """All entries of a list, page by page; None where there is no such list, or it has more than `most`."""
        found: list[Json] = []
        async for page in self._pages(tenant, self._address(path).with_query(query)):
            if page is None:
                return None
            found += page
            if len(found) > most:
                return None
        return tuple(found)

    async def _pages(self, tenant: str, address: URL) -> AsyncIterator[list[Json] | None]:
        following: URL | None = address
        seen: set[URL] = set()
        while following is not None:
            if following in seen:
                raise _refused("page_repeated")
            seen.add(following)
            answer = await self._call(tenant, "GET", following)
            if answer is None:
                yield None
                return
            entries = answer.get("value")
            if not isinstance(entries, list) or not all(isinstance(each, dict) for each in entries):
                raise _refused("unreadable")
            yield entries
            following = self._next(answer.get("@odata.nextLink"))

    def _address(self, path: str) -> URL:
        """`path` begins below the version; its ids are escaped by `segment`."""
        return URL(f"{self._settings.graph_url.rstrip('/')}/{path}", encoded=True)

    def _next(self, link: object) -> URL | None:
        """The next page, which must be Graph's: the token goes there."""
        if link is None:
            return None
        try:
            url = URL(str(link), encoded=True)
        except ValueError as exc:
            raise _refused("next_link") from exc
        if not url.absolute or url.origin() != self._graph.origin() or url.user is not None:
            raise _refused("next_link")
        return url

    async def _call(self, tenant: str, method: str, address: URL, body: Json | None = None) -> Json | None:
        for attempt in range(1, _ATTEMPTS + 1):
            token = await self._token(tenant)
            answer = await self._send(method, address, body=body, headers={"Authorization": f"Bearer {token}"})
            is_last = attempt == _ATTEMPTS
            if answer.status in (HTTPStatus.OK, HTTPStatus.NOT_FOUND):
                return answer.body if answer.status == HTTPStatus.OK else None
            if answer.status == HTTPStatus.UNAUTHORIZED and not is_last:
                self._tokens.pop(tenant, None)  # revoked, or its key was rotated
                continue
            if answer.status in _WAIT:
                await _pause(answer, is_last=is_last)
                continue
            if answer.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
                raise Unavailable("directory_unreachable", directory="entra", status=answer.status)
            raise _refused(_code(answer))
        raise Unavailable("directory_unreachable", directory="entra")

    async def _token(self, tenant: str) -> str:
        """That of the tenant, fetched once for all who wait for it."""
        async with self._asking.setdefault(tenant, asyncio.Lock()):
            token, until = self._tokens.get(tenant, ("", 0.0))
            if not token or self._clock() >= until:
                token, until = await self._new_token(tenant)
                self._tokens[tenant] = (token, until)
            return token

    async def _new_token(self, tenant: str) -> tuple[str, float]:
        began = self._clock()
        address = URL(f"{self._settings.login_url.rstrip('/')}/{tenant}/oauth2/v2.0/token")
        form = {
            "grant_type": "client_credentials",
            "client_id": self._settings.app_id,
            "client_secret": self._settings.app_secret,
            "scope": f"{self._graph.origin()}/.default",
        }
        answer = await self._send("POST", address, form=form)
        token, seconds = answer.body.get("access_token"), answer.body.get("expires_in")
        if answer.status in _WAIT or answer.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            raise Unavailable("directory_unreachable", directory="entra", status=answer.status)
        if answer.status != HTTPStatus.OK or not isinstance(token, str) or not token:
            raise _refused(_code(answer))
        lasts = float(seconds) if isinstance(seconds, (int, float)) and not isinstance(seconds, bool) else 0.0
        return token, began + max(0.0, lasts - _EARLY)

    async def _send(
        self,
        method: str,
        address: URL,
        *,
        body: Json | None = None,
        form: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> _Answer:
        try:
            # a redirect would carry the token to a host that nobody checked
            async with (
                self._slots,
                self._session.request(
                    method, address, json=body, data=form, headers=headers, allow_redirects=False
                ) as response,
            ):
                text = await response.content.read(_MOST_READ)
                while len(text) < _MOST_READ and (more := await response.content.read(_MOST_READ - len(text))):
                    text += more
                return _Answer(response.status, _seconds(response.headers.get("Retry-After", "")), _object(text))
        except (aiohttp.ClientError, TimeoutError) as exc:
            raise Unavailable("directory_unreachable", directory="entra") from exc


def segment(id_: str) -> str:
    """An id as a part of a path."""
    return URL.build(path=f"/{id_.replace('/', '')}").raw_path.removeprefix("/").replace(":", "%3A").replace(";", "%3B")


async def _pause(answer: _Answer, *, is_last: bool) -> None:
    """Waits as long as was asked. Raises Unavailable where that is too long."""
    seconds = answer.retry_after
    if is_last or (seconds is not None and seconds > LONGEST_PAUSE):
        raise Unavailable("directory_slow_down", directory="entra", retry_after=seconds)
    await asyncio.sleep(LONGEST_PAUSE / 4 if seconds is None else seconds)


def _seconds(asked: str) -> float | None:
    return float(asked) if asked.isascii() and asked.isdigit() and len(asked) < 7 else None


def _object(text: bytes) -> Json:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _code(answer: _Answer) -> str:
    """Graph says {"error": {"code": ...}}, the login page {"error": "invalid_client"}."""
    error = answer.body.get("error")
    code = error.get("code") if isinstance(error, dict) else error
    return code[:60] if isinstance(code, str) and code.replace("_", "").isalnum() else f"http_{answer.status}"


def _refused(error: str) -> Unavailable:
    return Unavailable("directory_refused", directory="entra", error=error)
