"""Structured logs on standard error. No question text, no reply address, no password, ever (see
`ops.redaction.log_safety` and `ops.redaction`)."""

import logging
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace

import stamina.instrumentation
import structlog

from bot.model_usage import ModelCall
from bot.questions.answerer import Answered, Asked
from bot.questions.service import Asks
from ops.config import Config
from ops.monitoring.breakers import BreakerState, CallEnd
from ops.monitoring.metrics import Metrics
from ops.redaction.log_safety import ForeignText, StandardError, tell_exceptions
from ops.redaction.logged import RedactedFormatter, redact
from ops.redaction.sources import redactor_of
from ops.redaction.streams import unredacted
from rag_core.errors import PolicyBotError

_QUIET = (
    "aiohttp",
    "alembic",
    "asyncio",
    "botbuilder",
    "botframework",
    "httpcore2",
    "httpx2",
    "msal",
    "msrest",
    "openai",
    "opensearch",
    "opensearchpy",
    "redis",
    "sqlalchemy",
    "urllib3",
)
"""Below a warning they tell of each step they take; of that, nothing is left that anybody could read."""


def set_up_logs(config: Config) -> None:
    """Route structlog and the standard library's loggers to standard error in the configured format."""
    redactor = redactor_of(config)
    shared: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        tell_exceptions,
    ]
    render: structlog.typing.Processor = (
        structlog.processors.JSONRenderer()
        if config.log_format == "json"
        else structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())
    )
    handler = StandardError(unredacted(sys.stderr))  # its lines are redacted already
    handler.addFilter(ForeignText())
    handler.setFormatter(
        RedactedFormatter(
            redactor,
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, redact(redactor), render],
        )
    )
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(config.log_level)
    for name in _QUIET:
        logging.getLogger(name).setLevel(max(logging.WARNING, root.level))
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    # its own hook writes out the arguments of what is called again, a question say
    stamina.instrumentation.set_on_retry_hooks([_log_retry])


def _log_retry(details: stamina.instrumentation.RetryDetails) -> None:
    cause = details.caused_by
    code = cause.code if isinstance(cause, PolicyBotError) else type(cause).__name__
    structlog.get_logger("adpolicy").info("retried", callable=details.name, code=code, retry=details.retry_num)


