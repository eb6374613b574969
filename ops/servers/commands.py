"""The command of `ops/services run`, in the foreground."""

import asyncio
import os
import signal
from collections.abc import Coroutine, Mapping, Sequence
from contextlib import suppress
from typing import Any

from rag_core.errors import Misconfigured

_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Command:
    """A signal that would end us goes to the command while it runs; before, it ends what is being done.

    What is being done can tidy up in `finally`: further signals are ignored then.
    """

    def __init__(self) -> None:
        self._process: asyncio.subprocess.Process | None = None
        self._received: signal.Signals | None = None

    async def guard(self, work: Coroutine[Any, Any, int]) -> int:
        """The result of `work`, which calls `run`; 128 + the signal if one ended it."""
        loop = asyncio.get_running_loop()
        task = asyncio.ensure_future(work)
        for number in _ENDING:
            if signal.getsignal(number) != signal.SIG_IGN:  # as under nohup
                loop.add_signal_handler(number, self._on_signal, number, task)
        try:
            return await task
        except asyncio.CancelledError:
            if self._received is None:
                raise
            return 128 + self._received

    async def run(self, argv: Sequence[str], environ: Mapping[str, str]) -> int:
        """Its exit code, as a shell gives it. Misconfigured: it cannot be started."""
        try:
            self._process = await asyncio.create_subprocess_exec(*argv, env=environ)
        except OSError as exc:
            raise Misconfigured("command_not_started", program=argv[0], reason=exc.strerror) from exc
        code = await self._process.wait()
        return code if code >= 0 else 128 - code

    def _on_signal(self, number: signal.Signals, task: asyncio.Future[int]) -> None:
        if self._process is None and self._received is None:
            self._received = number
            task.cancel()
        elif self._process is not None and not (number == signal.SIGINT and _terminal_sent_it()):
            with suppress(ProcessLookupError):
                self._process.send_signal(number)


def _terminal_sent_it() -> bool:
    """Ctrl-C reaches everyone in the foreground: the command has it already."""
    try:
        with open("/dev/tty", "rb", buffering=0) as terminal:
            return os.tcgetpgrp(terminal.fileno()) == os.getpgrp()
    except OSError:
        return False
