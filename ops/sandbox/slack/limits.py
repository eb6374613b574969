"""How often: one message a second a channel, and calls a minute by method."""

import math
from collections import defaultdict, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from ops.sandbox.slack.refusals import SlackRefusal
from ops.sandbox.slack.workspace import Clock

TIERS: Mapping[int, int] = {1: 1, 2: 20, 3: 50, 4: 100}
"""Calls a minute that Slack promises for each tier; it may let more pass, this does not."""
SPECIAL: Mapping[str, int] = {"assistant.threads.setStatus": 600, "chat.postEphemeral": 100}
NOT_IN_MARKETPLACE: Mapping[str, int] = {"conversations.history": 1, "conversations.replies": 1}
MINUTE = 60.0
HOUR = timedelta(hours=1)
MOST_EVENTS_AN_HOUR = 30_000


@dataclass(frozen=True, slots=True)
class Limits:
    """`posts_a_second` in a channel after `post_burst` at once; `a_minute` sets single methods; 0 is no limit."""

    posts_a_second: float = 1.0
    post_burst: int = 1
    tiers: Mapping[int, int] = field(default_factory=lambda: dict(TIERS))
    a_minute: Mapping[str, int] = field(default_factory=lambda: dict(SPECIAL))

    def but(self, **a_minute: int) -> "Limits":
        """These limits with some methods' own, dots as underscores: `but(chat_update=5)`."""
        return replace(self, a_minute={**self.a_minute, **{name.replace("_", "."): n for name, n in a_minute.items()}})


NO_LIMITS = Limits(0.0, 1, {}, {})


class Meter:
    """Counts calls; `monotonic` are seconds. Raises SlackRefusal `ratelimited` with `retry_after`."""

    def __init__(self, limits: Limits, monotonic: Callable[[], float]) -> None:
        self.limits = limits
        self._monotonic = monotonic
        self._calls: defaultdict[tuple[str, str], deque[float]] = defaultdict(deque)
        self._posts: dict[tuple[str, str], float] = {}

    def call(self, method: str, tier: int, team: str, *, is_distributed: bool) -> None:
        most = self.limits.a_minute.get(method, self.limits.tiers.get(tier, 0))
        if is_distributed and self.limits.tiers:
            most = NOT_IN_MARKETPLACE.get(method, most)
        if not most:
            return
        now, calls = self._monotonic(), self._calls[method, team]
        while calls and calls[0] <= now - MINUTE:
            calls.popleft()
        if len(calls) >= most:
            raise SlackRefusal("ratelimited", retry_after=math.ceil(calls[0] + MINUTE - now) or 1)
        calls.append(now)

    def post(self, team: str, channel: str) -> None:
        """A bucket for each channel: it holds `post_burst` messages and fills at `posts_a_second`."""
        if not self.limits.posts_a_second:
            return
        now, each = self._monotonic(), 1 / self.limits.posts_a_second
        free_at = max(self._posts.get((team, channel), -math.inf), now - each * (self.limits.post_burst - 1))
        if free_at > now:
            raise SlackRefusal("ratelimited", retry_after=math.ceil(free_at - now) or 1)
        self._posts[team, channel] = free_at + each


class EventMeter:
    """30,000 events an hour for a workspace; what is over is not sent, and the app is told so once a minute."""

    def __init__(self, clock: Clock, most: int = MOST_EVENTS_AN_HOUR) -> None:
        self._clock = clock
        self._most = most
        self._sent: defaultdict[str, deque[datetime]] = defaultdict(deque)
        self._told: dict[str, int] = {}

    def passes(self, team: str) -> bool:
        now, sent = self._clock(), self._sent[team]
        while sent and sent[0] <= now - HOUR:
            sent.popleft()
        if len(sent) >= self._most:
            return False
        sent.append(now)
        return True

    def minute_to_tell(self, team: str) -> int | None:
        """The minute in which events were kept back, as a Unix time; None if the app knows."""
        minute = int(self._clock().timestamp()) // 60 * 60
        if self._told.get(team) == minute:
            return None
        self._told[team] = minute
        return minute
