"""Redaction as steps of logging: of what an event holds, and of the line that is made of it."""

import logging
from typing import Any

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

from ops.redaction.redactor import Redactor


def redact(redactor: Redactor) -> Processor:
    """A structlog processor: event name, keys and values, however nested. Before the line is made, so that a
    replacement never breaks its form."""

    def step(_: WrappedLogger, __: str, event: EventDict) -> EventDict:
        cleaned: EventDict = redactor.nested(event)
        return cleaned

    return step


class RedactedFormatter(structlog.stdlib.ProcessorFormatter):
    """The line once more, whoever put it together."""

    def __init__(self, redactor: Redactor, **options: Any) -> None:
        super().__init__(**options)
        self._redactor = redactor

    def format(self, record: logging.LogRecord) -> str:
        return self._redactor.text(super().format(record))
