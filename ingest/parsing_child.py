"""The process that parses: reads documents from standard input, one after the other, and writes what they hold.

Started by `parsing_process` as `python -m ingest.parsing_child MEGABYTES SECONDS`. A request is the lengths of type
and content (two unsigned 64-bit numbers), then both; an answer is the length of `parsing_wire.written`, then that.
"""

import os
import resource
import sys
import threading
import time
from typing import BinaryIO

from ingest import parsing_wire
from ingest.parsing import parse
from ingest.parsing_wire import ANSWER, OUT_OF_MEMORY, REQUEST
from rag_core.errors import PolicyBotError, Rejected

_MEGABYTE = 1024 * 1024
_WATCH_SECONDS = 0.2
_LARGEST_FILE = _MEGABYTE
"""Bytes of a file that this process may write: its last words."""


def main(megabytes: int, seconds: float) -> None:
    """Parse until standard input ends."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints is no answer
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_FSIZE, _LARGEST_FILE)
    if sys.platform == "darwin":  # it does not enforce RLIMIT_AS
        threading.Thread(target=_watch_memory, args=(megabytes,), daemon=True).start()
    else:
        _limit(resource.RLIMIT_AS, megabytes * _MEGABYTE)
    while (request := _read(sys.stdin.buffer)) is not None:
        _allow_time(seconds)
        answer = _answer(*request, megabytes)
        answers.write(ANSWER.pack(len(answer)) + answer)
        answers.flush()


def _read(requests: BinaryIO) -> tuple[str, bytes] | None:
    head = requests.read(REQUEST.size)
    if len(head) < REQUEST.size:
        return None
    type_length, length = REQUEST.unpack(head)
    mime_type, content = requests.read(type_length), requests.read(length)
    return (mime_type.decode(), content) if len(content) == length else None


def _answer(mime_type: str, content: bytes, megabytes: int) -> bytes:
    try:
        return parsing_wire.written(parse(content, mime_type))
    except PolicyBotError as error:
        return parsing_wire.written(error)
    except (MemoryError, RecursionError):
        return parsing_wire.written(Rejected("document_too_costly", megabytes=megabytes))


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


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]))
