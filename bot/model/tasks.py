"""Background tasks: held, logged when they fail, finished before the process ends."""

import asyncio
import logging
from collections.abc import Coroutine

from rag_core.errors import PolicyBotError

_log = logging.getLogger(__name__)


class Background:
    """Only for what nobody misses for good if the process dies: opening a modal, a status, deleting an answer.

    What must not be lost is kept (inbox, notices, feedback) before it is acknowledged.
    """

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self, work: Coroutine[None, None, None], what: str) -> None:
        """`what` names it in the log."""
        task = asyncio.create_task(work, name=what)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    async def aclose(self, seconds: float = 5.0) -> None:
        """Waits for what is under way, then gives it up."""
        if not self._tasks:
            return
        _, late = await asyncio.wait(tuple(self._tasks), timeout=seconds)
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        failure = None if task.cancelled() else task.exception()
        if isinstance(failure, PolicyBotError):
            error = failure.details.get("error", "")
            _log.warning("work failed: what=%s code=%s error=%s", task.get_name(), failure.code, error)
        elif failure is not None:
            _log.error("work failed: what=%s", task.get_name(), exc_info=failure)
