"""Channel settings and the conversations in which the bot may speak. Access is the operator's catalogue alone."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Protocol

from bot.model.cache import Expiring
from bot.model.messages import Conversation
from rag_core.errors import Unavailable
from rag_core.questions import Filters

KEPT_SECONDS = 30.0
"""How long another process may still go by what was set before."""


class ShownTo(StrEnum):
    """Who sees answers to commands in a channel: everybody in it, or the asker, who may share them."""

    CHANNEL = "channel"
    ASKER = "asker"


@dataclass(frozen=True, slots=True)
class ChannelPreferences:
    """`regions`, `policy_sources`: what a question means that names none; an answer says that they were assumed.

    `follow_ups`: whether questions in a thread with the bot are answered without a mention. `escalate_to`: the
    channel or user group that "Ask a person" goes to, by the platform's id; "" = nobody is to be asked.
    """

    regions: tuple[str, ...] = ()
    policy_sources: tuple[str, ...] = ()
    shown_to: ShownTo = ShownTo.CHANNEL
    follow_ups: bool = True
    escalate_to: str = ""

    @property
    def defaults(self) -> Filters:
        return Filters(policy_sources=self.policy_sources, regions=self.regions)


def preferences_from(stored: Mapping[str, Any]) -> ChannelPreferences:
    """What was stored; what this version does not know of it counts for nothing."""
    usual = ChannelPreferences()
    shown_to, follow_ups, escalate_to = (stored.get(name) for name in ("shown_to", "follow_ups", "escalate_to"))
    return ChannelPreferences(
        regions=_texts(stored.get("regions")),
        policy_sources=_texts(stored.get("policy_sources")),
        shown_to=ShownTo(shown_to) if shown_to in tuple(ShownTo) else usual.shown_to,
        follow_ups=follow_ups if isinstance(follow_ups, bool) else usual.follow_ups,
        escalate_to=escalate_to if isinstance(escalate_to, str) else usual.escalate_to,
    )


def _texts(value: object) -> tuple[str, ...]:
    return tuple(each for each in value if isinstance(each, str)) if isinstance(value, list | tuple) else ()


class ChannelSettings(Protocol):
    """Raises Unavailable. Saving is on record."""

    async def of(self, platform: str, workspace: str, channel: str) -> ChannelPreferences:
        """The defaults where nobody has set anything."""
        ...

    async def save(self, platform: str, workspace: str, channel: str, preferences: ChannelPreferences, by: str) -> None:
        """`by`: the person, by the platform's own id. Saving what is set already changes nothing."""
        ...

    async def remove_workspace(self, platform: str, workspace: str) -> int:
        """When the app is uninstalled; how many channels had settings."""
        ...

    async def remove(self, platform: str, workspace: str, channel: str) -> bool:
        """When the app is removed from a channel; whether anything was set."""
        ...


class CachedChannelSettings:
    """ChannelSettings before others: what they say is believed for `seconds`, what was saved here at once."""

    def __init__(
        self,
        settings: ChannelSettings,
        seconds: float = KEPT_SECONDS,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._settings = settings
        self._changes = 0
        self._kept: Expiring[tuple[int, str, str, str], ChannelPreferences] = Expiring(seconds, clock=clock)

    async def of(self, platform: str, workspace: str, channel: str) -> ChannelPreferences:
        key = (self._changes, platform, workspace, channel)
        return await self._kept.get(key, lambda: self._settings.of(platform, workspace, channel))

    async def save(self, platform: str, workspace: str, channel: str, preferences: ChannelPreferences, by: str) -> None:
        try:
            await self._settings.save(platform, workspace, channel, preferences, by)
        finally:
            self._changes += 1  # also what is being read right now counts no more

    async def remove_workspace(self, platform: str, workspace: str) -> int:
        try:
            return await self._settings.remove_workspace(platform, workspace)
        finally:
            self._changes += 1

    async def remove(self, platform: str, workspace: str, channel: str) -> bool:
        try:
            return await self._settings.remove(platform, workspace, channel)
        finally:
            self._changes += 1

    async def aclose(self) -> None:
        """Gives up what is being asked for."""
        await self._kept.aclose()


class NothingSet:
    """ChannelSettings of who has no place for them: the defaults everywhere. Saving is none of its uses."""

    async def of(self, platform: str, workspace: str, channel: str) -> ChannelPreferences:
        return ChannelPreferences()

    async def save(
        self, platform: str, workspace: str, channel: str, preferences: ChannelPreferences, by: str
    ) -> None: ...

    async def remove_workspace(self, platform: str, workspace: str) -> int:
        return 0

    async def remove(self, platform: str, workspace: str, channel: str) -> bool:
        return False


async def asks_people(settings: ChannelSettings, where: Conversation) -> bool:
    """Whether the channel's settings name somebody to ask; not while they cannot be read."""
    try:
        return bool((await settings.of(where.platform, where.workspace, where.channel)).escalate_to)
    except Unavailable:
        return False


@dataclass(frozen=True, slots=True)
class KnownConversation:
    """`channel` as in `bot.model.messages.Conversation`. `team`: what it belongs to on the platform, "" for none.
    `person`: of a conversation of one person with the bot, the platform's id of him; "" else. `installed_by`: who put
    the app there, "" where that is not known. `name`: as people know it, "" where the platform has not told.
    `reference`: how the platform's adapter speaks there; kept encrypted."""

    platform: str
    workspace: str
    channel: str
    team: str
    person: str
    seen_at: datetime
    installed_by: str = ""
    reference: Mapping[str, str] = field(default_factory=dict, repr=False)
    name: str = ""


class KnownConversations(Protocol):
    """Until the app is removed there. Raises Unavailable."""

    async def save(self, known: KnownConversation) -> None:
        """In the place of what was known of the same channel; an `installed_by` or `name` of before stays where this
        has none."""
        ...

    async def of_channel(self, platform: str, workspace: str, channel: str) -> KnownConversation | None: ...

    async def of_person(self, platform: str, workspace: str, person: str) -> KnownConversation | None:
        """His own with the bot."""
        ...

    async def remove(self, platform: str, workspace: str, channel: str) -> bool:
        """Whether it was known."""
        ...

    async def remove_team(self, platform: str, workspace: str, team: str) -> tuple[str, ...]:
        """All of its channels; which."""
        ...


class SharedPlaces(Protocol):
    """Raises Unavailable."""

    async def shared(self, platform: str, workspace: str, most: int) -> Sequence[KnownConversation]:
        """Those that more than one person reads, the last seen first; at most `most`."""
        ...


class ChannelsOfTeams(Protocol):
    """Raises Unavailable."""

    async def of_team(self, platform: str, workspace: str, team: str) -> tuple[str, ...]:
        """The channels of it that are known."""
        ...
