"""Tokens of the workspaces that installed the app, and which of them acts for a request."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from slack_bolt.authorization import AuthorizeResult
from slack_bolt.context.async_context import AsyncBoltContext
from slack_bolt.response import BoltResponse

from adapters.slack.client import BotTokens
from adapters.slack.oauth.exchange import Granted, SlackOAuth
from adapters.slack.oauth.renewal import TokenRenewing
from adapters.slack.parts import Clock, new_question_id, utc_now
from adapters.slack.payloads import Departure
from adapters.slack.settings import AllowedWorkspaces
from bot.access.installations import Installation, Installations
from bot.audit.entries import AuditEntry, administration
from bot.wording.slack import NOT_INSTALLED_HERE
from rag_core.errors import Rejected, Unavailable

KEPT = timedelta(seconds=30)
"""How long a finding is believed: so long another process may act for a workspace that uninstalled the app."""

ASK_SECONDS = 1.0
"""For Slack to say whether a token still works, before its event is acknowledged."""

_MOST_KEPT = 10_000
_SAME_SECOND = timedelta(seconds=1)
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Kept:
    found: Installation | None
    until: datetime


class InstalledWorkspaces:
    """BotTokens by installation; with the configured token for its own workspace.

    A workspace that is on the list no longer has no token, installed or not. With the database down, what was found
    before holds on.
    """

    def __init__(
        self,
        store: Installations,
        oauth: SlackOAuth,
        renewing: TokenRenewing,
        allowed: AllowedWorkspaces,
        own: BotTokens | None = None,
        *,
        clock: Clock = utc_now,
        new_id: Callable[[], str] = new_question_id,
    ) -> None:
        self._store = store
        self._oauth = oauth
        self._renewing = renewing
        self._allowed = allowed
        self._own = own
        self._clock = clock
        self._new_id = new_id
        self._kept: dict[tuple[str, str], _Kept] = {}
        self._told: dict[str, str] = {}
        self._changes = 0

    async def of(self, team: str, enterprise: str = "") -> str:
        found = await self._find(team, enterprise)
        if found is None:
            return await self._own_token(team, enterprise)
        if not self._allowed.holds(team, enterprise or found.organisation):
            raise Rejected("slack_not_installed", error="not_on_the_list")
        return (await self._renewing.current(found)).token

    async def install(self, granted: Granted) -> Installation:
        """Keeps what Slack granted to a place that is on the list. Raises Unavailable."""
        now = self._clock()
        made = Installation(
            installation_id=self._new_id(),
            place=granted.place,
            organisation=granted.organisation,
            name=granted.name,
            bot=granted.bot,
            scopes=granted.scopes,
            installed_at=now,
            token=granted.token,
            refresh_token=granted.refresh_token,
            expires_at=granted.expires_at(now),
        )
        await self._store.save(made, self._entry("slack_installed", made, granted.installer))
        if granted.team and granted.organisation:
            await self._store.belongs(granted.team, granted.organisation)
        self._forget()
        return made

    async def ended(self, gone: Departure) -> tuple[str, ...]:
        """`payloads.Ended`."""
        found = await self._store.find(gone.place, gone.enterprise)
        if found is None:  # of a server beside us it may have been removed
            self._forget()
            return () if await self._own_works(gone) else await self._served(gone)
        if gone.at is not None and gone.at + _SAME_SECOND < found.installed_at:
            return ()  # it came late: the app was installed again
        # that a workspace has no token any more is not believed of all of its organisation without Slack's word
        if await self._works(found.token, when_silent=found.place != gone.place):
            return ()
        removed = await self._store.remove(found, self._entry("slack_uninstalled", found))
        self._forget()
        if not removed:
            return ()  # somebody else did, or it was installed again just now
        _log.info("slack uninstalled: place=%s", found.place)
        return await self._served(gone, found)

    async def _find(self, team: str, enterprise: str) -> Installation | None:
        key, now, changes = (team, enterprise), self._clock(), self._changes
        kept = self._kept.get(key)
        if kept is not None and now < kept.until:
            return kept.found
        try:
            if team and enterprise and self._told.get(team) != enterprise:
                await self._store.belongs(team, enterprise)
                self._told[team] = enterprise
            found = await self._store.find(team, enterprise)
        except Unavailable:
            if kept is None:
                raise
            return kept.found
        if len(self._kept) >= _MOST_KEPT:
            self._kept.clear()
        if changes == self._changes:  # else it may be what was there before
            self._kept[key] = _Kept(found, now + KEPT)
        return found

    def _forget(self) -> None:
        """What was found, and what is being found just now."""
        self._kept.clear()
        self._changes += 1

    async def _own_token(self, team: str, enterprise: str) -> str:
        if self._own is None:
            raise Rejected("slack_not_installed", error="app_not_installed")
        return await self._own.of(team, enterprise)

    async def _own_works(self, gone: Departure) -> bool:
        try:
            return await self._works(await self._own_token(gone.team, gone.enterprise), when_silent=True)
        except Rejected:
            return False

    async def _works(self, token: str, *, when_silent: bool) -> bool:
        """`when_silent`: what is taken for true where Slack does not answer."""
        try:
            async with asyncio.timeout(ASK_SECONDS):
                await self._oauth.test(token)
        except (Unavailable, TimeoutError):
            return when_silent
        except Rejected as exc:
            return exc.code != "slack_not_installed"
        return True

    async def _served(self, gone: Departure, found: Installation | None = None) -> tuple[str, ...]:
        """The workspaces that lost their token: of an organisation those that have none of their own."""
        if not (gone.is_organisation or (found is not None and found.is_organisation)):
            return (gone.team,)
        of_it = await self._store.workspaces_of(gone.enterprise)
        own = {each.place for each in await self._store.all()}
        return tuple(sorted({*of_it, *((gone.team,) if gone.team else ())} - own))

    def _entry(self, act: str, it: Installation, person: str = "") -> AuditEntry:
        facts = {"name": it.name, "organisation": it.organisation, "scopes": list(it.scopes)}
        entry = administration(
            self._new_id(), act, self._clock(), person=person, target=it.place, facts=facts, workspace=it.place
        )
        return replace(entry, origin="slack")


Authorize = Callable[[AsyncBoltContext, str | None, str | None, str | None], Awaitable[AuthorizeResult]]
"""Bolt's hook: called with `context`, `enterprise_id`, `team_id`, `user_id`."""

