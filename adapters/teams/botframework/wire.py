"""What botbuilder's requests go through: our session, one token an hour, and waiting where Teams asks for it.

msrest's own way is `requests` in threads, a token fetched in the event loop, and one attempt.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

import aiohttp
from msrest.pipeline import AsyncHTTPPolicy, AsyncHTTPSender, AsyncPipeline, Request, Response
from msrest.pipeline.universal import RawDeserializer, UserAgentPolicy
from msrest.universal_http import ClientRequest
from msrest.universal_http.async_abc import AsyncClientResponse
from yarl import URL

from adapters.teams.botframework.troubles import MAYBE, ConnectorTrouble
from adapters.teams.client import NOT_SENT, Answer, call
from adapters.teams.tokens import AppTokens
from rag_core.errors import Unavailable

Sleep = Callable[[float], Awaitable[None]]

_IDS = ("id", "activityId")
_TIMEOUT = aiohttp.ClientTimeout(total=20.0, sock_connect=5.0)
_AGAIN = MAYBE | {HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.PRECONDITION_FAILED}
"""Microsoft's list of what is to be tried again. What may have been taken is as well: the connector has no way to look,
and one that is lost is worse than one that is there twice."""


@dataclass(frozen=True, slots=True)
class ConnectorPatience:
    """Seconds. `longest_asked`: what is waited for here where Teams asks for it; what takes longer is the caller's."""

    attempts: int = 5
    first_wait: float = 1.0
    longest_wait: float = 8.0
    longest_asked: float = 20.0

    def wait(self, attempt: int, asked: float | None) -> float:
        return min(self.first_wait * 2 ** (attempt - 1), self.longest_wait) if asked is None else asked


class ConnectorResponse(AsyncClientResponse):
    """As msrest wants it, with the ids that botbuilder reads and nothing else: it raises all sorts for an answer of
    another shape (Teams answers 202 with some), though what was sent has been taken."""

    def __init__(self, request: ClientRequest, answer: Answer) -> None:
        super().__init__(request, answer)
        self.status_code = answer.status
        self.headers = {"content-type": "application/json"}
        ids = {name: each for name in _IDS if isinstance(each := answer.json.get(name), str)}
        self._body = json.dumps(ids).encode()

    def body(self) -> bytes:
        return self._body


class SessionSender(AsyncHTTPSender[ClientRequest, ConnectorResponse]):
    """Uses the session, does not close it."""

    def __init__(self, session: aiohttp.ClientSession) -> None:
        self._session = session

    async def send(self, request: Request[ClientRequest], **config: Any) -> Response[ClientRequest, ConnectorResponse]:
        asked = request.http_request
        headers = {name: value for name, value in asked.headers.items() if name.lower() != "content-length"}
        data = asked.data.encode() if isinstance(asked.data, str) else asked.data
        address = URL(asked.url, encoded=True)  # its ids are quoted already
        answer = await call(self._session, asked.method, address, headers=headers, data=data, times=_TIMEOUT)
        return Response(request, ConnectorResponse(asked, answer))

    async def __aexit__(self, *_: object) -> None:
        """Nothing of its own."""


class TokenPolicy(AsyncHTTPPolicy[ClientRequest, ConnectorResponse]):
    """Signs requests with the app's token; with a new one where it is not taken any more."""

    def __init__(self, tokens: AppTokens, tenant: str, scope: str) -> None:
        super().__init__()
        self._tokens = tokens
        self._tenant = tenant
        self._scope = scope

    async def send(self, request: Request[ClientRequest], **given: Any) -> Response[ClientRequest, ConnectorResponse]:
        token = await self._sign(request)
        response = await self.next.send(request, **given)
        if response.http_response.status_code != HTTPStatus.UNAUTHORIZED:
            return response
        self._tokens.forget(token)
        await self._sign(request)
        return await self.next.send(request, **given)

    async def _sign(self, request: Request[ClientRequest]) -> str:
        token = await self._tokens.token(self._tenant, self._scope)
        request.http_request.headers["Authorization"] = f"Bearer {token}"
        return token


class RetryPolicy(AsyncHTTPPolicy[ClientRequest, ConnectorResponse]):
    """Gives back what was taken; raises ConnectorTrouble for all else, after as many tries as are worth it. `is_once`:
    the caller looks before what may have been taken is sent again."""

    def __init__(self, patience: ConnectorPatience, sleep: Sleep, *, is_once: bool) -> None:
        super().__init__()
        self._patience = patience
        self._sleep = sleep
        self._again = _AGAIN - MAYBE if is_once else _AGAIN

    async def send(self, request: Request[ClientRequest], **given: Any) -> Response[ClientRequest, ConnectorResponse]:
        method, maybe_done = request.http_request.method, False
        for attempt in range(1, self._patience.attempts + 1):
            answer: Answer | None = None
            try:
                response = await self.next.send(request, **given)
            except NOT_SENT as exc:
                if attempt == self._patience.attempts:
                    raise ConnectorTrouble(method, None, maybe_done=maybe_done) from exc
            except Unavailable as exc:  # no token
                if not maybe_done:
                    raise
                raise ConnectorTrouble(method, None, maybe_done=True) from exc
            else:
                answer = _answer_of(response)
                if answer.is_ok:
                    return response
                maybe_done = maybe_done or answer.status in MAYBE or answer.status >= HTTPStatus.INTERNAL_SERVER_ERROR
            await self._rest(method, attempt, answer, maybe_done=maybe_done)
        raise ConnectorTrouble(method, None, maybe_done=maybe_done)

    async def _rest(self, method: str, attempt: int, answer: Answer | None, *, maybe_done: bool) -> None:
        """Raises ConnectorTrouble where another try is of no use, or too far away."""
        wait = self._patience.wait(attempt, answer.retry_after if answer else None)
        is_worth_it = answer is None or answer.status in self._again
        if not is_worth_it or attempt == self._patience.attempts or wait > self._patience.longest_asked:
            raise ConnectorTrouble(method, answer, maybe_done=maybe_done)
        await self._sleep(wait)


def _answer_of(response: Response[ClientRequest, ConnectorResponse]) -> Answer:
    found: Answer = response.http_response.internal_response
    return found


@dataclass(frozen=True, slots=True)
class Wire:
    """The way to the connector: as whom, and how patiently. `is_once` as in `RetryPolicy`."""

    session: aiohttp.ClientSession
    tokens: AppTokens
    tenant: str
    scope: str
    patience: ConnectorPatience
    sleep: Sleep = asyncio.sleep
    is_once: bool = False

    def pipeline(self, agent: UserAgentPolicy) -> AsyncPipeline[ClientRequest, ConnectorResponse]:
        """A new one: its policies know which comes next, so that no two pipelines can share one."""
        retry = RetryPolicy(self.patience, self.sleep, is_once=self.is_once)
        token = TokenPolicy(self.tokens, self.tenant, self.scope)
        return AsyncPipeline([agent, RawDeserializer(), retry, token], SessionSender(self.session))
