"""The process that reads: takes documents from standard input, one after the other, and writes what they hold.

Started by `ingest.reader.process`, by way of a program that knows how the embedder counts. A request is the lengths of
`reading_wire.written_task` and of the content (two unsigned 64-bit numbers), then both; an answer is the length of
`reading_wire.written`, then that.
"""

import os
import resource
import sys
import threading
import time
from typing import BinaryIO

from ingest.chunkers.drafts import TokenCounter
from ingest.reader import wire
from ingest.reader.contents import ReadingTask, contents_of
from ingest.reader.parsing import parse
from ingest.reader.wire import ANSWER, OUT_OF_MEMORY, REQUEST
from rag_core.errors import PolicyBotError, Rejected

_MEGABYTE = 1024 * 1024
_WATCH_SECONDS = 0.2
_LARGEST_FILE = _MEGABYTE
"""Bytes of a file that this process may write: its last words."""


def main(megabytes: int, seconds: float, count: TokenCounter, max_tokens: int) -> None:
    """Read until standard input ends. `count` and `max_tokens`: the embedder's."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints is no answer
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_FSIZE, _LARGEST_FILE)
    if sys.platform == "darwin":  # it does not enforce RLIMIT_AS
        threading.Thread(target=_watch_memory, args=(megabytes,), daemon=True).start()
    else:
        _limit(resource.RLIMIT_AS, megabytes * _MEGABYTE)
    while (request := _asked(sys.stdin.buffer)) is not None:
        _allow_time(seconds)
        answer = _answer(request, megabytes, count, max_tokens)
        answers.write(ANSWER.pack(len(answer)) + answer)
        answers.flush()


def _asked(requests: BinaryIO) -> ReadingTask | None:
    head = requests.read(REQUEST.size)
    if len(head) < REQUEST.size:
        return None
    task_length, length = REQUEST.unpack(head)
    task, content = requests.read(task_length), requests.read(length)
    return wire.read_task(task, content) if len(content) == length else None


def _answer(task: ReadingTask, megabytes: int, count: TokenCounter, max_tokens: int) -> bytes:
    try:
        parsed = parse(task.content, task.mime_type)
        return wire.written(contents_of(parsed, task, count, max_tokens))
    except PolicyBotError as error:
        return wire.written(error)
    except RecursionError:
        return wire.written(Rejected("document_nested_too_deeply"))
    except MemoryError:
        return wire.written(Rejected("document_too_costly", megabytes=megabytes))


def _limit(what: int, most: int) -> None:
    _, hard = resource.getrlimit(what)
    resource.setrlimit(what, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


def _allow_time(seconds: float) -> None:
    """Processor time for one more document: ends this process if the one that started it is gone."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    _limit(resource.RLIMIT_CPU, int(used.ru_utime + used.ru_stime + 2 * seconds) + 2)


def _watch_memory(megabytes: int) -> None:
    """Where the system does not keep the limit, this thread does.

    Not on Linux: there `ru_maxrss` begins with the peak of the process that started this one (fork and exec keep it).
    """
    unit = 1 if sys.platform == "darwin" else 1024
    while resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit < megabytes * _MEGABYTE:
        time.sleep(_WATCH_SECONDS)
    os._exit(OUT_OF_MEMORY)
