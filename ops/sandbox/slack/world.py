"""All of the pretended Slack: workspaces, the app, what an assistant says about threads, and what they share."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from ops.sandbox.slack.app import App
from ops.sandbox.slack.grants import Grants
from ops.sandbox.slack.limits import Meter
from ops.sandbox.slack.people import BOT
from ops.sandbox.slack.views import Triggers, Views
from ops.sandbox.slack.workspace import Change, Clock, Message, Workspace

STATUS_LIFETIME = timedelta(minutes=2)
STREAM_LIFETIME = timedelta(minutes=5)
LOOKUP_SCOPES = frozenset(
    {"commands", "usergroups:read", "users:read", "channels:read", "groups:read", "im:read", "mpim:read"}
)

Place = tuple[str, str, str]
"""Team, channel, ts of the thread."""


@dataclass(slots=True)
class ThreadState:
    """A status ends after two minutes, when it is set to "", or when the app posts in the thread. `history`: every
    status that was set, in order."""

    clock: Clock
    history: list[tuple[Place, str]] = field(default_factory=list)
    _statuses: dict[Place, tuple[str, datetime]] = field(default_factory=dict)

    def set_status(self, place: Place, text: str) -> None:
        self.history.append((place, text))
        self._statuses.pop(place, None)
        if text:
            self._statuses[place] = (text, self.clock())

    def status(self, team: str, channel: str, thread_ts: str) -> str:
        """What people see there now; "" for nothing."""
        text, since = self._statuses.get((team, channel, thread_ts), ("", self.clock()))
        return text if self.clock() - since < STATUS_LIFETIME else ""

    def changed(self, workspace: Workspace, change: Change) -> None:
        """A workspace's listener."""
        message = change.message
        if change.what == "posted" and message is not None and message.author == BOT and message.visible_to is None:
            self._statuses.pop((workspace.team, change.channel, message.thread_ts or ""), None)


@dataclass(slots=True)
class Lookups:
    """How Slack tells who is who: `page` entries come at most at once, whatever is asked for; what is discarded from
    `scopes` no token has any more."""

    scopes: set[str] = field(default_factory=lambda: set(LOOKUP_SCOPES))
    page: int = 1_000

    @property
    def withheld(self) -> frozenset[str]:
        return LOOKUP_SCOPES - self.scopes


@dataclass(slots=True)
class World:
    """`base_url` is known once the server listens; `uninstalled` tells what is listening of tokens that ended;
    `connect` makes the address of a Socket Mode connection."""

    clock: Clock
    app: App
    meter: Meter
    workspaces: dict[str, Workspace]
    grants: Grants = field(init=False)
    triggers: Triggers = field(init=False)
    threads: ThreadState = field(init=False)
    views: Views = field(default_factory=Views)
    lookups: Lookups = field(default_factory=Lookups)
    base_url: str = ""
    uninstalled: Callable[[str], None] = field(default=lambda team: None)
    connect: Callable[[], str] = field(default=lambda: "")

    def __post_init__(self) -> None:
        self.grants = Grants(self.clock)
        self.triggers = Triggers(self.clock)
        self.threads = ThreadState(self.clock)

    def is_streaming(self, message: Message) -> bool:
        """Whether a message still grows: streams end after a while."""
        age = self.clock() - message.posted_at if message.posted_at else timedelta()
        return message.is_streaming and age <= STREAM_LIFETIME

    def in_organisation(self, enterprise: str) -> list[Workspace]:
        return [each for each in self.workspaces.values() if enterprise and each.enterprise == enterprise]
