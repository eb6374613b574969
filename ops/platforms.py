"""The platforms that menus of chat platforms offer."""

import asyncio
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from rag_core.documents import PolicySource
from rag_core.errors import Unavailable
from rag_core.ports import PolicyStore

_LOOK_SECONDS, _AGAIN_SECONDS, _KNOWN_SECONDS = 0.4, 2.0, 60.0


class KnownPlatforms:
    """The platforms that everybody may know of, looked up now and then; those of before while the store is down."""

    def __init__(self, store: PolicyStore, clock: Callable[[], float] = time.monotonic) -> None:
        self._store = store
        self._clock = clock
        self._known: Sequence[PolicySource] = ()
        self._look_again_at = 0.0

    async def known(self) -> Sequence[PolicySource]:
        if self._clock() >= self._look_again_at:
            try:
                async with asyncio.timeout(_LOOK_SECONDS):
                    self._known = await self._store.sources(frozenset())
                self._look_again_at = self._clock() + _KNOWN_SECONDS
            except (Unavailable, TimeoutError):
                self._look_again_at = self._clock() + _AGAIN_SECONDS
        return self._known


_FILE = Path(__file__).with_name("platforms.txt")


def known_platforms() -> tuple[PolicySource, ...]:
    """Each line of `platforms.txt` as a source without documents."""
    lines = (line.strip() for line in _FILE.read_text(encoding="utf-8").splitlines())
    return tuple(_platform(line) for line in lines if line and not line.startswith("#"))


def _platform(line: str) -> PolicySource:
    name, *aliases = (each.strip() for each in line.split("|"))
    return PolicySource("-".join(name.lower().replace("+", " plus").split()), name, tuple(aliases))
