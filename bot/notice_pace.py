"""How fast notices are sent: a bucket for each workspace and a pause for each channel. Nobody sleeps for them."""

import math
from collections.abc import Callable
from dataclasses import dataclass

from bot.notices import Notice

_MOST_REMEMBERED = 10_000


@dataclass(frozen=True, slots=True)
class NoticePace:
    """Seconds, but for `workers`, of which `at_once` at most wait for one workspace, and `a_second`: messages to one
    workspace, of which `burst` may come at once (Slack: several hundred a minute, one a second in a channel). `lease`
    is longer than `send` and all that is written after it. What is `give_up` old is not sent any more."""

    workers: int = 4
    at_once: int = 2
    poll: float = 1.0
    send: float = 20.0
    lease: float = 120.0
    drain: float = 10.0
    retry: float = 5.0
    longest_retry: float = 300.0
    give_up: float = 72 * 3600.0
    most_failures: int = 8
    a_second: float = 4.0
    burst: float = 5.0
    in_channel: float = 1.0

    def backoff(self, attempt: int) -> float:
        """After try `attempt` (from 1)."""
        return float(min(self.retry * 2 ** min(attempt - 1, 16), self.longest_retry))


class NoticePacing:
    """Of this process: several together are kept in bounds by what the platform answers. `now`: monotonic seconds."""

    def __init__(self, pace: NoticePace, now: Callable[[], float]) -> None:
        self._pace = pace
        self._now = now
        self._tokens: dict[tuple[str, str], tuple[float, float]] = {}
        self._last_place: dict[tuple[str, str], float] = {}
        self._paused: dict[tuple[str, str], float] = {}
        self._channels: dict[tuple[str, str, str], float] = {}

    def wait(self, notice: Notice) -> float:
        """0: it may be sent now, and counts as sent. Else the seconds after which to come again: a place at the end of
        the row, so that each of many comes once more and not all at the same moment."""
        now, workspace = self._now(), (notice.platform, notice.workspace)
        channel = (*workspace, notice.channel)
        if (free_at := self._channels.get(channel, now)) > now:
            return free_at - now
        paused_until = self._paused.get(workspace, now)
        tokens = self._filled(workspace, now)
        if paused_until > now or tokens < 1:
            return self._place(workspace, max(paused_until, now)) - now
        self._tokens[workspace] = (tokens - 1, now)
        self._channels[channel] = now + self._pace.in_channel
        self._forget(now)
        return 0.0

    def later(self, notice: Notice) -> float:
        """Seconds until its place at the end of the row: enough of its workspace is being sent just now."""
        now = self._now()
        return self._place((notice.platform, notice.workspace), now) - now

    def pause(self, notice: Notice, seconds: float) -> None:
        """The platform asked for it: nothing is sent to the workspace meanwhile, and then not all at once."""
        workspace = (notice.platform, notice.workspace)
        until = self._now() + seconds
        self._paused[workspace] = max(until, self._paused.get(workspace, -math.inf))
        self._tokens[workspace] = (1.0, until)

    def _filled(self, workspace: tuple[str, str], now: float) -> float:
        tokens, at = self._tokens.get(workspace, (self._pace.burst, now))
        return min(self._pace.burst, tokens + max(0.0, now - at) * self._pace.a_second)

    def _place(self, workspace: tuple[str, str], not_before: float) -> float:
        """When the next place of the row is."""
        place = max(self._last_place.get(workspace, not_before), not_before) + 1 / self._pace.a_second
        self._last_place[workspace] = place
        return place

    def _forget(self, now: float) -> None:
        if len(self._channels) > _MOST_REMEMBERED:
            self._channels = {key: until for key, until in self._channels.items() if until > now}
