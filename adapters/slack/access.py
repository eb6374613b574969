"""Guests, people of other companies and shared channels: who is answered in Slack."""

import asyncio
import time
from collections.abc import Callable, Mapping
from typing import Protocol

from adapters.slack.addresses import MESSAGE, slack_address
from adapters.slack.directory import SlackLookups
from adapters.slack.payloads import enterprise_of, home_of
from bot.access.outsiders import Outside, Outsiders, asked
from bot.model.messages import InboundQuestion
from bot.model.outcomes import Admitted

SECONDS = 2.0
"""How long Slack is waited for."""


class LookupsOf(Protocol):
    """`adapters.slack.directory.SlackWorkspaces.of`."""

    def __call__(self, team: str, enterprise: str = "") -> SlackLookups: ...


class ExternalRule(Protocol):
    """Whether `user` is answered in `channel` ("" for a place that only he sees): asked for questions, clicks and
    shares alike. Never an error, and never longer than `seconds`: what Slack did not say by then is unknown."""

    async def __call__(
        self, team: str, channel: str, user: str, *, enterprise: str = "", outside: str = "", seconds: float = SECONDS
    ) -> Admitted: ...


async def everybody(
    team: str, channel: str, user: str, *, enterprise: str = "", outside: str = "", seconds: float = SECONDS
) -> Admitted:
    """The ExternalRule of who asks nobody: for tests of other things."""
    return Admitted.ALLOWED


def said_outside(body: Mapping[str, object], team: str) -> str:
    """What an event, a click or a form says for itself, for `SlackAddress.outside`; "" for nothing. `team`: the
    workspace that the app answers in. A click in an organisation says nothing: its people are at home in any of its
    workspaces."""
    if body.get("is_ext_shared_channel") is True:
        return Outside.CHANNEL
    enterprise = enterprise_of(body)
    event = body.get("event")
    told = event if isinstance(event, Mapping) else {}
    teams = {told.get(name) for name in ("user_team", "source_team", "team")}
    teams |= set() if enterprise else {home_of(body)}
    return Outside.PERSON if teams - {None, "", team, enterprise} else ""


class SlackAdmission:
    """The ExternalRule on Slack's word, and the `bot.model.outcomes.Admission` of Slack's questions.

    `external`: outside people are answered from public documents.
    """

    def __init__(
        self,
        lookups_of: LookupsOf,
        *,
        external: bool = False,
        seconds: float = SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._lookups_of = lookups_of
        self._seconds = seconds
        self._outsiders = Outsiders(external=external, clock=clock)

    async def of(self, question: InboundQuestion) -> Admitted:
        """For an address that an older version wrote, without what the event said."""
        actor, address = question.actor, question.reply_address
        enterprise = outside = ""
        if address.kind == MESSAGE:
            found = slack_address(address)
            enterprise, outside = found.enterprise, found.outside
        channel = question.conversation.channel
        return await self(actor.workspace, channel, actor.person, enterprise=enterprise, outside=outside)

    async def __call__(
        self, team: str, channel: str, user: str, *, enterprise: str = "", outside: str = "", seconds: float = SECONDS
    ) -> Admitted:
        if outside == Outside.CHANNEL:
            return self._outsiders.channel(team, channel)
        lookups = self._lookups_of(team, enterprise)
        patience = min(seconds, self._seconds)
        is_member, is_shared = await asyncio.gather(
            asked(_is_member(lookups, team, user), patience), asked(_is_shared(lookups, channel), patience)
        )
        return self._outsiders.ruled(team, channel, user, is_member=is_member, is_shared=is_shared, said=outside)


async def _is_member(lookups: SlackLookups, team: str, user: str) -> bool:
    if await lookups.team() != team:
        return False
    person = await lookups.person(user)
    return person is not None and person.is_full


async def _is_shared(lookups: SlackLookups, channel: str) -> bool:
    """A channel that the bot does not see counts as ours: what comes there is public, or the asker's alone."""
    return bool(channel and await lookups.read_from_outside(channel))
