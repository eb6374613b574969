"""A streamed answer: grows by whole verified statements, in one message with one writer."""

import asyncio
import logging
from collections.abc import Awaitable, Callable

from rag_core.answers import Statement
from rag_core.errors import PolicyBotError
from rag_core.questions import Question

_log = logging.getLogger(__name__)


class GrowingAnswer:
    """Watching. `write`: all that is written, from `start` or the first statement on; it takes what there is as often
    as the platform takes it, until `is_closed`. `shown`: a statement as the platform's text. `most` characters are
    told; the whole answer takes their place."""

    def __init__(
        self, write: Callable[[], Awaitable[None]], shown: Callable[[Statement], str], *, most: int = 9_000
    ) -> None:
        self._write = write
        self._shown = shown
        self._most = most
        self._waiting: list[str] = []
        self._told = 0
        self._more = asyncio.Event()
        self._closed = asyncio.Event()
        self._muted = False
        self._writing: asyncio.Task[None] | None = None

    @property
    def is_closed(self) -> bool:
        return self._closed.is_set()

    def understood(self, question: Question) -> None:
        # asked once more: what is told now was shown already, or differs from it; the whole answer puts it right
        self._muted = self._told > 0

    def stated(self, statement: Statement) -> None:
        text = self._shown(statement)
        if self._muted or self.is_closed or self._told + len(text) > self._most:
            return
        self._told += len(text)
        self._waiting.append(text)
        self._more.set()
        self.start()

    def start(self) -> None:
        if self._writing is None:
            self._writing = asyncio.create_task(self._write_all())

    async def close(self) -> None:
        """Nothing is written any more. What went wrong there holds up no answer."""
        self._closed.set()
        self._more.set()
        if self._writing is None:
            return
        await asyncio.wait({self._writing})
        failure = None if self._writing.cancelled() else self._writing.exception()
        if failure is not None:
            _log.error("stream failed", exc_info=failure)

    def cancel(self) -> None:
        self._closed.set()
        if self._writing is not None:
            self._writing.cancel()

    async def more(self) -> None:
        """Until there is something to write, or it is closed."""
        await self._more.wait()

    async def rest(self, seconds: float) -> bool:
        """Whether it may go on; what comes meanwhile goes along."""
        try:
            async with asyncio.timeout(seconds):
                await self._closed.wait()
        except TimeoutError:
            return True
        return False

    def taken(self) -> str:
        """What was not written yet; "" for nothing."""
        text = "".join(self._waiting)
        self._waiting.clear()
        if not self.is_closed:
            self._more.clear()
        return text

    async def _write_all(self) -> None:
        try:
            await self._write()
        except PolicyBotError as exc:  # the whole answer comes as one message
            _log.warning("stream ended early: code=%s error=%s", exc.code, exc.details.get("error", ""))
