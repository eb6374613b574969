"""Conversations in which the bot may speak without having been asked just now (Teams: conversation references)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol


@dataclass(frozen=True, slots=True)
class KnownConversation:
    """`channel` as in `bot.messages.Conversation`. `team`: what it belongs to on the platform, "" for none. `person`:
    of a conversation of one person with the bot, the platform's id of him; "" else. `installed_by`: who put the app
    there, "" where that is not known. `name`: as people know it, "" where the platform has not told. `reference`: how
    the platform's adapter speaks there; kept encrypted."""

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
