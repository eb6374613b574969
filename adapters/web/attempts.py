"""Credentials that were wrong, counted for each address they came from."""

import time
from collections import OrderedDict, deque
from collections.abc import Callable

from bot.questions.limits import Limit
from rag_core.errors import Rejected

_MOST = 50_000


class FailedAttempts:
    """In this process: each of several counts for itself. Of more than `most` addresses those that failed longest ago
    start anew. `limit` None: as often as they like.

    What was right within the last hour is looked at however much else failed there: whoever shares an address with
    somebody who tries things out stays in.
    """

    def __init__(self, limit: Limit | None, *, most: int = _MOST, clock: Callable[[], float] = time.monotonic) -> None:
        self._limit = limit
        self._most = most
        self._clock = clock
        self._failed: OrderedDict[str, deque[float]] = OrderedDict()
        self._good: OrderedDict[str, float] = OrderedDict()

    def check(self, peer: str, secret_hash: str = "") -> None:
        """Raises Rejected("attempts_limited", seconds) for an address from which too much was wrong."""
        now = self._clock()
        if self._limit is None or now < self._good.get(secret_hash, now):
            return
        failed = self._failed.get(peer, deque())
        while failed and failed[0] <= now - self._limit.seconds:
            failed.popleft()
        if len(failed) >= self._limit.times:
            raise Rejected("attempts_limited", seconds=failed[0] + self._limit.seconds - now)

    def failed(self, peer: str) -> None:
        if self._limit is None:
            return
        failed = self._failed.setdefault(peer, deque(maxlen=self._limit.times))
        failed.append(self._clock())
        self._failed.move_to_end(peer)
        if len(self._failed) > self._most:
            self._failed.popitem(last=False)

    def succeeded(self, secret_hash: str) -> None:
        self._good[secret_hash] = self._clock() + 3600.0
        self._good.move_to_end(secret_hash)
        if len(self._good) > self._most:
            self._good.popitem(last=False)
