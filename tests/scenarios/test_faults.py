"""What an operator gets wrong, and what breaks: the exit code, and one line that names the setting or the path."""

import asyncio
import os
import socket
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from adapters.sql.chat.inbox import SqlInbox
from adapters.sql.database.engine import open_engine
from adapters.sql.database.vault import Vault, new_key
from ops.cli import main as run_ops
from ops.start import start
from ops.wiring import run_bot
from tests.fakes.program import Ports, environment, free_ports, running_server
from tests.fakes.questions import make_question


@dataclass
class Operator:
    """Commands in this process, with settings given one by one."""

    data_dir: Path
    monkeypatch: pytest.MonkeyPatch
    capfd: pytest.CaptureFixture[str]

    def set(self, **settings: str) -> None:
        for name, value in settings.items():
            self.monkeypatch.setenv(f"ADPOLICY_{name}", value)

    def without_slack(self) -> None:
        """Else `doctor` asks Slack, which is not there."""
        for name in os.environ:
            if name.startswith("ADPOLICY_SLACK_"):
                self.monkeypatch.delenv(name)

    def told(self, command: Callable[[list[str]], int], *arguments: str) -> str:
        """The one line on standard error of a command that ends with 2."""
        assert command(list(arguments)) == 2
        shown = self.capfd.readouterr()
        assert shown.out == ""
        assert shown.err.count("\n") == 1, shown.err
        return shown.err.strip()


@pytest.fixture
def operator(
    sample_copy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Operator:
    monkeypatch.chdir(tmp_path)
    ports = Ports(*free_ports(3))
    for name, value in environment(sample_copy, **ports.settings).items():
        monkeypatch.setenv(name, value)
    return Operator(sample_copy, monkeypatch, capfd)


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"SLACK_SIGNING_SECRET": ""}, "ADPOLICY_SLACK_SIGNING_SECRET is missing or empty"),
        ({"SLACK_SIGNING_SECRET": " "}, "ADPOLICY_SLACK_SIGNING_SECRET is missing or empty"),
        ({"SLACK_BOT_TOKEN": ""}, "ADPOLICY_SLACK_BOT_TOKEN is missing or empty"),
        ({"SLACK_API_URL": "http://slack.example/api/"}, "ADPOLICY_SLACK_API_URL is http://slack.example/api/"),
        ({"WEB_BIND": "0.0.0.0:8080"}, "ADPOLICY_WEB_BIND is 0.0.0.0:8080"),
        ({"CHAT_BIND": "nonsense"}, "ADPOLICY_CHAT_BIND cannot be used"),
        ({"CHAT_BIND": "192.0.2.1:3000"}, "ADPOLICY_CHAT_BIND: nothing can listen on 192.0.2.1:3000"),
        ({"SECRET_KEY": "short"}, "ADPOLICY_SECRET_KEY is not a usable key"),
        ({"SECRET_KEY": ""}, "ADPOLICY_SECRET_KEY is empty"),
        ({"SLAK_BOT_TOKEN": "x"}, "Did you mean ADPOLICY_SLACK_BOT_TOKEN?"),
    ],
)
def test_the_server_does_not_start_and_names_the_setting(
    settings: dict[str, str], named: str, operator: Operator
) -> None:
    operator.set(**settings)
    assert named in operator.told(run_bot, "serve")


def test_a_port_that_is_taken_is_named(operator: Operator) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        bind = f"127.0.0.1:{taken.getsockname()[1]}"
        operator.set(WEB_BIND=bind)
        assert f"ADPOLICY_WEB_BIND: {bind} is in use" in operator.told(run_bot, "serve")


@pytest.mark.parametrize("command", [("serve",), ("ask", "alcohol")])
def test_a_folder_that_cannot_be_written_is_named(command: tuple[str, ...], operator: Operator, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    operator.set(DATA_DIR=str(tmp_path / "file" / "below"))
    said = operator.told(run_bot, *command)
    assert str(tmp_path / "file" / "below") in said
    assert "ADPOLICY_DATA_DIR" in said


def test_a_newer_database_is_left_alone(operator: Operator) -> None:
    with closing(sqlite3.connect(operator.data_dir / "adpolicy.sqlite3")) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    assert "newer version" in operator.told(run_bot, "ask", "alcohol")
    assert "newer version" in operator.told(run_ops, "doctor")


def test_a_damaged_index_is_mended_by_what_the_message_says(operator: Operator) -> None:
    operator.without_slack()
    manifest = next((operator.data_dir / "index").glob("*.json"))
    manifest.write_text("{", encoding="utf-8")
    assert "python -m ops reindex" in operator.told(run_bot, "ask", "alcohol")
    assert run_ops(["doctor"]) == 1
    assert "python -m ops reindex" in operator.capfd.readouterr().out
    assert run_ops(["reindex", "--verify"]) == 0
    assert run_ops(["doctor"]) == 0
    assert run_bot(["ask", "can I advertise alcohol in the UK"]) == 0
    assert "Restricted" in operator.capfd.readouterr().out


def test_a_missing_catalogue_is_a_sentence_of_its_own(operator: Operator, tmp_path: Path) -> None:
    operator.set(DATA_DIR=str(tmp_path / "new"), CATALOGUE=str(tmp_path / "none.yaml"))
    assert start(["ask", "alcohol"]) == 2
    said = operator.capfd.readouterr().err
    assert f"There is no catalogue {tmp_path / 'none.yaml'}." in said
    assert "ADPOLICY_CATALOGUE" in said


async def accept_with_another_key(data_dir: Path) -> None:
    engine = open_engine(f"sqlite:///{data_dir / 'adpolicy.sqlite3'}")
    await SqlInbox(engine, Vault([new_key()])).accept(make_question())
    await engine.dispose()


def test_a_lost_key_ends_the_server_instead_of_leaving_questions_unanswered(operator: Operator) -> None:
    """A question whose address nobody can read: who asks next would wait for ever, and nobody would notice."""
    asyncio.run(accept_with_another_key(operator.data_dir))
    operator.set(SECRET_KEY=new_key())
    assert run_bot(["serve"]) == 2
    assert "ADPOLICY_SECRET_KEY is not the key" in operator.capfd.readouterr().err


def test_ports_are_free_again_after_a_server_was_stopped(sample_copy: Path) -> None:
    ports = Ports(*free_ports(3))
    for _ in range(2):
        with running_server(sample_copy, ports) as server:
            server.terminate()
            assert server.process.wait(20) == 0
