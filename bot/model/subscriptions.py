"""Which channels hear of policy changes."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from rag_core.questions import Filters


class Rhythm(StrEnum):
    """When changes are told: each by itself at once, or several in a digest."""

    AT_ONCE = "at_once"
    DAILY = "daily"
    WEEKLY = "weekly"


@dataclass(frozen=True, slots=True)
class Subscription:
    """`filters`: places, platforms, and topics as `sections`; nothing set means every change. `by`: the person, by the
    platform's own id, for who begins it: it is in the record alone, and "" in what is read. `cursor`: `change_id` up to
    which changes are queued for it."""

    subscription_id: str
    platform: str
    workspace: str
    channel: str
    rhythm: Rhythm
    by: str
    since: datetime
    cursor: int
    filters: Filters = field(default_factory=Filters)


class Subscriptions(Protocol):
    """Raises Unavailable. Beginning and ending one is on record."""

    async def begin(self, subscription: Subscription) -> bool:
        """False if the channel has one with the same filters already; then its rhythm is what was asked for now. A new
        one begins with the next change that is recorded: its `cursor` is set here."""
        ...

    async def end(self, platform: str, workspace: str, channel: str, by: str, subscription_id: str = "") -> int:
        """One, or all of the channel; how many."""
        ...

    async def of_channel(self, platform: str, workspace: str, channel: str) -> tuple[Subscription, ...]: ...

    async def of_workspace(self, platform: str, workspace: str) -> tuple[Subscription, ...]: ...

    async def remove_workspace(self, platform: str, workspace: str) -> int:
        """When the app is uninstalled."""
        ...