_WAIT_SECONDS = 0.3
"""It comes before what a listener may take, and Slack waits 3 s for both. Without a token a request is kept as well."""

_TURNED_AWAY = "adpolicy_turned_away"


class SingleWorkspace:
    """The one configured token, without asking Slack who it is: an acknowledgement never waits for Slack."""

    def __init__(self, bot_token: str) -> None:
        self._bot_token = bot_token

    async def of(self, team: str, enterprise: str = "") -> str:
        return self._bot_token


def authorized_by(tokens: BotTokens, *, wait_seconds: float = _WAIT_SECONDS) -> Authorize:
    """Bolt's hook on our tokens. Never raises: Slack would count it as a failure of the app, and at last disable it.

    Who is not installed is noted for `turn_away`. Where it cannot be found out in time, the request goes on without a
    token: Slack signed it, so it is kept, and whoever answers it asks for the token again.
    """

    async def authorize(
        context: AsyncBoltContext,
        enterprise_id: str | None,
        team_id: str | None,
        user_id: str | None,
    ) -> AuthorizeResult:
        token = None
        try:
            async with asyncio.timeout(wait_seconds):
                token = await tokens.of(team_id or "", enterprise_id or "")
        except Rejected:
            context[_TURNED_AWAY] = True
        except (Unavailable, TimeoutError):
            pass
        return AuthorizeResult(enterprise_id=enterprise_id, team_id=team_id, user_id=user_id, bot_token=token)

    return authorize


async def turn_away(
    context: AsyncBoltContext, body: dict[str, object], next_: Callable[[], Awaitable[BoltResponse]]
) -> BoltResponse:
    """Bolt's middleware: what comes from where the app is not installed is acknowledged, and goes no further."""
    if not context.get(_TURNED_AWAY):
        return await next_()
    if "command" in body:
        told = {"response_type": "ephemeral", "text": NOT_INSTALLED_HERE}
        return BoltResponse(status=200, body=told)
    return BoltResponse(status=200)
