"""How often a bot may call, as Teams documents it ("Optimize your bot with rate limiting in Teams")."""

import math
from collections import defaultdict, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from ops.sandbox.teams.refusals import TeamsRefusal

Windows = tuple[tuple[float, int], ...]
"""(seconds, most calls in them), shortest first."""

SENDING: Windows = ((1, 7), (2, 8), (30, 60), (3600, 1800))
READING: Windows = ((1, 14), (2, 16), (30, 120), (3600, 3600))


class Operation(StrEnum):
    """What is counted together, of one conversation (a channel with all its threads, a chat)."""

    SEND = "send to conversation"
    CREATE = "create conversation"
    MEMBERS = "get conversation members"


def documented() -> dict[Operation, Windows]:
    return {Operation.SEND: SENDING, Operation.CREATE: SENDING, Operation.MEMBERS: READING}


@dataclass(frozen=True, slots=True)
class Limits:
    """`in_conversation`: of one bot in one conversation. `a_second`: of the bot in one tenant, 0 for no limit.
    `chunk_seconds`: at least so long between two chunks of a stream ("at a minimum rate of one request per second")."""

    in_conversation: Mapping[Operation, Windows] = field(default_factory=documented)
    a_second: int = 50
    chunk_seconds: float = 1.0


NO_LIMITS = Limits({}, 0, 0.0)


class Meter:
    """Counts calls; `monotonic` are seconds. What is refused is not counted: TeamsRefusal 429 with Retry-After."""

    def __init__(self, limits: Limits, monotonic: Callable[[], float]) -> None:
        self.limits = limits
        self.monotonic = monotonic
        self._calls: defaultdict[tuple[str, str, float], deque[float]] = defaultdict(deque)

    def call(self, operation: Operation, conversation: str, tenant: str) -> None:
        now = self.monotonic()
        windows: list[tuple[deque[float], float, int]] = []
        if self.limits.a_second:
            windows.append((self._calls["tenant", tenant, 1.0], 1.0, self.limits.a_second))
        for seconds, most in self.limits.in_conversation.get(operation, ()):
            windows.append((self._calls[operation, conversation, seconds], seconds, most))
        waits = [_wait(calls, seconds, most, now) for calls, seconds, most in windows]
        if any(waits):
            raise throttled(max(waits))
        for calls, _, _ in windows:
            calls.append(now)


def throttled(seconds: float) -> TeamsRefusal:
    return TeamsRefusal(429, "Throttled", "Too many requests.", retry_after=math.ceil(seconds) or 1)


def _wait(calls: deque[float], seconds: float, most: int, now: float) -> float:
    """Seconds until one more is allowed, 0 for now."""
    while calls and calls[0] <= now - seconds:
        calls.popleft()
    return 0.0 if len(calls) < most else calls[0] + seconds - now
