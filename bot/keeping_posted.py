"""That something was posted is written down, at once or while the store is down later."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from bot.background import Background
from bot.posted import MessagePlace, Posted, PostedMessages
from rag_core.errors import Unavailable

_log = logging.getLogger(__name__)

_AT_ONCE = (0.0, 0.2, 0.5)
_LATER = (5.0, 20.0, 60.0, 120.0, 240.0)


@dataclass(frozen=True, slots=True)
class KeepingPosted:
    """Raises nothing: the message is there, whatever becomes of the note of it."""

    posted: PostedMessages
    tasks: Background
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep

    async def keep(self, posted: Posted) -> None:
        """That it was posted is known once this is written. Who dies before that has to find it on the platform."""
        if not await self._saved(posted, _AT_ONCE):
            self.tasks.start(self._save_later(posted), "keep where an answer was posted")

    async def forget(self, place: MessagePlace) -> None:
        """It is there no more."""
        try:
            await self.posted.remove(place)
        except Unavailable as exc:
            _log.warning("posted message not forgotten: code=%s", exc.code)

    async def _save_later(self, posted: Posted) -> None:
        if not await self._saved(posted, _LATER):
            raise Unavailable("store_down")

    async def _saved(self, posted: Posted, waits: tuple[float, ...]) -> bool:
        for wait in waits:
            if wait:
                await self.sleep(wait)
            try:
                await self.posted.save(posted)
            except Unavailable as exc:
                _log.warning("posted message not kept yet: code=%s", exc.code)
            else:
                return True
        return False
