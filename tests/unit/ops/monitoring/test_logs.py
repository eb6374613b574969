"""Logs: on standard error, one event a line, and nothing of what people ask."""

import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import stamina.instrumentation
import structlog

from bot.model.messages import Actor
from bot.questions.answerer import Answered, Asked, AskEvents
from bot.questions.delivery import DeliveryLog, ServiceLog
from bot.questions.spool import SpoolLog
from ops.config import load_config
from ops.keeping.index import IndexEvents
from ops.monitoring.breakers import BreakerState, BreakerWatch, CallEnd
from ops.monitoring.logs import NamedAsking, ServiceEvents, set_up_logs
from ops.monitoring.metrics import Metrics
from rag_core.errors import Rejected, Unavailable
from tests.fakes.service import FakeAsking


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = root.handlers, root.level
    yield
    root.handlers = handlers
    root.setLevel(level)
    for name in ("aiohttp", "alembic", "asyncio", "opensearch", "opensearchpy", "redis", "sqlalchemy", "urllib3"):
        logging.getLogger(name).setLevel(logging.NOTSET)
    structlog.reset_defaults()
    stamina.instrumentation.set_on_retry_hooks(None)


def set_up(tmp_path: Path, **settings: str) -> None:
    set_up_logs(load_config({f"ADPOLICY_{name}": value for name, value in settings.items()}, tmp_path / "no.env"))


