"""Turns to post, in the process."""

import time
from collections import OrderedDict
from collections.abc import Callable


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