class ServiceEvents:
    """What the parts of the bot report, as log events and as figures: the events Protocols of `bot` and `ops`.

    Codes and ids only. Every event of a kind has the same name and the same keys.
    """

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics
        self._troubled: set[str] = set()
        self._log = structlog.get_logger("adpolicy")

    def answered(self, asked_from: str, kind: str, degraded: Sequence[str], seconds: float) -> None:
        self._metrics.answered(asked_from, kind, degraded, seconds)
        facts = {"asked_from": asked_from, "kind": kind, "seconds": round(seconds, 3)}
        if degraded:
            self._log.warning("answered_degraded", degraded=list(degraded), **facts)
        else:
            self._log.info("answered", **facts)

    def failed(self, asked_from: str, code: str) -> None:
        self._metrics.failed(asked_from, code)
        self._log.warning("not_answered", asked_from=asked_from, code=code)

    def unavailable(self, question_id: str, error: PolicyBotError, attempt: int) -> None:
        self._metrics.trouble(error.code)
        self._log.warning("service_unavailable", question_id=question_id, code=error.code, attempt=attempt)

    def stored_texts_changed(self, ids: Sequence[str]) -> None:
        self._metrics.stored_texts_changed(len(ids))
        for each in ids:
            self._log.error("stored_text_changed", id=each)

    def unreachable(self, question_id: str, error: PolicyBotError) -> None:
        self._metrics.trouble(error.code)
        self._log.error("reply_address_unreachable", question_id=question_id, code=error.code)

    def unexpected(self, question_id: str, error: BaseException) -> None:
        self._metrics.trouble("unexpected_error")
        self._log.error("unexpected_error", question_id=question_id, exc_info=error)

    def duplicate(self, platform: str) -> None:
        self._metrics.duplicate(platform)
        self._log.info("delivered_again", platform=platform)

    def postponed(self, question_id: str, code: str, seconds: float) -> None:
        self._metrics.postponed(code)
        self._log.warning("question_postponed", question_id=question_id, code=code, seconds=round(seconds, 1))

    def put_back(self, question_id: str, code: str, seconds: float) -> None:
        self._metrics.put_back(code)
        self._log.info("question_put_back", question_id=question_id, code=code, seconds=round(seconds, 1))

    def delivered(self, question_id: str, road: str) -> None:
        self._metrics.delivered(road)
        self._log.debug("reply_delivered", question_id=question_id, road=road)

    def delivery_retried(self, question_id: str, code: str) -> None:
        self._metrics.delivery_retried(code)
        self._log.warning("reply_sent_again", question_id=question_id, code=code)

    def reconciled(self, question_id: str, found: bool) -> None:
        self._metrics.reconciled(found)
        self._log.warning("reply_looked_for", question_id=question_id, found=found)

    def fell_back(self, question_id: str, code: str, road: str) -> None:
        self._metrics.fell_back(code, road)
        self._log.warning("reply_by_another_road", question_id=question_id, code=code, road=road)

    def recovered(self, question_id: str, postponed: int) -> None:
        self._metrics.recovered()
        self._log.info("question_recovered", question_id=question_id, postponed=postponed)

    def alerts_queued(self, notices: int, changes: int) -> None:
        self._metrics.notices_queued(notices)
        self._log.info("alerts_queued", notices=notices, changes=changes)

    def notice_sent(self, kind: str) -> None:
        self._metrics.notice_ended(kind, "sent")
        self._log.info("notice_sent", kind=kind)

    def notice_given_up(self, notice_id: str, kind: str, code: str) -> None:
        self._metrics.notice_ended(kind, "given_up")
        self._log.warning("notice_given_up", notice_id=notice_id, kind=kind, code=code)

    def notice_postponed(self, notice_id: str, code: str, seconds: float) -> None:
        self._metrics.postponed(code)
        self._log.info("notice_postponed", notice_id=notice_id, code=code, seconds=round(seconds, 1))

    def spooled(self, kind: str, key: str) -> None:
        self._metrics.spooled(kind)
        self._log.warning("entry_spooled", kind=kind, key=key)

    def entered(self, kind: str, key: str) -> None:
        self._metrics.entered(kind)
        self._log.info("entry_entered", kind=kind, key=key)

    def called(self, dependency: str, end: CallEnd, seconds: float) -> None:
        self._metrics.called(dependency, end, seconds)

    def model_called(self, call: ModelCall) -> None:
        self._metrics.model_called(call)
        self._log.info(
            "model_called",
            model=call.model,
            role=call.role,
            outcome=call.outcome,
            read=call.prompt_tokens,
            written=call.completion_tokens,
            seconds=call.seconds,
        )

    def model_calls_lost(self, calls: int, code: str) -> None:
        self._metrics.model_calls_lost(calls, code)
        self._log.warning("model_calls_lost", calls=calls, code=code)

    def breaker_changed(self, dependency: str, state: BreakerState, code: str) -> None:
        self._metrics.breaker_changed(dependency, state, code)
        if state is BreakerState.CLOSED and dependency not in self._troubled:
            return  # as it begins
        self._troubled.add(dependency)
        tell = self._log.warning if state is BreakerState.OPEN else self._log.info
        tell("breaker_changed", dependency=dependency, state=state.value, code=code)

    def index_rebuilt(self, code: str) -> None:
        self._metrics.index_rebuilt(code)
        self._log.warning("index_rebuilt", code=code)

    def index_followed(self, versions: int, at_timestamp: float) -> None:
        self._metrics.index_followed(versions, at_timestamp)
        if versions:
            self._log.info("index_followed", versions=versions)

    def index_trouble(self, error: Exception) -> None:
        if isinstance(error, PolicyBotError):
            self._metrics.index_trouble(error.code)
            self._log.warning("index_behind", code=error.code)
        else:
            self._metrics.index_trouble("unexpected_error")
            self._log.error("index_behind", code="unexpected_error", exc_info=error)

    def rules_read(self, chunks: int) -> None:
        self._log.info("rules_read", chunks=chunks)

    def rules_not_read(self, error: Exception) -> None:
        if isinstance(error, PolicyBotError):
            self._log.warning("rules_not_read", code=error.code)
        else:
            self._log.error("rules_not_read", code="unexpected_error", exc_info=error)

    def outbox_failing(self, failing: int, waiting: int, code: str) -> None:
        self._log.warning("outbox_failing", failing=failing, waiting=waiting, code=code)


class NamedAsking:
    """Asking, with the id of the question in every line that is logged meanwhile."""

    def __init__(self, asking: Asks, new_id: Callable[[], str]) -> None:
        self._asking = asking
        self._new_id = new_id

    async def ask(self, asked: Asked) -> Answered:
        named = replace(asked, answer_id=asked.answer_id or self._new_id())
        with structlog.contextvars.bound_contextvars(question_id=named.answer_id):
            return await self._asking.ask(named)
