"""What may be written to a log at all: our own events, and of everybody else's only what cannot hold user text.

The reason: at some level nearly every library writes what it was given. opensearch-py logs queries, SQLAlchemy
parameters, stamina arguments, aiohttp request lines, asyncio the exceptions of tasks; messages of exceptions quote
input. A list of such places would never be complete, so it is decided by form.
"""

import logging
import traceback
from collections.abc import Iterator
from contextlib import suppress
from typing import TextIO

from structlog.typing import EventDict, WrappedLogger

from rag_core.errors import PolicyBotError

_LONGEST_TEMPLATE = 200
_MOST_EXCEPTIONS = 10
_SPOKEN_FOR = (
    "alembic",
    "adapters.web.problems",
    "adapters.slack.oauth",
    "adapters.slack.delivery.slash_replies",
)
"""Loggers whose messages name revisions, or codes and ids, and nothing else. Not `adapters.slack.app`: Slack's library
writes to that one."""


class StandardError(logging.StreamHandler[TextIO]):
    """Writes to standard error. A line that cannot be written is lost, instead of being shown with all it held."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - the name is the library's
        with suppress(OSError, ValueError):
            self.stream.write(f"log line lost: {record.name}{self.terminator}")


class ForeignText(logging.Filter):
    """Reduces records of libraries to the template of their message, without what was to be filled in.

    A message without anything to fill in may have been put together before: it becomes the place in the code.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        if hasattr(record, "_logger") or record.name.startswith(_SPOKEN_FOR):  # structlog's: they are ours
            return True
        template = str(record.msg)[:_LONGEST_TEMPLATE] if record.args else ""
        record.msg = f"{record.name}: {template}" if template else f"{record.name}: {record.module}:{record.lineno}"
        record.args = ()
        return True


def tell_exceptions(_: WrappedLogger, __: str, event: EventDict) -> EventDict:
    """A structlog processor: `exc_info` -> `exception`, with types, codes and places, without messages."""
    info = event.pop("exc_info", None)
    if isinstance(info, BaseException):
        error: BaseException | None = info
    elif isinstance(info, tuple):
        error = info[1]
    else:
        error = None
    if error is not None:
        event["exception"] = "\n".join(told(error))
    return event


def told(error: BaseException) -> Iterator[str]:
    """Like a traceback, the first cause first: types, codes and places, no messages."""
    for each in reversed(_chain(error)):
        code = f" {each.code}" if isinstance(each, PolicyBotError) else ""
        yield f"{type(each).__module__}.{type(each).__qualname__}{code}"
        for frame in traceback.extract_tb(each.__traceback__):
            yield f"  {frame.filename}:{frame.lineno} in {frame.name}"


def _chain(error: BaseException) -> list[BaseException]:
    """The exception, what it came from, and what a group is made of."""
    found: list[BaseException] = []
    waiting: list[BaseException | None] = [error]
    while waiting and len(found) < _MOST_EXCEPTIONS:
        each = waiting.pop(0)
        if each is None or any(each is known for known in found):
            continue
        found.append(each)
        waiting += each.exceptions if isinstance(each, BaseExceptionGroup) else ()
        waiting.append(each.__cause__ or (None if each.__suppress_context__ else each.__context__))
    return found
