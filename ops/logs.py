"""Structured logs on standard error. No question text, no reply address, ever."""

import logging
import sys

import structlog

from ops.config import Config
from rag_core.errors import PolicyBotError


def set_up_logs(config: Config) -> None:
    """Route structlog and the standard library's loggers to standard error in the configured format."""
    shared: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    render: structlog.typing.Processor = (
        structlog.processors.JSONRenderer()
        if config.log_format == "json"
        else structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, render],
        )
    )
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(config.log_level)
    if config.log_level == "INFO":
        logging.getLogger("alembic").setLevel("WARNING")  # it tells of each of its plug-ins
    structlog.configure(
        processors=[
            *shared,
            structlog.processors.format_exc_info,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )


class ServiceEvents:
    """What `bot.service` reports, as log events."""

    def __init__(self) -> None:
        self._log = structlog.get_logger("bot.service")

    def unavailable(self, question_id: str, error: PolicyBotError, attempt: int) -> None:
        self._log.warning("service_unavailable", question_id=question_id, code=error.code, attempt=attempt)

    def unreachable(self, question_id: str, error: PolicyBotError) -> None:
        self._log.error("reply_address_unreachable", question_id=question_id, code=error.code)

    def unexpected(self, question_id: str, error: BaseException) -> None:
        self._log.error("unexpected_error", question_id=question_id, exc_info=error)
