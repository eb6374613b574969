"""Standard error, warnings and crashes of a process: nothing of them goes out unredacted.

What Python itself would show of a crash quotes values: the message of an exception may be a question, or an address
with its password. So types, codes and places are shown, as in the logs.
"""

import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import TextIO

import structlog

from ops.redaction.log_safety import told
from ops.redaction.redactor import Redactor
from ops.redaction.streams import RedactedStream
from ops.wording import general as wording


@contextmanager
def redacted_output(redactor: Redactor) -> Iterator[RedactedStream]:
    """Standard error is the stream that is yielded (whose redactor may be replaced by one that knows more), and what
    dies in it is told without messages. An exception that leaves it is told by the interpreter likewise."""
    stream = RedactedStream(sys.stderr, redactor)
    before = sys.stderr, threading.excepthook, sys.unraisablehook, warnings.showwarning
    sys.stderr = stream
    threading.excepthook = _thread_died
    sys.unraisablehook = _not_raisable
    warnings.showwarning = _warned
    try:
        yield stream
    except Exception:
        sys.excepthook = crash_report(stream)
        raise
    finally:
        stream.flush()
        sys.stderr, threading.excepthook, sys.unraisablehook, warnings.showwarning = before


def crash_report(
    stream: RedactedStream,
) -> Callable[[type[BaseException], BaseException, TracebackType | None], None]:
    """A `sys.excepthook`."""

    def tell(_: type[BaseException], error: BaseException, __: TracebackType | None) -> None:
        stream.write("\n".join((wording.CRASHED, *told(error))) + "\n")
        stream.flush()

    return tell


def _thread_died(args: threading.ExceptHookArgs) -> None:
    if args.exc_value is not None:
        structlog.get_logger("adpolicy").error("thread_died", exc_info=args.exc_value)


def _not_raisable(args: "sys.UnraisableHookArgs") -> None:
    if args.exc_value is not None:
        structlog.get_logger("adpolicy").error("not_raisable", exc_info=args.exc_value)


def _warned(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Which warning, and where. What it says may quote what it is about."""
    structlog.get_logger("adpolicy").warning("warned", category=category.__qualname__, place=f"{filename}:{lineno}")
