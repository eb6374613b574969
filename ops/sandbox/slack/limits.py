"""Slack saying no; and how often: one message a second a channel, and calls a minute by method."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ops.sandbox.tasks import Windows

TIERS: Mapping[int, int] = {1: 1, 2: 20, 3: 50, 4: 100}
"""Calls a minute that Slack promises for each tier; it may let more pass, this does not."""
SPECIAL: Mapping[str, int] = {"assistant.threads.setStatus": 600, "chat.postEphemeral": 100}
MINUTE = 60.0


class SlackRefusal(Exception):
    """`ok: false` with Slack's error code; `messages` and further fields stand in the answer as Slack puts them."""

    def __init__(self, code: str, messages: Sequence[str] = (), *, retry_after: int = 0, **fields: object) -> None:
        super().__init__(code)
        self.code = code
        self.messages = tuple(messages)
        self.retry_after = retry_after
        self.fields = fields

    @property
    def answer(self) -> dict[str, object]:
        found: dict[str, object] = {"ok": False, "error": self.code, **self.fields}
        if self.messages:
            found["response_metadata"] = {"messages": list(self.messages)}
        return found


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
        self._calls = Windows()
        self._posts: dict[tuple[str, str], float] = {}

    def call(self, method: str, tier: int, team: str) -> None:
        most = self.limits.a_minute.get(method, self.limits.tiers.get(tier, 0))
        if most:
            now, key = self._monotonic(), (method, team)
            _refuse(self._calls.wait(key, MINUTE, most, now))
            self._calls.note(key, MINUTE, now)

    def post(self, team: str, channel: str) -> None:
        """A bucket for each channel: it holds `post_burst` messages and fills at `posts_a_second`."""
        if not self.limits.posts_a_second:
            return
        now, each = self._monotonic(), 1 / self.limits.posts_a_second
        free_at = max(self._posts.get((team, channel), -math.inf), now - each * (self.limits.post_burst - 1))
        _refuse(free_at - now)
        self._posts[team, channel] = free_at + each


def _refuse(wait: float) -> None:
    if wait > 0:
        raise SlackRefusal("ratelimited", retry_after=math.ceil(wait))
