"""Logs: on standard error, one event a line, and nothing of what people ask."""

import json
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog

from ops.config import load_config
from ops.logs import ServiceEvents, set_up_logs
from rag_core.errors import Unavailable


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = root.handlers, root.level
    yield
    root.handlers = handlers
    root.setLevel(level)
    logging.getLogger("alembic").setLevel(logging.NOTSET)
    structlog.reset_defaults()


def set_up(tmp_path: Path, **settings: str) -> None:
    set_up_logs(load_config({f"ADPOLICY_{name}": value for name, value in settings.items()}, tmp_path / "no.env"))


def test_json_is_one_object_a_line_on_standard_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    set_up(tmp_path, LOG_FORMAT="json")
    events = ServiceEvents()
    events.unavailable("q1", Unavailable("slack_error", status=500), 2)
    events.unreachable("q2", Unavailable("reply_address_gone"))
    try:
        raise ZeroDivisionError
    except ZeroDivisionError as exc:
        events.unexpected("q3", exc)
    logging.getLogger("aiohttp").warning("from a library")
    shown = capsys.readouterr()
    lines = [json.loads(line) for line in shown.err.splitlines()]
    assert shown.out == ""
    assert [line["event"] for line in lines] == [
        "service_unavailable",
        "reply_address_unreachable",
        "unexpected_error",
        "from a library",
    ]
    assert (lines[0]["question_id"], lines[0]["code"], lines[0]["attempt"]) == ("q1", "slack_error", 2)
    assert "ZeroDivisionError" in lines[2]["exception"]
    assert all(line["timestamp"].endswith("Z") for line in lines)


def test_text_names_the_question(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    set_up(tmp_path)
    ServiceEvents().unreachable("q2", Unavailable("reply_address_gone"))
    assert "question_id=q2" in capsys.readouterr().err


def test_the_level_is_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    set_up(tmp_path, LOG_LEVEL="ERROR")
    ServiceEvents().unavailable("q1", Unavailable("slack_error"), 1)
    assert capsys.readouterr().err == ""


def test_a_migration_is_no_news(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    set_up(tmp_path)
    logging.getLogger("alembic.runtime.plugins").info("setup plugin")
    assert capsys.readouterr().err == ""