def lines(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    shown = capsys.readouterr()
    assert shown.out == ""
    return [json.loads(line) for line in shown.err.splitlines()]


def test_json_is_one_object_a_line_on_standard_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    set_up(tmp_path, LOG_FORMAT="json")
    events = ServiceEvents(Metrics())
    events.unavailable("q1", Unavailable("slack_error", status=500), 2)
    events.unreachable("q2", Unavailable("reply_address_gone"))
    try:
        raise ZeroDivisionError
    except ZeroDivisionError as exc:
        events.unexpected("q3", exc)
    logging.getLogger("aiohttp").warning("%s from a library", "something")
    shown = lines(capsys)
    assert [line["event"] for line in shown] == [
        "service_unavailable",
        "reply_address_unreachable",
        "unexpected_error",
        "aiohttp: %s from a library",
    ]
    assert (shown[0]["question_id"], shown[0]["code"], shown[0]["attempt"]) == ("q1", "slack_error", 2)
    assert "ZeroDivisionError" in shown[2]["exception"]
    assert "test_logs.py" in shown[2]["exception"]
    assert all(line["timestamp"].endswith("Z") for line in shown)


def test_of_a_changed_text_the_id_is_logged_as_an_error_and_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    set_up(tmp_path, LOG_FORMAT="json")
    metrics = Metrics()
    ServiceEvents(metrics).stored_texts_changed(["c1", "c2"])
    shown = [(line["level"], line["event"], line["id"]) for line in lines(capsys)]
    assert shown == [("error", "stored_text_changed", "c1"), ("error", "stored_text_changed", "c2")]
    assert metrics.registry.get_sample_value("adpolicy_stored_texts_changed_total") == 2


def test_text_names_the_question(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    set_up(tmp_path)
    ServiceEvents(Metrics()).unreachable("q2", Unavailable("reply_address_gone"))
    assert "question_id=q2" in capsys.readouterr().err


def test_the_level_is_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    set_up(tmp_path, LOG_LEVEL="ERROR")
    ServiceEvents(Metrics()).unavailable("q1", Unavailable("slack_error"), 1)
    logging.getLogger("redis").warning("%s", "noise")
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("level", ["INFO", "DEBUG"])
def test_a_migration_is_no_news(level: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    set_up(tmp_path, LOG_LEVEL=level)
    logging.getLogger("alembic.runtime.plugins").info("setup plugin")
    assert capsys.readouterr().err == ""


def test_every_event_has_its_codes_and_is_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    set_up(tmp_path, LOG_FORMAT="json", LOG_LEVEL="DEBUG")
    metrics = Metrics()
    events = ServiceEvents(metrics)
    asks: AskEvents = events
    service: ServiceLog = events
    spool: SpoolLog = events
    breakers: BreakerWatch = events
    index: IndexEvents = events
    asks.answered("slack", "answer", ("store",), 0.25)
    asks.answered("slack", "refusal", (), 0.25)
    asks.failed("rest", "too_slow")
    service.duplicate("slack")
    service.postponed("q1", "index_failed", 5.0)
    service.recovered("q1", 3)
    spool.spooled("answer", "q1")
    spool.entered("answer", "q1")
    breakers.breaker_changed("redis", BreakerState.OPEN, "redis_down")
    breakers.breaker_changed("redis", BreakerState.CLOSED, "")
    breakers.called("redis", CallEnd.FAILED, 0.1)
    index.index_rebuilt("incomplete")
    index.index_followed(3, 5.0)
    index.index_followed(0, 6.0)
    index.index_trouble(Unavailable("index_failed"))
    index.outbox_failing(2, 5, "mapping_refused")
    shown = [
        {key: value for key, value in line.items() if key not in ("timestamp", "exception")} for line in lines(capsys)
    ]
    warn, info = {"level": "warning"}, {"level": "info"}
    assert shown == [
        {"event": "answered_degraded", "asked_from": "slack", "kind": "answer", "seconds": 0.25, "degraded": ["store"]}
        | warn,
        {"event": "answered", "asked_from": "slack", "kind": "refusal", "seconds": 0.25} | info,
        {"event": "not_answered", "asked_from": "rest", "code": "too_slow"} | warn,
        {"event": "delivered_again", "platform": "slack"} | info,
        {"event": "question_postponed", "question_id": "q1", "code": "index_failed", "seconds": 5.0} | warn,
        {"event": "question_recovered", "question_id": "q1", "postponed": 3} | info,
        {"event": "entry_spooled", "kind": "answer", "key": "q1"} | warn,
        {"event": "entry_entered", "kind": "answer", "key": "q1"} | info,
        {"event": "breaker_changed", "dependency": "redis", "state": "open", "code": "redis_down"} | warn,
        {"event": "breaker_changed", "dependency": "redis", "state": "closed", "code": ""} | info,
        {"event": "index_rebuilt", "code": "incomplete"} | warn,
        {"event": "index_followed", "versions": 3} | info,
        {"event": "index_behind", "code": "index_failed"} | warn,
        {"event": "outbox_failing", "failing": 2, "waiting": 5, "code": "mapping_refused"} | warn,
    ]
    counted = {
        "answers_total": {"asked_from": "slack", "kind": "answer"},
        "answer_failures_total": {"asked_from": "rest", "code": "too_slow"},
        "duplicate_deliveries_total": {"platform": "slack"},
        "postponed_questions_total": {"code": "index_failed"},
        "recovered_questions_total": {},
        "spooled_entries_total": {"kind": "answer"},
        "entered_entries_total": {"kind": "answer"},
        "breaker_opened_total": {"dependency": "redis"},
        "dependency_calls_total": {"dependency": "redis", "end": "failed"},
        "index_rebuilds_total": {},
        "index_troubles_total": {"code": "index_failed"},
    }
    for name, labels in counted.items():
        assert metrics.registry.get_sample_value(f"adpolicy_{name}", labels) == 1, name


def test_what_becomes_of_replies_is_told_and_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    set_up(tmp_path, LOG_FORMAT="json", LOG_LEVEL="DEBUG")
    metrics = Metrics()
    deliveries: DeliveryLog = ServiceEvents(metrics)
    service: ServiceLog = ServiceEvents(metrics)
    deliveries.delivered("q1", "channel")
    deliveries.delivery_retried("q1", "slack_rate_limited")
    deliveries.reconciled("q1", True)
    deliveries.fell_back("q1", "slack_not_in_channel", "response_url")
    service.put_back("q1", "slack_pacing", 3.0)
    shown = [(line["event"], line["question_id"], line["level"]) for line in lines(capsys)]
    assert shown == [
        ("reply_delivered", "q1", "debug"),
        ("reply_sent_again", "q1", "warning"),
        ("reply_looked_for", "q1", "warning"),
        ("reply_by_another_road", "q1", "warning"),
        ("question_put_back", "q1", "info"),
    ]
    counted = {
        "replies_delivered_total": {"road": "channel"},
        "delivery_retries_total": {"code": "slack_rate_limited"},
        "reconciliations_total": {"found": "yes"},
        "delivery_fallbacks_total": {"code": "slack_not_in_channel", "road": "response_url"},
        "questions_put_back_total": {"code": "slack_pacing"},
    }
    for name, labels in counted.items():
        assert metrics.registry.get_sample_value(f"adpolicy_{name}", labels) == 1, name


def test_an_unexpected_trouble_of_the_index_is_told_with_its_place(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    set_up(tmp_path, LOG_FORMAT="json")
    try:
        raise KeyError("x")
    except KeyError as exc:
        ServiceEvents(Metrics()).index_trouble(exc)
    [line] = lines(capsys)
    assert (line["level"], line["code"]) == ("error", "unexpected_error")
    assert "KeyError" in line["exception"]


async def test_what_is_logged_while_a_question_is_answered_names_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    set_up(tmp_path, LOG_FORMAT="json")
    asking, events = FakeAsking(), ServiceEvents(Metrics())

    async def degrade(_: Asked) -> None:
        events.breaker_changed("redis", BreakerState.OPEN, "redis_down")

    asking.before = degrade
    named = NamedAsking(asking, lambda: "new-id")
    given: Answered = await named.ask(Asked("beer?", Actor("slack", "T1", "U1"), "slack", answer_id="q1"))
    made = await named.ask(Asked("beer?", Actor("rest", "", ""), "rest"))
    events.breaker_changed("redis", BreakerState.CLOSED, "")
    shown = [line.get("question_id") for line in lines(capsys)]
    assert (given.answer_id, made.answer_id) == ("q1", "new-id")
    assert shown == ["q1", "new-id", None]


async def test_the_id_is_let_go_of_when_answering_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    set_up(tmp_path, LOG_FORMAT="json")
    asking, events = FakeAsking(), ServiceEvents(Metrics())
    asking.failures.append(Rejected("question_empty"))
    with pytest.raises(Rejected):
        await NamedAsking(asking, lambda: "new-id").ask(Asked("", Actor("rest", "", ""), "rest"))
    events.duplicate("slack")
    assert "question_id" not in lines(capsys)[0]
