"""What a channel's admins have set for it. Who may see what is not among it: that is the operator's catalogue alone."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol


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


class ChannelSettings(Protocol):
    """Raises Unavailable. Saving is on record."""

    async def of(self, platform: str, workspace: str, channel: str) -> ChannelPreferences:
        """The defaults where nobody has set anything."""
        ...

    async def save(self, platform: str, workspace: str, channel: str, preferences: ChannelPreferences, by: str) -> None:
        """`by`: the person, by the platform's own id."""
        ...

    async def remove_workspace(self, platform: str, workspace: str) -> int:
        """When the app is uninstalled; how many channels had settings."""
        ...
