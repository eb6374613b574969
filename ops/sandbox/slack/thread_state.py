"""What an assistant says about a thread: what it is doing, prompts to click, a title."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from ops.sandbox.slack.people import BOT
from ops.sandbox.slack.workspace import Change, Clock, Workspace

STATUS_LIFETIME = timedelta(minutes=2)

Place = tuple[str, str, str]
"""Team, channel, ts of the thread."""


@dataclass(frozen=True, slots=True)
class Status:
    text: str
    loading_messages: tuple[str, ...]
    since: datetime


@dataclass(slots=True)
class ThreadState:
    """A status ends after two minutes, when it is set to "", or when the app posts in the thread."""

    clock: Clock
    prompts: dict[Place, Sequence[Mapping[str, object]]] = field(default_factory=dict)
    titles: dict[Place, str] = field(default_factory=dict)
    history: list[tuple[Place, str]] = field(default_factory=list)
    """Every status that was set, in order."""
    _statuses: dict[Place, Status] = field(default_factory=dict)

    def set_status(self, place: Place, text: str, loading_messages: Sequence[str]) -> None:
        self.history.append((place, text))
        self._statuses.pop(place, None)
        if text:
            self._statuses[place] = Status(text, tuple(loading_messages), self.clock())

    def status(self, team: str, channel: str, thread_ts: str) -> str:
        """What people see there now; "" for nothing."""
        found = self._statuses.get((team, channel, thread_ts))
        return found.text if found and self.clock() - found.since < STATUS_LIFETIME else ""

    def shown(self, team: str, channel: str) -> dict[str, str]:
        """Thread -> status, for all that are shown in a channel now."""
        threads = [place[2] for place in self._statuses if place[:2] == (team, channel)]
        return {each: text for each in threads if (text := self.status(team, channel, each))}

    def changed(self, workspace: Workspace, change: Change) -> None:
        """A workspace's listener."""
        message = change.message
        if change.what == "posted" and message is not None and message.author == BOT and message.visible_to is None:
            self._statuses.pop((workspace.team, change.channel, message.thread_ts or ""), None)
