"""One client for the process: bounded in time, patient with a full queue, silent about what it is asked."""

import asyncio
import logging
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Any

import stamina
from opensearchpy import AsyncOpenSearch
from opensearchpy.exceptions import OpenSearchException

from adapters.opensearch.connection import LargeBodyConnection
from adapters.opensearch.errors import INDEX_DOWN, INDEX_OVERLOADED, translate
from adapters.opensearch.settings import OpenSearchSettings, hosts, tls
from rag_core.deadlines import remaining
from rag_core.errors import PolicyBotError, Unavailable
from rag_core.ports import Breaker

_CONNECTIONS = 32
"""To each host: a question searches for a few places at a time, and several questions are answered at once."""

_FIRST_WAIT = 0.05
_LONGEST_WAIT = 2.0
"""Seconds between attempts at a full queue, growing, with jitter of `_FIRST_WAIT` up to twice that."""

_LOGGERS = ("opensearch", "opensearchpy.trace")


class OpenSearchClient:
    """Requests to one cluster. Made once for a process by `connect`; whoever made it closes it.

    A request is bounded by `seconds` and by the deadline of whoever asks. A full queue (429), which opensearch-py
    does not retry, is tried again within that time; a lost connection once, on another host where there is one.
    Raises Unavailable and Misconfigured as `errors._translate` says, and what the breaker raises.
    """

    def __init__(self, sdk: AsyncOpenSearch, settings: OpenSearchSettings, breaker: Breaker | None = None) -> None:
        self._sdk = sdk
        self._breaker = breaker
        self.settings = settings

    async def call(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | bytes | None = None,
        *,
        params: Mapping[str, Any] | None = None,
        seconds: float | None = None,
        patient: bool = True,
    ) -> Any:
        """The answer's JSON. `patient` False: a full queue is raised at once, as Unavailable("index_overloaded")."""
        seconds = remaining(seconds or self.settings.seconds)
        headers = {"content-type": "application/x-ndjson"} if isinstance(body, bytes) else None
        request = (method, path, params, body, seconds, headers)
        if not patient:
            return await self._once(*request)
        async for attempt in stamina.retry_context(
            on=_is_overloaded,
            attempts=None,
            timeout=seconds,
            wait_initial=_FIRST_WAIT,
            wait_max=_LONGEST_WAIT,
            wait_jitter=_FIRST_WAIT,
        ):
            with attempt:
                answer = await self._once(*request)
        return answer

    async def aclose(self) -> None:
        """Close all connections; also those to hosts that did not answer, which opensearch-py forgets."""
        await self._sdk.close()
        for connection in getattr(self._sdk.transport.connection_pool, "orig_connections", ()):
            await connection.close()

    async def _once(
        self,
        method: str,
        path: str,
        params: Mapping[str, Any] | None,
        body: Mapping[str, Any] | bytes | None,
        seconds: float,
        headers: Mapping[str, str] | None,
    ) -> Any:
        """Only that it did not answer is inside the breaker's guard: who refuses something is there."""
        refused: tuple[PolicyBotError, Exception] | None = None
        seconds = remaining(seconds)
        async with self._guard():
            try:
                async with asyncio.timeout(seconds):
                    return await self._sdk.transport.perform_request(
                        method, path, params=params, body=body, timeout=seconds, headers=headers
                    )
            except (OpenSearchException, TimeoutError, OSError) as exc:
                error = translate(exc)
                if error.code == INDEX_DOWN:
                    raise error from exc
                refused = error, exc
        raise refused[0] from refused[1]

    def _guard(self) -> AbstractAsyncContextManager[None]:
        return self._breaker.guard() if self._breaker is not None else nullcontext()


def connect(
    settings: OpenSearchSettings,
    *,
    breaker: Breaker | None = None,
    connection_class: type[LargeBodyConnection] = LargeBodyConnection,
) -> OpenSearchClient:
    """A client that connects at its first request. `connection_class` signs, where requests are to be signed.

    Raises Misconfigured("ca_file_unreadable", path).
    """
    for name in _LOGGERS:
        # At DEBUG they write bodies, and with them what people asked; what fails is raised, so nothing is lost
        logging.getLogger(name).setLevel(logging.ERROR)
    sdk = AsyncOpenSearch(
        hosts(settings),
        connection_class=connection_class,
        ssl_context=tls(settings),
        timeout=settings.seconds,
        pool_maxsize=_CONNECTIONS,
        max_retries=1,
        retry_on_timeout=False,
        retry_on_status=(),
    )
    return OpenSearchClient(sdk, settings, breaker)


def _is_overloaded(exc: Exception) -> bool:
    return isinstance(exc, Unavailable) and exc.code == INDEX_OVERLOADED
