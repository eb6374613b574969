"""Where people and the bot meet: teams with their channels, group chats, personal chats."""

from dataclasses import dataclass, field
from enum import StrEnum

TEAM = "33333333-3333-3333-3333-333333333333"
TEAM_THREAD = "19:general@thread.tacv2"
CHANNEL = "19:ads@thread.tacv2"
GROUP_CHAT = "19:talk@thread.v2"


class PlaceKind(StrEnum):
    """`conversationType` of an activity."""

    PERSONAL = "personal"
    GROUP = "groupChat"
    CHANNEL = "channel"


@dataclass(slots=True)
class Team:
    """`group`: its id in Entra; `thread`: its `19:` id, which is that of its General channel."""

    group: str
    thread: str
    name: str
    tenant: str
    visibility: str = "private"
    members: set[int] = field(default_factory=set)
    owners: set[int] = field(default_factory=set)
    is_installed: bool = False
    hears_all: bool = False
    """The resource-specific consent `ChannelMessage.Read.Group` is granted: messages without a mention are told."""


@dataclass(slots=True)
class Place:
    """One conversation, a channel with all its threads. `members`: people by number; a standard channel has its
    team's. `shared_with`: tenants of a shared channel beside its own."""

    id: str
    kind: PlaceKind
    name: str
    tenant: str
    team: Team | None = None
    own_members: set[int] | None = None
    is_installed_here: bool = False
    is_opened: bool = False
    """A personal chat that the bot began, where the app is installed in a team or chat of the person's."""
    is_blocked: bool = False
    is_deleted: bool = False
    hears_all_here: bool = False
    shared_with: frozenset[str] = frozenset()

    @property
    def members(self) -> set[int]:
        if self.own_members is not None:
            return self.own_members
        return self.team.members if self.team else set()

    @property
    def is_installed(self) -> bool:
        return self.team.is_installed if self.team else self.is_installed_here

    @property
    def hears_all(self) -> bool:
        """Whether the bot is told of messages that do not mention it."""
        if self.kind is PlaceKind.PERSONAL:
            return True
        return self.team.hears_all if self.team else self.hears_all_here


def base_of(conversation: str) -> str:
    """A conversation id without its thread."""
    return conversation.partition(";")[0]


def thread_of(conversation: str) -> str:
    """The root message's id; "" for none."""
    return conversation.partition(";messageid=")[2].partition(";")[0]


def threaded(conversation: str, root: str) -> str:
    return f"{conversation};messageid={root}" if root else conversation
