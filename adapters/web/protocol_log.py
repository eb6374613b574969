"""What the HTTP server logs of requests that are none."""

import logging

from aiohttp.http_exceptions import HttpProcessingError


class _OfRequests(logging.Filter):
    """Leaves out what is the client's fault: with a stack trace each, anybody could fill the log with noise."""

    def filter(self, record: logging.LogRecord) -> bool:
        cause = record.exc_info[1] if record.exc_info else None
        return not isinstance(cause, HttpProcessingError)


_FILTER = _OfRequests()


def server_log() -> logging.Logger:
    """The logger of both listeners."""
    logger = logging.getLogger("aiohttp.server")
    logger.addFilter(_FILTER)
    return logger
