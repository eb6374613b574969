"""Documents read in processes of their own, so that none takes the ingest with it: memory and time are limited."""

import asyncio
import contextlib
import os
import sys
import tempfile
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from ingest.reader import wire
from ingest.reader.contents import Contents, ReadingTask
from ingest.reader.wire import ANSWER, OUT_OF_MEMORY, REQUEST
from rag_core.errors import PolicyBotError, Rejected, Unavailable

_ROOT = Path(__file__).resolve().parents[2]
_PASSED_ON = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "TESSDATA_PREFIX", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
"""What a parser may know of the environment; never the settings, which hold secrets."""
_MEGABYTE = 1024 * 1024
_LAST_WORDS = 300


@dataclass(frozen=True, slots=True)
class ReadingLimits:
    """`seconds` (wall clock) and `megabytes` (address space; resident memory on macOS) of one document.

    `answer_megabytes`: of what it may hand back, which is read without limits. A process is replaced after
    `documents`, so that what its libraries leak does not add up.
    """

    seconds: float = 120.0
    megabytes: int = 1536
    documents: int = 500
    answer_megabytes: int = 128


@dataclass(slots=True)
class _Child:
    process: Process
    errors: IO[bytes]
    documents: int = 0


class ReadingProcess:
    """Up to `processes` children, started when first needed. Closed by whoever made it.

    `program`: asked for what the interpreter is told to run, each time a child is started; it ends up in
    `ingest.reader.child.main`. What it raises, reading raises.
    """

    def __init__(
        self, program: Callable[[], Sequence[str]], limits: ReadingLimits | None = None, processes: int = 2
    ) -> None:
        self._program = program
        self._limits = limits or ReadingLimits()
        self._free = asyncio.Semaphore(processes)
        self._idle: list[_Child] = []
        self._busy: set[Process] = set()
        self._closed = False

    async def read(self, task: ReadingTask) -> Contents:
        """What the document holds.

        Raises Rejected: what reading it raises; "document_too_costly" (seconds or megabytes: the limit that it
        reached); "parser_crashed" (exit: code, or negative signal; problem: its last words). Raises Unavailable:
        "parser_not_started". A cancelled call ends its child.
        """
        async with self._free:
            child = self._idle.pop() if self._idle else await self._started()
            answer: wire.Answer | None = None
            try:
                answer = await self._asked(child, task)
            finally:
                self._busy.discard(child.process)
                if self._may_go_on(child, answer):
                    self._idle.append(child)
                else:
                    await _killed(child)
        if isinstance(answer, PolicyBotError):
            raise answer
        return answer

    @property
    def waiting(self) -> tuple[int, ...]:
        """The ids of the children that have nothing to do."""
        return tuple(child.process.pid for child in self._idle)

    async def rest(self) -> None:
        """Ends the children that have nothing to do; the next document starts one again."""
        while self._idle:
            await _killed(self._idle.pop())

    async def aclose(self) -> None:
        """Ends all children; a document that is being read ends as "parser_crashed"."""
        self._closed = True
        for process in self._busy:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
        while self._idle:
            await _killed(self._idle.pop())

    def _may_go_on(self, child: _Child, answer: wire.Answer | None) -> bool:
        child.documents += 1
        exhausted = isinstance(answer, PolicyBotError) and answer.code == "document_too_costly"
        return answer is not None and not exhausted and not self._closed and child.documents < self._limits.documents

    async def _started(self) -> _Child:
        program = self._program()
        limits = (str(self._limits.megabytes), str(self._limits.seconds))
        known = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
        errors = tempfile.TemporaryFile()  # noqa: SIM115  it lives as long as the child
        try:
            async with asyncio.timeout(self._limits.seconds):
                process = await asyncio.create_subprocess_exec(
                    sys.executable,
                    *program,
                    *limits,
                    stdin=PIPE,
                    stdout=PIPE,
                    stderr=errors,
                    cwd=_ROOT,
                    env={**known, "PYTHONPATH": str(_ROOT), "PYTHONDONTWRITEBYTECODE": "1"},
                )
        except OSError as error:  # TimeoutError is one of them
            errors.close()
            raise Unavailable("parser_not_started", problem=error.strerror or str(error)) from error
        return _Child(process, errors)

    async def _asked(self, child: _Child, task: ReadingTask) -> wire.Answer:
        self._busy.add(child.process)
        try:
            async with asyncio.timeout(self._limits.seconds):
                return await _answer(child.process, task, self._limits.answer_megabytes)
        except TimeoutError as error:
            raise Rejected("document_too_costly", seconds=self._limits.seconds) from error
        except (OSError, EOFError, ValueError) as error:
            raise await self._failure(child) from error

    async def _failure(self, child: _Child) -> Rejected:
        """Why a child stopped answering."""
        try:
            async with asyncio.timeout(2):
                code = await child.process.wait()
        except TimeoutError:
            code = None
        if code == OUT_OF_MEMORY:
            return Rejected("document_too_costly", megabytes=self._limits.megabytes)
        said = await asyncio.to_thread(_last_words, child.errors)
        if "MemoryError" in said:
            return Rejected("document_too_costly", megabytes=self._limits.megabytes)
        return Rejected("parser_crashed", exit=code, problem=said)


async def _answer(process: Process, task: ReadingTask, megabytes: int) -> wire.Answer:
    requests, answers = process.stdin, process.stdout
    if requests is None or answers is None:
        raise EOFError
    head = wire.written_task(task)
    requests.write(REQUEST.pack(len(head), len(task.content)) + head)
    requests.write(task.content)
    await requests.drain()
    (length,) = ANSWER.unpack(await answers.readexactly(ANSWER.size))
    if length > megabytes * _MEGABYTE:
        raise Rejected("document_too_costly", megabytes=megabytes)
    return wire.read(await answers.readexactly(length))


def _last_words(errors: IO[bytes]) -> str:
    errors.seek(0)
    lines = errors.read().decode("utf-8", "replace").strip().splitlines()
    return lines[-1][:_LAST_WORDS] if lines else ""


async def _killed(child: _Child) -> None:
    with contextlib.suppress(ProcessLookupError):
        child.process.kill()
    with contextlib.suppress(OSError):  # `wait` waits for ever while there is something left to read
        while child.process.stdout is not None and await child.process.stdout.read(_MEGABYTE):
            pass
    await child.process.wait()
    if child.process.stdin is not None:
        child.process.stdin.close()
    child.errors.close()
