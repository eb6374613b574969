"""Claims in the process."""

import hashlib
import time
from collections import OrderedDict
from collections.abc import Callable

CLAIM_SECONDS = 3600
"""How long a claim holds: longer than any platform delivers again, and than the 15 minutes of the port."""


class LocalClaims:
    """What this process was delivered. A new process has no claims, and of more than `most` the oldest are forgotten:
    the Inbox decides."""

    def __init__(
        self, *, seconds: float = CLAIM_SECONDS, most: int = 100_000, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._seconds = seconds
        self._most = most
        self._clock = clock
        self._until: OrderedDict[bytes, float] = OrderedDict()  # as claimed, so the first to end is in front

    async def claim(self, claim_key: str) -> bool:
        self._forget_old()
        key = _hash(claim_key)
        if key in self._until:
            return False
        self._until[key] = self._clock() + self._seconds
        if len(self._until) > self._most:
            self._until.popitem(last=False)
        return True

    async def is_claimed(self, claim_key: str) -> bool:
        self._forget_old()
        return _hash(claim_key) in self._until

    async def release(self, claim_key: str) -> None:
        self._until.pop(_hash(claim_key), None)

    def _forget_old(self) -> None:
        now = self._clock()
        while self._until and next(iter(self._until.values())) <= now:
            self._until.popitem(last=False)


def _hash(claim_key: str) -> bytes:
    """However long the key is, and whoever made it."""
    return hashlib.sha256(claim_key.encode("utf-8", "surrogatepass")).digest()
