"""What people see who ask the sample policies in the terminal: standard output, standard error, exit codes."""

import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from ops.sandbox.slack.block_kit import check_message
from ops.start import start
from tests.fakes.program import environment, run

UK = "can I advertise alcohol in the UK"


@dataclass
class Terminal:
    """`ops/run ARGUMENTS` in this process."""

    capfd: pytest.CaptureFixture[str]

    def ask(self, *arguments: str) -> tuple[int, str, str]:
        """Exit code, standard output, standard error."""
        code = start(["ask", *arguments])
        shown = self.capfd.readouterr()
        return code, shown.out, shown.err

    def answer(self, *arguments: str) -> dict[str, Any]:
        code, out, err = self.ask("--format", "json", *arguments)
        assert (code, err) == (0, "")
        found: dict[str, Any] = json.loads(out)
        return found


@pytest.fixture
def terminal(
    sample_store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Terminal:
    monkeypatch.chdir(tmp_path)  # no .env of whoever runs the tests
    data = Path(shutil.copytree(sample_store, tmp_path / "data"))
    for name, value in environment(data).items():
        monkeypatch.setenv(name, value)
    return Terminal(capfd)


def cited_regions(answer: dict[str, Any]) -> set[str]:
    return {region for citation in answer["citations"] for region in citation["regions"]}


def texts(answer: dict[str, Any]) -> list[str]:
    return [statement["text"] for statement in answer["statements"]]


def test_the_uk_is_restricted_and_no_other_country_is_quoted(terminal: Terminal) -> None:
    answer = terminal.answer(UK)
    assert (answer["kind"], answer["verdict"]) == ("answer", "restricted")
    assert cited_regions(answer) <= {"uk", "global"}
    assert "uk" in cited_regions(answer)
    assert all(citation["url"] or citation["doc_id"] for citation in answer["citations"])


def test_another_country_and_an_earlier_day_have_other_rules(terminal: Terminal) -> None:
    today, germany = terminal.answer(UK), terminal.answer("can I advertise alcohol in Germany")
    before = terminal.answer("--as-of", "2025-06-01", UK)
    assert cited_regions(germany) <= {"de", "eu", "global"}
    assert "de" in cited_regions(germany)
    assert texts(today) != texts(germany)
    assert texts(today) != texts(before)
    assert before["scope"]["as_of"] == "2025-06-01"
    assert {citation["doc_id"] for citation in before["citations"]}.isdisjoint(
        citation["doc_id"] for citation in today["citations"]
    )


def test_text_names_verdict_place_day_and_sources(terminal: Terminal) -> None:
    code, out, err = terminal.ask(UK)
    assert (code, err) == (0, "")
    assert "Restricted in the United Kingdom" in out
    assert "[1]" in out
    assert "http://127.0.0.1:8080/sources/" in out
    assert "samples" in out
    assert "\x1b" not in out


def test_slack_is_block_kit(terminal: Terminal) -> None:
    code, out, err = terminal.ask("--format", "slack", UK)
    message = json.loads(out)
    assert (code, err) == (0, "")
    assert check_message(message) is None
    assert "United Kingdom" in json.dumps(message)


def test_the_weather_is_refused(terminal: Terminal) -> None:
    refused = terminal.answer("what's the weather")
    assert (refused["kind"], refused["refusal"]["reason"]) == ("refusal", "off_topic")
    code, out, _ = terminal.ask("what's the weather")
    assert code == 0
    assert "policies" in out


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("",), "question_empty", "The question is empty"),
        ((" \u200b\x00 ",), "question_empty", "The question is empty"),
        (("alcohol " * 1250,), "question_too_long", "characters"),
        (("--region", "narnia", "alcohol"), "unknown_region", "narnia"),
        (("--content-type", "smell", "alcohol"), "unknown_content_type", "ad_text"),
        (("--source", "nobody", "alcohol"), "unknown_policy_source", "quillmoor"),
    ],
)
def test_what_can_never_work_is_1_and_a_sentence(
    arguments: tuple[str, ...], code: str, said: str, terminal: Terminal
) -> None:
    exit_code, out, err = terminal.ask(*arguments)
    assert (exit_code, err) == (1, "")
    assert said in out
    exit_code, out, err = terminal.ask("--format", "json", *arguments)
    assert (exit_code, json.loads(out)["code"], err) == (1, code, "")


def test_bytes_that_are_no_text_do_not_break_the_terminal(terminal: Terminal) -> None:
    code, out, err = terminal.ask("--format", "json", "alcohol \udcff\u202e ads in the UK")
    assert (code, err) == (0, "")
    assert json.loads(out)["kind"] in ("answer", "refusal")


def test_a_missing_model_is_2_and_names_the_setting(
    terminal: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ADPOLICY_EMBEDDING_MODEL", str(tmp_path))
    code, out, err = terminal.ask(UK)
    assert (code, out) == (2, "")
    assert "ADPOLICY_EMBEDDING_MODEL" in err
    assert str(tmp_path / "model.onnx") in err
    assert err.count("\n") == 1


def test_a_store_that_is_no_database_is_2_and_named(
    terminal: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "adpolicy.sqlite3").write_text("this is no database " * 100, encoding="utf-8")
    monkeypatch.setenv("ADPOLICY_DATA_DIR", str(tmp_path))
    code, out, err = terminal.ask(UK)
    assert (code, out) == (2, "")
    assert f"{tmp_path / 'adpolicy.sqlite3'} is damaged, or no database" in err
    assert err.count("\n") == 1


def test_too_slow_is_3_and_says_what_to_do(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADPOLICY_ASK_SECONDS", "0.000001")
    code, out, err = terminal.ask(UK)
    assert (code, out) == (3, "")
    assert "ADPOLICY_ASK_SECONDS" in err


def test_the_first_question_reads_the_samples_and_chat_goes_on(tmp_path: Path) -> None:
    """In processes of its own, from an empty folder: documents are read once, progress is on standard error."""
    env = environment(tmp_path / "data")
    first = run("ops.start", "ask", "--format", "json", UK, env=env, cwd=tmp_path)
    assert first.returncode == 0, first.stderr
    assert json.loads(first.stdout)["verdict"] == "restricted"
    assert "reading those that the catalogue names" in first.stderr
    assert "0 failed" in first.stderr
    lines = f"{UK}\nand in Germany?\n\n"
    chat = run("ops.start", "chat", "--format", "text", env=env, cwd=tmp_path, text_in=lines)
    assert chat.returncode == 0
    assert "reading those that the catalogue names" not in chat.stderr
    assert "Restricted in the United Kingdom" in chat.stdout
    assert "in Germany" in chat.stdout
