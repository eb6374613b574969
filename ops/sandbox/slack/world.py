"""All of the pretended Slack: workspaces, the app, and what they share."""

from collections.abc import Callable
from dataclasses import dataclass, field

from ops.sandbox.slack.app import App
from ops.sandbox.slack.grants import Grants
from ops.sandbox.slack.limits import Meter
from ops.sandbox.slack.people import Lookups
from ops.sandbox.slack.thread_state import ThreadState
from ops.sandbox.slack.triggers import Triggers
from ops.sandbox.slack.views import Views
from ops.sandbox.slack.workspace import Clock, Message, Workspace


@dataclass(slots=True)
class World:
    """`base_url` is known once the server listens; `uninstalled` tells what is listening of tokens that ended."""

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
    stream_minutes: float = 5.0
    uninstalled: Callable[[str, bool], None] = field(default=lambda team, whole: None)
    connect: Callable[[], str] = field(default=lambda: "")
    """Makes the address of a Socket Mode connection."""

    def __post_init__(self) -> None:
        self.grants = Grants(self.clock)
        self.triggers = Triggers(self.clock)
        self.threads = ThreadState(self.clock)

    def is_streaming(self, message: Message) -> bool:
        """Whether a message still grows: streams end after `stream_minutes`."""
        age = (self.clock() - message.posted_at).total_seconds() if message.posted_at else 0.0
        return message.is_streaming and age <= self.stream_minutes * 60

    def in_organisation(self, enterprise: str) -> list[Workspace]:
        return [each for each in self.workspaces.values() if enterprise and each.enterprise == enterprise]
