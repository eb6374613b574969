"""Rate limits in the process."""

import time
from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass, field

from bot.model.messages import Actor, Conversation
from bot.questions.limits import Allowances, Counter, Limit


@dataclass(slots=True)
class _Counted:
    limit: Limit
    at: deque[float] = field(default_factory=deque)

    def wait(self, now: float) -> float:
        """Seconds until one more may be counted; forgets what is outside the window."""
        while self.at and self.at[0] <= now - self.limit.seconds:
            self.at.popleft()
        if len(self.at) < self.limit.times:
            return 0.0
        return self.at[len(self.at) - self.limit.times] + self.limit.seconds - now


class LocalRateLimits:
    """A moving window for each counter. What is refused is not counted.

    Counts what this process is asked: each of several processes allows as much. Of more than `most` counters those
    used longest ago start anew.
    """

    def __init__(
        self, allowances: Allowances, *, most: int = 50_000, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._allowances = allowances
        self._most = most
        self._clock = clock
        self._counted: OrderedDict[str, _Counted] = OrderedDict()

    async def hit(self, actor: Actor, conversation: Conversation | None) -> float:
        now = self._clock()
        counted = [self._used(counter) for counter in self._allowances.counters(actor, conversation)]
        wait = max((each.wait(now) for each in counted), default=0.0)
        if wait > 0:
            return wait
        for each in counted:
            each.at.append(now)
        return 0.0

    def _used(self, counter: Counter) -> _Counted:
        counted = self._counted.setdefault(counter.name, _Counted(counter.limit))
        self._counted.move_to_end(counter.name)
        if len(self._counted) > self._most:
            self._counted.popitem(last=False)
        return counted


class LocalPostingPace:
    """Of more than `most` names those that were used longest ago are forgotten."""

    def __init__(self, *, most: int = 10_000, clock: Callable[[], float] = time.monotonic) -> None:
        self._most = most
        self._clock = clock
        self._free_at: OrderedDict[str, float] = OrderedDict()

    async def turn(self, name: str, seconds: float, longest: float) -> float:
        now = self._clock()
        at = max(now, self._free_at.get(name, now))
        if at - now <= longest:
            self._free_at[name] = at + seconds
            self._free_at.move_to_end(name)
            if len(self._free_at) > self._most:
                self._free_at.popitem(last=False)
        return at - now
