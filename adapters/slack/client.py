"""Slack's Web API: with which token, and what its errors mean."""

import asyncio
from collections.abc import Awaitable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Protocol

import aiohttp
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.web.async_client import AsyncWebClient

from adapters.slack.response_urls import post, raise_for, trusted
from rag_core.errors import PolicyBotError, Rejected, Unavailable

CALL_SECONDS = 10.0
"""The longest time for one call; with a session of ours the SDK has no limit of its own."""

_SLOW_DOWN = frozenset({"ratelimited", "rate_limited", "message_limit_exceeded"})
_DOWN = frozenset({"internal_error", "fatal_error", "service_unavailable", "request_timeout", "team_added_to_org"})
_NOT_THERE = frozenset({"not_in_channel", "channel_not_found"})
_CLOSED = frozenset(
    {"is_archived", "is_inactive", "restricted_action", "restricted_action_read_only_channel", "user_not_found",
     "user_disabled", "messages_tab_disabled", "cannot_dm_bot", "team_disabled", "thread_locked"}
)  # fmt: skip
_NOT_INSTALLED = frozenset(
    {"account_inactive", "token_revoked", "token_expired", "invalid_auth", "not_authed", "team_access_not_granted",
     "app_not_installed"}
)  # fmt: skip


class BotTokens(Protocol):
    """Which token acts for a workspace."""

    async def of(self, team: str, enterprise: str = "") -> str:
        """Raises Rejected("slack_not_installed") where the app is not (any more), Unavailable."""
        ...


class SlackClients:
    """Web API clients over one session, which is not closed here. Nothing is tried again inside them."""

    def __init__(self, session: aiohttp.ClientSession, tokens: BotTokens, api_url: str) -> None:
        self._session = session
        self._tokens = tokens
        self._api_url = api_url

    async def respond(self, response_url: str, message: Mapping[str, object]) -> None:
        """Posts to the address that came with an action. Raises as `response_urls.raise_for`, and
        Rejected("reply_address_refused") where it is not Slack's."""
        raise_for(await post(self._session, trusted(response_url, self._api_url), message))

    async def of(self, team: str, enterprise: str = "") -> AsyncWebClient:
        """Acts for the workspace. Raises as BotTokens."""
        token = await self._tokens.of(team, enterprise)
        return AsyncWebClient(token=token, base_url=self._api_url, session=self._session, retry_handlers=[])


async def called(call: Awaitable[Any]) -> Mapping[str, Any]:
    """What Slack answered.

    Raises Unavailable: `slack_rate_limited` (`retry_after`, seconds), `slack_error`, `slack_unreachable` (`delivered`
    is "no" or "unknown"). Raises Rejected: `slack_not_in_channel`, `slack_channel_closed`, `slack_not_installed`, and
    `slack_refused` for everything else; `error` is Slack's code.
    """
    try:
        async with asyncio.timeout(CALL_SECONDS):
            answer = await call
    # AttributeError: the SDK takes a text or a list, from a proxy say, for an answer of Slack's, and asks if it is ok
    except (
        *(SlackApiError, SlackClientError, aiohttp.ClientError),
        *(TimeoutError, OSError, ValueError, AttributeError),
    ) as exc:
        raise _translate(exc) from exc
    data = getattr(answer, "data", None)
    if not isinstance(data, dict):
        raise Unavailable("slack_error", error="unreadable")
    return data


def _translate(exc: Exception) -> PolicyBotError:
    if not isinstance(exc, SlackApiError):
        never_sent = isinstance(exc, aiohttp.ClientConnectorError | aiohttp.ConnectionTimeoutError)
        return Unavailable("slack_unreachable", delivered="no" if never_sent else "unknown")
    response: Any = exc.response
    status = getattr(response, "status_code", None) or getattr(response, "status", None) or 0
    data = getattr(response, "data", None)
    error = str(data.get("error", "")) if isinstance(data, dict) else ""
    if status == HTTPStatus.TOO_MANY_REQUESTS or error in _SLOW_DOWN:
        return Unavailable("slack_rate_limited", retry_after=_retry_after(response))
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR or error in _DOWN or not error:
        return Unavailable("slack_error", status=status, error=error)
    return Rejected(_code(error), error=error)


def _code(error: str) -> str:
    if error in _NOT_THERE:
        return "slack_not_in_channel"
    if error in _NOT_INSTALLED:
        return "slack_not_installed"
    return "slack_channel_closed" if error in _CLOSED else "slack_refused"


def _retry_after(response: Any) -> float:
    asked = str((getattr(response, "headers", None) or {}).get("Retry-After", ""))
    return float(asked) if asked.isascii() and asked.isdigit() and len(asked) < 7 else 1.0


@dataclass(frozen=True, slots=True)
class TokenFacts:
    """`place`: workspace or organisation, `scopes`: what it may do."""

    place: str
    name: str
    scopes: frozenset[str]


async def token_facts(client: AsyncWebClient) -> TokenFacts:
    """Raises as `web_api.called`."""
    headers: dict[str, str] = {}

    async def asked() -> Any:
        answer = await client.auth_test()
        headers.update({name.lower(): str(value) for name, value in answer.headers.items()})
        return answer

    told: Mapping[str, Any] = await called(asked())
    whole = told.get("is_enterprise_install") is True
    place = str(told.get("enterprise_id" if whole else "team_id") or "")
    scopes = headers.get("x-oauth-scopes", "").split(",")
    return TokenFacts(place, str(told.get("team") or ""), frozenset(each.strip() for each in scopes if each.strip()))


async def check_app_token(client: AsyncWebClient, app_token: str) -> None:
    """Whether events could come over Socket Mode. Raises as `web_api.called`."""
    await called(client.apps_connections_open(app_token=app_token))
