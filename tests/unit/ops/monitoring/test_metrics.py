"""What is measured: the names, the labels, the format, and nothing that people wrote."""

import subprocess
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from prometheus_client import REGISTRY
from prometheus_client.parser import text_string_to_metric_families

from bot.model_usage import ModelCall
from ops.monitoring.breakers import BreakerState, CallEnd
from ops.monitoring.metrics import Backlog, Metrics
from tests.fakes.missing import program

CALL = ModelCall(
    "c1", datetime(2026, 6, 1, tzinfo=UTC), "A-Model/v2", "answer", "answered", 100, 20, True, seconds=1.5, cost=0.25
)


def figure(metrics: Metrics, name: str, **labels: str) -> float | None:
    return metrics.registry.get_sample_value(f"adpolicy_{name}", labels)


def everything() -> Metrics:
    """Metrics that heard of everything once."""
    metrics = Metrics()
    metrics.answered("slack", "answer", ("store", "embedder", "store"), 0.3)
    metrics.failed("rest", "too_slow")
    metrics.trouble("store_down")
    metrics.duplicate("slack")
    metrics.postponed("index_failed")
    metrics.spooled("answer")
    metrics.entered("answer")
    metrics.called("redis", CallEnd.ANSWERED, 0.002)
    metrics.called("redis", CallEnd.REFUSED, 0.0)
    metrics.breaker_changed("redis", BreakerState.CLOSED, "")
    metrics.breaker_changed("redis", BreakerState.OPEN, "redis_down")
    metrics.backlog("inbox", Backlog(4, 12.0))
    metrics.backlog("outbox", None)
    metrics.model_called(CALL)
    metrics.model_called(replace(CALL, outcome="model_slow", completion_tokens=0, cost=None))
    metrics.model_calls_lost(3, "store_down")
    metrics.index_rebuilt("incomplete")
    metrics.index_followed(5, 1_700_000_000.0)
    metrics.index_trouble("index_failed")
    return metrics


def test_answers_are_counted_by_where_and_what() -> None:
    metrics = everything()
    assert figure(metrics, "answers_total", asked_from="slack", kind="answer") == 1
    assert figure(metrics, "answers_degraded_total", part="store") == 1
    assert figure(metrics, "answers_degraded_total", part="embedder") == 1
    assert figure(metrics, "answer_failures_total", asked_from="rest", code="too_slow") == 1
    assert figure(metrics, "answer_seconds_count", asked_from="slack") == 1
    assert figure(metrics, "answer_seconds_bucket", asked_from="slack", le="0.25") == 0
    assert figure(metrics, "answer_seconds_bucket", asked_from="slack", le="0.5") == 1


def test_calls_are_counted_and_only_those_made_are_timed() -> None:
    metrics = everything()
    assert figure(metrics, "dependency_calls_total", dependency="redis", end="answered") == 1
    assert figure(metrics, "dependency_calls_total", dependency="redis", end="refused") == 1
    assert figure(metrics, "dependency_seconds_count", dependency="redis") == 1


def test_models_are_counted_by_what_they_are_called_for_and_not_by_their_names() -> None:
    metrics = everything()
    assert figure(metrics, "model_calls_total", role="answer", outcome="answered") == 1
    assert figure(metrics, "model_calls_total", role="answer", outcome="model_slow") == 1
    assert figure(metrics, "model_tokens_total", role="answer", direction="read") == 200
    assert figure(metrics, "model_tokens_total", role="answer", direction="written") == 20
    assert figure(metrics, "model_cost_total", role="answer") == 0.25
    assert figure(metrics, "model_seconds_count", role="answer") == 2
    assert figure(metrics, "model_calls_lost_total", code="store_down") == 3
    assert b"A-Model" not in metrics.exposition().body


def test_a_breaker_is_in_one_state() -> None:
    metrics = everything()
    states = {
        each.value: figure(metrics, "breaker_state", dependency="redis", state=each.value) for each in BreakerState
    }
    assert states == {"closed": 0, "open": 1, "half_open": 0}
    assert figure(metrics, "breaker_opened_total", dependency="redis") == 1


def test_the_index_and_the_rest_are_counted() -> None:
    metrics = everything()
    assert figure(metrics, "index_rebuilds_total") == 1
    assert figure(metrics, "index_versions_total") == 5
    assert figure(metrics, "index_followed_timestamp_seconds") == 1_700_000_000.0
    assert figure(metrics, "index_troubles_total", code="index_failed") == 1
    assert figure(metrics, "duplicate_deliveries_total", platform="slack") == 1
    assert figure(metrics, "postponed_questions_total", code="index_failed") == 1
    assert figure(metrics, "spooled_entries_total", kind="answer") == 1
    assert figure(metrics, "entered_entries_total", kind="answer") == 1
    assert figure(metrics, "service_troubles_total", code="store_down") == 1
    assert figure(metrics, "backlog_oldest_age_seconds", backlog="inbox") == 12


@pytest.mark.parametrize("typed", ["can I advertise beer?", "Beer", 'x"} 1\n', "", "ünïcode", "a" * 65, "a.b"])
def test_what_is_no_name_is_no_label(typed: str) -> None:
    metrics = Metrics()
    metrics.failed("rest", typed)
    metrics.answered(typed, typed, (typed,), 0.1)
    shown = metrics.exposition().body.decode()
    assert figure(metrics, "answer_failures_total", asked_from="rest", code="other") == 1
    assert f'"{typed}"' not in shown


def test_a_label_has_a_bounded_number_of_values() -> None:
    metrics = Metrics()
    for number in range(500):
        metrics.failed("rest", f"code_{number}")
    values = [line for line in metrics.exposition().body.decode().splitlines() if "answer_failures_total{" in line]
    assert len(values) == 101
    assert figure(metrics, "answer_failures_total", asked_from="rest", code="other") == 400


def test_two_of_them_are_two_and_none_is_the_processes_own() -> None:
    first, second = Metrics(), Metrics()
    first.duplicate("slack")
    assert figure(second, "duplicate_deliveries_total", platform="slack") is None
    assert REGISTRY.get_sample_value("adpolicy_duplicate_deliveries_total", {"platform": "slack"}) is None


def test_the_exposition_is_what_prometheus_reads() -> None:
    shown = everything().exposition()
    assert shown.content_type.startswith("text/plain; version=0.0.4")
    families = {family.name: family for family in text_string_to_metric_families(shown.body.decode())}
    ours = {name: family for name, family in families.items() if name.startswith("adpolicy_")}
    assert len(ours) > 20
    assert all(family.documentation for family in ours.values())
    assert "process_resident_memory_bytes" in families
    assert "python_info" in families


def test_promtool_finds_nothing_to_say() -> None:
    promtool = program("promtool", "prometheus")
    checked = subprocess.run([promtool, "check", "metrics"], input=everything().exposition().body, capture_output=True)
    assert (checked.returncode, checked.stdout, checked.stderr) == (0, b"", b"")
