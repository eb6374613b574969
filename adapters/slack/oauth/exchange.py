"""Slack's OAuth: a code for a token, a refresh token for the next one. Which workspace a token is for."""

import asyncio
import base64
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import quote

import aiohttp
from slack_sdk.oauth import AuthorizeUrlGenerator
from slack_sdk.web.async_client import AsyncWebClient
from yarl import URL

from adapters.slack.client import called
from adapters.slack.settings import OAuthSettings
from rag_core.errors import Rejected, Unavailable

CALL_SECONDS = 10


@dataclass(frozen=True, slots=True)
class Granted:
    """What Slack gave. `team` "": the whole organisation. `expires_in` None: the token lasts."""

    team: str
    organisation: str
    name: str
    bot: str
    installer: str
    scopes: tuple[str, ...]
    token: str = field(repr=False)
    refresh_token: str = field(default="", repr=False)
    expires_in: timedelta | None = None

    @property
    def place(self) -> str:
        return self.team or self.organisation

    def expires_at(self, now: datetime) -> datetime | None:
        return None if self.expires_in is None else now + self.expires_in


class SlackOAuth:
    """Over one session, which is not closed here. Methods raise as `web_api.called`; nothing is tried again.

    Not the SDK's rotator: it goes by its own clock, and sends the secret in a way that aiohttp gives up.
    """

    def __init__(self, session: aiohttp.ClientSession, settings: OAuthSettings, api_url: str) -> None:
        self._session = session
        self._settings = settings
        self._api_url = api_url

    def address(self, state: str) -> str:
        """Where somebody decides whether to install the app."""
        made = AuthorizeUrlGenerator(
            client_id=self._settings.client_id,
            redirect_uri=quote(self._settings.redirect_uri, safe=""),  # the SDK quotes nothing
            scopes=self._settings.scopes,
            authorization_url=str(URL(self._api_url).with_path("/oauth/v2/authorize")),
        )
        return made.generate(state)

    async def exchange(self, code: str) -> Granted:
        return await self._access({"code": code, "redirect_uri": self._settings.redirect_uri})

    async def refresh(self, refresh_token: str) -> Granted:
        return await self._access({"grant_type": "refresh_token", "refresh_token": refresh_token})

    async def revoke(self, token: str) -> None:
        await called(self.client(token).auth_revoke())

    async def test(self, token: str) -> Mapping[str, Any]:
        return await called(self.client(token).auth_test())

    def client(self, token: str | None = None) -> AsyncWebClient:
        return AsyncWebClient(
            token=token, base_url=self._api_url, session=self._session, timeout=CALL_SECONDS, retry_handlers=[]
        )

    async def _access(self, given: dict[str, str]) -> Granted:
        secret = f"{self._settings.client_id}:{self._settings.client_secret}".encode()
        headers = {"Authorization": f"Basic {base64.b64encode(secret).decode()}"}
        return _granted(await called(self.client().api_call("oauth.v2.access", data=given, headers=headers)))


def _granted(answer: Mapping[str, Any]) -> Granted:
    """Raises Unavailable("slack_error") for an answer without a bot's token, or of nobody."""
    team, organisation = _part(answer, "team"), _part(answer, "enterprise")
    expires = answer.get("expires_in")
    found = Granted(
        team="" if answer.get("is_enterprise_install") is True else _text(team, "id"),
        organisation=_text(organisation, "id"),
        name=_text(organisation if answer.get("is_enterprise_install") is True else team, "name"),
        bot=_text(answer, "bot_user_id"),
        installer=_text(_part(answer, "authed_user"), "id"),
        scopes=tuple(sorted(each for each in _text(answer, "scope").split(",") if each)),
        token=_text(answer, "access_token"),
        refresh_token=_text(answer, "refresh_token"),
        expires_in=timedelta(seconds=expires) if isinstance(expires, int) and expires > 0 else None,
    )
    if not found.token or not found.place or answer.get("token_type") != "bot":
        raise Unavailable("slack_error", error="unreadable")
    return found


def _part(answer: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = answer.get(name)
    return found if isinstance(found, dict) else {}


def _text(answer: Mapping[str, Any], name: str) -> str:
    found = answer.get(name)
    return found if isinstance(found, str) else ""


class OwnWorkspace:
    """BotTokens of one token, for nobody else: used beside installations of others. Slack is asked once."""

    def __init__(self, bot_token: str, oauth: SlackOAuth) -> None:
        self._bot_token = bot_token
        self._oauth = oauth
        self._place = ("", "")
        self._turn = asyncio.Lock()

    async def of(self, team: str, enterprise: str = "") -> str:
        own_team, own_enterprise = await self._asked()
        if (own_team and team == own_team) or (own_enterprise and enterprise == own_enterprise):
            return self._bot_token
        raise Rejected("slack_not_installed", error="another_workspace")

    async def _asked(self) -> tuple[str, str]:
        """The team; or the organisation, where the token is for all of it."""
        async with self._turn:
            if not any(self._place):
                found = await self._oauth.test(self._bot_token)
                whole = found.get("is_enterprise_install") is True
                self._place = ("", str(found.get("enterprise_id"))) if whole else (str(found.get("team_id")), "")
        return self._place
