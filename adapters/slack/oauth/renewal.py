"""Tokens that expire, renewed long before they do; by one process at a time."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta

from adapters.slack.oauth.exchange import SlackOAuth
from adapters.slack.parts import Clock, new_question_id, utc_now
from bot.access.installations import Installation, Installations, TokenRenewals
from rag_core.errors import PolicyBotError, Rejected, Unavailable

AHEAD = timedelta(minutes=120)
"""A token is good for 12 hours; so there are two to try in."""

CLAIM = timedelta(seconds=60)
"""Longer than Slack may take to answer; then somebody else may try."""

PAUSE = timedelta(seconds=30)
"""After a try that failed."""

_LOOKS, _LOOK_SECONDS = 10, 0.3
_ENDED = frozenset({"invalid_refresh_token", "invalid_grant", "token_revoked", "account_inactive", "app_not_installed"})
"""Slack will not take this refresh token again. Other refusals (the app's secret, say) are the operator's to mend."""

_log = logging.getLogger(__name__)


class TokenRenewing:
    """The token that is there serves until it expires, whatever becomes of the renewal: who asks before that does not
    wait. What Slack gave and the database did not take is kept here, and saved as soon as it does."""

    def __init__(
        self,
        oauth: SlackOAuth,
        installations: Installations,
        renewals: TokenRenewals,
        *,
        clock: Clock = utc_now,
        new_id: Callable[[], str] = new_question_id,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._oauth = oauth
        self._installations = installations
        self._renewals = renewals
        self._clock = clock
        self._new_id = new_id
        self._sleep = sleep
        self._running: dict[str, asyncio.Task[Installation]] = {}
        self._newest: dict[str, Installation] = {}
        self._unsaved: set[str] = set()
        self._not_before: dict[str, datetime] = {}

    async def current(self, held: Installation) -> Installation:
        """`held`, or what came after it. Raises Rejected("slack_not_installed") when it has expired and Slack renews it
        no more, Unavailable when it has expired and was not renewed yet."""
        held = self._after(held)
        if held.installation_id in self._unsaved:
            self._begin(held, self._save)
        if held.expires_at is None or self._clock() < held.expires_at - AHEAD:
            return held
        if self._clock() < held.expires_at:
            if not held.is_refused and self._may_try(held):
                self._begin(held, self._renew)
            return held
        if held.is_refused:
            raise Rejected("slack_not_installed", error="token_expired")
        if not self._may_try(held) and held.installation_id not in self._running:
            raise Unavailable("slack_error", error="token_expired")
        current = await asyncio.shield(self._begin(held, self._renew))
        if current.is_refused:
            raise Rejected("slack_not_installed", error="token_expired")
        return current

    async def settle(self) -> None:
        """Waits for what is under way: before the process ends, and in tests."""
        while self._running:
            await asyncio.gather(*self._running.values(), return_exceptions=True)

    def _after(self, held: Installation) -> Installation:
        newest = self._newest.get(held.installation_id)
        return newest if newest is not None and newest.renewals >= held.renewals else held

    def _may_try(self, held: Installation) -> bool:
        not_before = self._not_before.get(held.installation_id)
        return not_before is None or self._clock() >= not_before

    def _begin(
        self, held: Installation, work: Callable[[Installation], Awaitable[Installation]]
    ) -> asyncio.Task[Installation]:
        """One at a time for an installation; it goes on when who asked gives up: Slack may have answered already."""
        key = held.installation_id
        if key not in self._running:
            task = asyncio.ensure_future(self._told(held, work))
            self._running[key] = task
            task.add_done_callback(lambda done: self._end(key, done))
        return self._running[key]

    async def _told(self, held: Installation, work: Callable[[Installation], Awaitable[Installation]]) -> Installation:
        try:
            return await work(held)
        except PolicyBotError as exc:
            self._not_before[held.installation_id] = self._clock() + PAUSE
            error = exc.details.get("error", "")
            _log.warning("slack token not renewed: place=%s code=%s error=%s", held.place, exc.code, error)
            raise

    def _end(self, key: str, done: asyncio.Task[Installation]) -> None:
        self._running.pop(key, None)
        if not done.cancelled():
            done.exception()  # looked at: who waited may have gone

    async def _renew(self, held: Installation) -> Installation:
        me, now = self._new_id(), self._clock()
        if not await self._renewals.claim(held, me, now, now + CLAIM):
            return await self._of_another(held)
        try:
            granted = await self._oauth.refresh(held.refresh_token)
        except Rejected as exc:
            if exc.details.get("error") not in _ENDED:
                await self._let_go(held, me)
                raise
            await self._renewals.refused(held)
            self._newest[held.installation_id] = replace(held, is_refused=True)
            raise Rejected("slack_not_installed", error=exc.details.get("error")) from exc
        except Unavailable:
            await self._let_go(held, me)
            raise
        new = replace(
            held,
            token=granted.token,
            refresh_token=granted.refresh_token or held.refresh_token,
            expires_at=granted.expires_at(now),
            renewals=held.renewals + 1,
        )
        self._newest[held.installation_id] = new
        self._unsaved.add(held.installation_id)
        with suppress(Unavailable):  # kept here, and saved when somebody asks next
            await self._save(new)
        return new

    async def _let_go(self, held: Installation, me: str) -> None:
        with suppress(Unavailable):  # then the claim ends by itself
            await self._renewals.release(held, me)

    async def _save(self, new: Installation) -> Installation:
        await self._renewals.renewed(new)
        self._unsaved.discard(new.installation_id)
        return new

    async def _of_another(self, held: Installation) -> Installation:
        """What another process got, or will get in a moment."""
        for _ in range(_LOOKS):
            found = await self._installations.find(held.place)
            if found is None:
                raise Rejected("slack_not_installed", error="uninstalled")
            if found.installation_id != held.installation_id:  # installed anew
                return found
            if found.renewals > held.renewals or found.is_refused:
                self._newest[held.installation_id] = found
                return found
            await self._sleep(_LOOK_SECONDS)
        raise Unavailable("slack_error", error="token_renewing")
