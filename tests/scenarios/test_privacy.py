"""Privacy as an operator meets it: a person is forgotten while a server runs, and what is old goes."""

import http.client
import json
import sqlite3
import subprocess
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.fakes.program import Server, environment, run, running_server

WORDS = "can I advertise absinthe at the quarterly zanzibar fair in the UK"


def ops(data: Path, *arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
    return run("ops", *arguments, env=environment(data, **settings), cwd=data.parent)


def post(server: Server, question: str) -> dict[str, Any]:
    """Asked over the API, in one conversation."""
    connection = http.client.HTTPConnection(urlsplit(server.web_url).netloc, timeout=30)
    body = json.dumps({"question": question, "conversation_id": "c-1"})
    connection.request("POST", "/api/v1/ask", body, {"content-type": "application/json"})
    answered = json.loads(connection.getresponse().read())
    connection.close()
    assert isinstance(answered, dict)
    return answered


def bytes_in(data: Path) -> bytes:
    return b"".join(path.read_bytes() for path in data.rglob("*") if path.is_file())


def people_in(data: Path) -> list[str]:
    connection = sqlite3.connect(data / "adpolicy.sqlite3")
    found = connection.execute("SELECT person FROM answers UNION SELECT person FROM messages").fetchall()
    connection.close()
    return [row[0] for row in found]


def test_a_person_is_forgotten_while_the_server_runs(sample_copy: Path) -> None:
    with running_server(sample_copy) as server:
        assert "answer_id" in post(server, WORDS)
        assert "rewritten_question" in post(server, "and in France?")
        [person] = people_in(sample_copy)
        assert person.startswith("p1:")
        assert b"zanzibar" in bytes_in(sample_copy)

        looked = ops(sample_copy, "forget", "rest:anonymous", "--dry-run")
        assert (looked.returncode, looked.stderr) == (0, "")
        assert looked.stdout == "There is of this person: answers 2, conversations 2, record 4.\n"
        assert b"zanzibar" in bytes_in(sample_copy)

        ended = ops(sample_copy, "forget", "rest:anonymous", "--yes")
        assert ended.returncode == 0, ended.stderr
        assert "Forgotten: answers 2, conversations 2, record 4. It is on record." in ended.stdout
        assert "backups and copies of the database" in ended.stdout
        dump = bytes_in(sample_copy)
        assert [word for word in (b"zanzibar", b"absinthe") if word in dump] == []

        time.sleep(6)  # the server looks every 5 seconds
        assert "rewritten_question" not in post(server, "and in France?")

    verified = ops(sample_copy, "audit", "verify")
    assert verified.returncode == 0, verified.stdout
    assert "personal fields of 4 forgotten" in verified.stdout


def test_forgetting_asks_first_and_names_what_it_cannot_do(sample_copy: Path) -> None:
    asked = run("bot", "ask", WORDS, env=environment(sample_copy), cwd=sample_copy.parent)
    assert asked.returncode == 0, asked.stderr
    nobody = ops(sample_copy, "forget", "terminal:local")
    assert (nobody.returncode, "Add --yes" in nobody.stderr) == (2, True)
    wrong = ops(sample_copy, "forget", "somebody", "--yes")
    assert (wrong.returncode, "somebody names nobody" in wrong.stderr) == (2, True)
    down = ops(sample_copy, "forget", "terminal:local", "--yes", REDIS_URL="redis://127.0.0.1:9/0")
    assert (down.returncode, "NOT forgotten" in down.stderr) == (3, True)
    assert b"zanzibar" in bytes_in(sample_copy)
    unknown = ops(sample_copy, "forget", "slack:T1/U1", "--dry-run")
    assert (unknown.returncode, unknown.stdout) == (0, "There is nothing of this person here.\n")


def test_what_is_old_goes_by_command(sample_copy: Path) -> None:
    asked = run("bot", "ask", WORDS, env=environment(sample_copy), cwd=sample_copy.parent)
    assert asked.returncode == 0, asked.stderr
    connection = sqlite3.connect(sample_copy / "adpolicy.sqlite3")
    with connection:
        connection.execute("UPDATE answers SET answered_at = '2020-01-01 00:00:00.000000'")
    connection.close()
    looked = ops(sample_copy, "retention", "--dry-run")
    expected = "Kept for longer than the settings say: answers 1. Nothing was removed.\n"
    assert (looked.returncode, looked.stdout) == (0, expected)
    kept = ops(sample_copy, "retention", KEEP_ANSWERS_DAYS="0")
    assert (kept.returncode, kept.stdout) == (0, "There is nothing to remove.\n")
    ended = ops(sample_copy, "retention")
    assert (ended.returncode, ended.stdout) == (0, "Removed: answers 1.\n")
    assert people_in(sample_copy) == []


@pytest.mark.parametrize("days", ["-1", "many"])
def test_days_that_are_none_are_refused(sample_copy: Path, days: str) -> None:
    ended = ops(sample_copy, "retention", KEEP_ANSWERS_DAYS=days)
    assert (ended.returncode, "ADPOLICY_KEEP_ANSWERS_DAYS" in ended.stderr) == (2, True)
