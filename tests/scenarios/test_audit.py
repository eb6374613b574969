"""The record as an operator meets it: checked, taken out and checked without the bot, an answer looked at."""

import csv
import getpass
import http.client
import json
import re
import shutil
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from adapters.sql.audit.forgetting import SqlAuditForgetting
from adapters.sql.database.engine import open_engine
from bot.audit.entries import administration, digest
from ingest.__main__ import main as ingest
from ops.cli import main as ops
from tests.fakes.program import ROOT, environment, run, running_server

SCRIPT = ROOT / "ops" / "docs" / "check_audit_export.py"
PAGE = (ROOT / "ops" / "docs" / "audit.md").read_text(encoding="utf-8")
UK = "can I advertise alcohol in the UK"


@dataclass(frozen=True)
class Place:
    """A data folder with one answer on record."""

    data: Path
    answer_id: str

    def audit(self, *arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
        return run("ops", "audit", *arguments, env=environment(self.data, **settings), cwd=self.data.parent)

    def export(self) -> Path:
        folder = self.data.parent / "export"
        ended = self.audit("export", str(folder))
        assert ended.returncode == 0, ended.stderr
        return folder

    def change(self, *statements: str) -> None:
        """As somebody who owns the database."""
        with sqlite3.connect(self.data / "adpolicy.sqlite3") as connection:
            for guard in ("update", "delete"):
                connection.execute(f"DROP TRIGGER IF EXISTS audit_records_stay_{guard}")
            for statement in statements:
                connection.execute(statement)
        connection.close()


@pytest.fixture(scope="session")
def _answered(sample_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Place:
    folder = tmp_path_factory.mktemp("answered")
    data = Path(shutil.copytree(sample_store, folder / "data"))
    ended = run("bot", "ask", UK, "--format", "json", env=environment(data), cwd=folder)
    assert ended.returncode == 0, ended.stderr
    return Place(data, json.loads(ended.stdout)["answer_id"])


@pytest.fixture
def place(_answered: Place, tmp_path: Path) -> Place:
    return Place(Path(shutil.copytree(_answered.data, tmp_path / "data")), _answered.answer_id)


def check(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The script alone: Python's own library and openssl."""
    command = [sys.executable, "-I", "-S", str(SCRIPT), str(folder), *arguments]
    return subprocess.run(command, capture_output=True, encoding="utf-8", timeout=60, check=False)


def lines(folder: Path, name: str) -> list[Any]:
    return [json.loads(line) for line in (folder / name).read_text(encoding="utf-8").splitlines()]


def test_what_was_asked_and_ingested_is_on_record_signed_and_verifies(place: Place) -> None:
    ended = place.audit("verify")
    assert ended.returncode == 0
    assert "local: 2 records, signed up to 2" in ended.stdout
    assert "The record is as it was written" in ended.stdout
    assert stat.S_IMODE((place.data / "audit-signing.key").stat().st_mode) == 0o600
    one = place.audit("verify", "--workspace", "local", "--bytes-only")
    assert (one.returncode, "installation" in one.stdout) == (0, False)


def test_tampering_is_named_and_the_exit_code_says_so(place: Place) -> None:
    place.change("UPDATE audit_records SET canonical = canonical || ' ' WHERE chain = 'local' AND sequence = 2")
    ended = place.audit("verify")
    assert ended.returncode == 1
    assert "local, record 2: changed after it was written" in ended.stdout


def test_a_record_that_is_gone_with_its_checkpoints_is_missed_by_the_file_beside(place: Place) -> None:
    place.change(
        "DELETE FROM audit_personal WHERE chain = 'local'",
        "DELETE FROM audit_records WHERE chain = 'local'",
        "DELETE FROM audit_chains WHERE chain = 'local'",
        "DELETE FROM audit_checkpoints",
    )
    ended = place.audit("verify")
    assert ended.returncode == 1
    assert "local, records 1 to 2: removed" in ended.stdout


def test_a_data_folder_that_was_used_with_another_database_is_no_finding(place: Place) -> None:
    other = {"DATABASE_URL": f"sqlite:///{place.data.parent / 'other.sqlite3'}"}
    assert run("ops", "reindex", env=environment(place.data, **other), cwd=place.data.parent).returncode == 0
    assert place.audit("export", str(place.data.parent / "of-other"), **other).returncode == 0
    for settings in ({}, other):
        ended = place.audit("verify", **settings)
        assert (ended.returncode, "Passed over in the file of checkpoints" in ended.stdout) == (0, True), ended.stdout
    assert check(place.data.parent / "of-other").returncode == 0


def test_a_file_of_checkpoints_that_was_deleted_or_set_back_is_a_finding(place: Place) -> None:
    path = place.data / "audit-checkpoints.jsonl"
    before = path.read_bytes()
    path.unlink()
    ended = place.audit("verify")
    assert ended.returncode == 1
    assert "local, record 2: checkpoints signed here (1) are not in the file of checkpoints" in ended.stdout
    path.write_bytes(before)
    assert place.audit("verify").returncode == 0
    place.export()
    path.write_bytes(before)
    assert place.audit("verify").returncode == 1


def test_a_database_that_was_set_back_with_its_checkpoints_is_found_by_a_head_kept_elsewhere(place: Place) -> None:
    earlier = place.data.parent / "earlier"
    shutil.copytree(place.data, earlier)
    place.export()
    line = place.audit("head").stdout
    kept = place.data.parent / "heads.txt"
    kept.write_text(line * 2, encoding="ascii")
    assert [place.audit("verify", "--head", given).returncode for given in (str(kept), line.strip())] == [0, 0]
    shutil.rmtree(place.data)
    shutil.copytree(earlier, place.data)
    assert place.audit("verify").returncode == 0
    ended = place.audit("verify", "--head", str(kept))
    assert ended.returncode == 1
    assert re.search(r"installation, records? \d+.*: removed", ended.stdout)
    refused = place.audit("verify", "--head", str(place.data.parent / "no-such-file"))
    assert (refused.returncode, "no head of the record" in refused.stderr) == (2, True)


def test_checkpoints_of_a_key_that_nobody_trusts_are_no_proof(place: Place) -> None:
    key = place.audit("key").stdout.strip()
    (place.data / "audit-signing.key").unlink()
    ended = place.audit("verify")
    assert (ended.returncode, "unknown key" in ended.stdout) == (1, True)
    assert place.audit("verify", AUDIT_TRUSTED_KEYS=key).returncode == 0


def test_an_export_is_checked_without_the_bot(place: Place) -> None:
    folder = place.export()
    ended = check(folder)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.strip().endswith("records hold.")
    manifest = json.loads((folder / "manifest.json").read_bytes())
    assert check(folder, manifest["key"]).returncode == 0
    assert "signed by" in check(folder, "0" * 64).stdout
    counts = {head["chain"]: head["count"] for head in manifest["chains"]}
    assert counts["local"] == 2
    records = lines(folder, "records.jsonl")
    assert len(records) == sum(counts.values())
    acts = [each["facts"]["act"] for each in records if each["kind"] == "administration"]
    assert acts == ["ingest_run", "audit_export"]
    assert all(stat.S_IMODE((folder / name).stat().st_mode) == 0o600 for name in ("records.jsonl", "personal.jsonl"))


def test_an_export_is_json_lines_and_a_table(place: Place) -> None:
    folder = place.export()
    [question, answer] = [each for each in lines(folder, "records.jsonl") if each["subject"] == place.answer_id]
    assert (question["kind"], answer["kind"]) == ("question", "answer")
    assert answer["facts"]["verdicts"] == [{"region": "uk", "policy_source": "quillmoor", "verdict": "restricted"}]
    with (folder / "records.csv").open(encoding="utf-8", newline="") as file:
        rows = {row["record_id"]: row for row in csv.DictReader(file)}
    row = rows[answer["record_id"]]
    assert (row["understood"], row["verdicts"]) == (UK, "uk quillmoor restricted")
    assert "Restricted in the United Kingdom" in row["shown"]
    assert rows[question["record_id"]]["asked"] == UK


TOUCHED: dict[str, tuple[str, Callable[[str], str]]] = {
    "a record": ("records.jsonl", lambda text: text.replace('"restricted"', '"allowed"', 1)),
    "a record less": ("records.jsonl", lambda text: "".join(text.splitlines(keepends=True)[:-1])),
    "another order": ("records.jsonl", lambda text: "".join(reversed(text.splitlines(keepends=True)))),
    "no record": ("records.jsonl", lambda text: text + "x\n"),
    "a question": ("personal.jsonl", lambda text: text.replace(UK, "can I advertise tobacco", 1)),
    "a checkpoint": ("checkpoints.jsonl", lambda text: text.replace('\\"count\\":2', '\\"count\\":1', 1)),
    "the manifest": ("manifest.json", lambda text: text.replace('"count":2', '"count":3', 1)),
}


@pytest.mark.parametrize("what", TOUCHED)
def test_an_export_that_was_touched_does_not_hold(place: Place, what: str) -> None:
    folder = place.export()
    name, touch = TOUCHED[what]
    path = folder / name
    before = path.read_text(encoding="utf-8")
    after = touch(before)
    assert after != before
    path.write_text(after, encoding="utf-8")
    if name != "manifest.json":  # and the manifest was made to fit, though nobody could sign it
        manifest = (folder / "manifest.json").read_text(encoding="utf-8")
        fitted = manifest.replace(digest(before.encode()), digest(after.encode()))
        (folder / "manifest.json").write_text(fitted, encoding="utf-8")
    ended = check(folder)
    assert ended.returncode == 1
    assert "manifest.json: the signature does not hold" in ended.stdout
    if name != "manifest.json":
        assert len(ended.stdout.splitlines()) > 1, "found by more than the manifest"


def test_the_page_has_the_steps_by_hand(place: Place) -> None:
    """Those of `ops/docs/audit.md`, as they stand there."""
    folder = place.export()
    steps = PAGE.split("```sh\n")[1].split("```")[0]
    ended = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", steps], cwd=folder, capture_output=True, encoding="utf-8", check=False
    )
    assert (ended.returncode, ended.stderr) == (0, ""), ended.stdout
    assert "Signature Verified Successfully" in ended.stdout
    records = (folder / "records.jsonl").read_bytes().splitlines()
    assert digest(records[-2]) in ended.stdout
    assert json.loads(records[-1])["previous"] in ended.stdout


def test_an_export_goes_nowhere_where_something_is(place: Place) -> None:
    ended = place.audit("export", str(place.data))
    assert (ended.returncode, "is there already" in ended.stderr) == (2, True)
    file = place.data.parent / "file"
    file.write_text("x")
    ended = place.audit("export", str(file / "folder"))
    assert (ended.returncode, "cannot be written" in ended.stderr) == (2, True)


def test_an_answer_is_shown_as_it_was_and_would_be(place: Place) -> None:
    ended = place.audit("show", place.answer_id)
    assert (ended.returncode, ended.stderr) == (0, "")
    shown = ended.stdout
    assert f"Answer {place.answer_id}, record 2 of local" in shown
    assert f"asked:      {UK}" in shown
    assert "uk quillmoor restricted" in shown
    assert "live, in force from 2026-05-04, and still does" in shown
    assert "Today the same would be answered, from the same versions." in shown


def test_quotes_that_the_store_does_not_have_any_more_are_named(place: Place) -> None:
    place.change("UPDATE chunks SET chunk_text = replace(chunk_text, 'restricted', 'permitted')")
    ended = place.audit("show", place.answer_id, "--not-today")
    assert ended.returncode == 1
    assert "the store has another text at this place: Ads for alcoholic drinks are restricted" in ended.stdout
    assert "Today" not in ended.stdout


async def forget(place: Place) -> None:
    engine = open_engine(f"sqlite:///{place.data / 'adpolicy.sqlite3'}")
    try:
        act = administration("forget-1", "forget", datetime.now(UTC))
        assert await SqlAuditForgetting(engine).person("local", act) == 2
    finally:
        await engine.dispose()


async def test_what_is_forgotten_is_shown_as_forgotten(place: Place) -> None:
    [person] = {each["fields"]["person"]["value"] for each in lines(place.export(), "personal.jsonl") if in_local(each)}
    assert person == "local"
    await forget(place)
    ended = place.audit("show", place.answer_id)
    assert ended.returncode == 0
    assert "asked:      (forgotten)" in ended.stdout
    assert "cannot be told" in ended.stdout
    verified = place.audit("verify")
    assert (verified.returncode, "personal fields of 2 forgotten" in verified.stdout) == (0, True)
    shutil.rmtree(place.data.parent / "export")
    assert check(place.export()).returncode == 0


def in_local(line: Any) -> bool:
    return bool(line["chain"] == "local")


TAKEN: dict[str, tuple[str, str, str]] = {
    "a row is deleted": (
        "DELETE FROM audit_personal WHERE chain = 'local' AND sequence = 2",
        "local, record 2: the personal fields were deleted, and not forgotten",
        "local, record 2: the personal fields were deleted",
    ),
    "a row is emptied": (
        "UPDATE audit_personal SET fields = '{}', person = NULL WHERE chain = 'local' AND sequence = 2",
        "local, record 2: the personal fields were emptied, and no act on record forgot them",
        "local: not those records are empty that were forgotten",
    ),
    "a row is emptied in another spelling": (
        "UPDATE audit_personal SET fields = '{ }', person = NULL WHERE chain = 'local' AND sequence = 2",
        "local, record 2: the personal field",
        "",
    ),
}


@pytest.mark.parametrize("what", TAKEN)
def test_personal_fields_that_somebody_took_are_told_from_forgotten_ones(place: Place, what: str) -> None:
    statement, told, told_of_export = TAKEN[what]
    place.change(statement)
    verified = place.audit("verify")
    assert verified.returncode == 1
    assert told in verified.stdout
    ended = check(place.export())
    assert told_of_export in ended.stdout
    assert ended.returncode == (1 if told_of_export else ended.returncode)


ANSWERS = {
    "text": "UPDATE answers SET reply = json_set(reply, '$.text', 'Allowed everywhere.')",
    "verdicts": "UPDATE answers SET reply = json_set(reply, '$.verdicts[0].verdict', 'allowed')",
    "statements": "UPDATE answers SET reply = json_set(reply, '$.statements[0].text', 'Ads are allowed.')",
    "citations": "UPDATE answers SET reply = json_set(reply, '$.citations[0].quote', 'Ads are allowed.')",
    "kind": "UPDATE answers SET reply = json_set(reply, '$.kind', 'refusal')",
    "unreadable": "UPDATE answers SET reply = json_remove(reply, '$.verdicts')",
    "reply": "UPDATE answers SET reply = json_set(reply, '$.warnings', 'none')",
    "question": "UPDATE answers SET question_text = 'can I advertise tobacco'",
    "trace": "UPDATE answers SET trace = NULL",
    "person": "UPDATE answers SET person = 'p1:somebody'",
    "time": "UPDATE answers SET answered_at = '2020-01-01 00:00:00.000000'",
    "workspace": "UPDATE answers SET workspace = 'T2'",
    "platform": "UPDATE answers SET answered_from = 'slack'",
}


@pytest.mark.parametrize("what", ANSWERS)
def test_an_answer_that_was_changed_in_its_table_is_named(place: Place, what: str) -> None:
    place.change(ANSWERS[what])
    assert place.audit("verify", "--bytes-only").returncode == 0
    ended = place.audit("verify")
    assert ended.returncode == 1
    assert f"local, record 2: the answer in the table of answers is another one ({what})" in ended.stdout


def test_an_answer_that_was_deleted_from_its_table_is_named(place: Place) -> None:
    place.change("DELETE FROM answers")
    ended = place.audit("verify")
    assert ended.returncode == 1
    assert "local, record 2: the answer was deleted from the table of answers" in ended.stdout


async def test_of_a_forgotten_answer_the_verdict_is_compared_and_one_that_is_gone_is_no_finding(place: Place) -> None:
    await forget(place)
    place.change(ANSWERS["text"], ANSWERS["question"])
    ended = place.audit("verify")
    assert (ended.returncode, "1 reply without digests" in ended.stdout) == (0, True)
    place.change(ANSWERS["verdicts"])
    assert place.audit("verify").returncode == 1
    place.change("DELETE FROM answers")
    assert place.audit("verify").returncode == 0


def acts(place: Place) -> list[tuple[str, str]]:
    """What was done, and by whom."""
    with sqlite3.connect(place.data / "adpolicy.sqlite3") as connection:
        rows = connection.execute(
            "SELECT canonical, fields FROM audit_records JOIN audit_personal USING (chain, sequence) "
            "WHERE kind = 'administration' ORDER BY sequence"
        ).fetchall()
    connection.close()
    return [(json.loads(told)["facts"]["act"], json.loads(who)["person"]["value"]) for told, who in rows]


def test_what_operators_do_is_on_record_with_who_did_it(
    place: Place, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each command that changes something; those that only look leave nothing."""
    folder = place.data.parent / "more"
    folder.mkdir()
    (folder / "kites.md").write_text("# Kites\n\nAds for kites are allowed.\n", encoding="utf-8")
    monkeypatch.chdir(place.data.parent)
    monkeypatch.setenv("ADPOLICY_DATA_DIR", str(place.data))
    before = len(acts(place))
    read = ("run", str(folder), "--policy-source", "kites", "--quiet")
    for main, *arguments in (
        (ops, "reindex"),
        (ingest, *read),
        (ingest, "remove", "kites_policy", "--yes"),
        (ingest, "remove", "--undo", "1"),
        (ops, "rotate-keys"),
    ):
        assert main(arguments) == 0, capsys.readouterr()
    for main, *arguments in (
        (ops, "doctor"),
        (ops, "migrate"),
        (ops, "rotate-keys", "--check"),
        (ops, "audit", "verify"),
        (ingest, "plan", *read[1:]),
        (ingest, "held"),
        (ingest, "changes"),
    ):
        assert main(arguments) == 0, capsys.readouterr()
    done = ["reindex", "ingest_run", "remove", "undo_removal", "rotate_keys"]
    assert acts(place)[before:] == [(act, getpass.getuser()) for act in done]


def test_an_answer_that_is_not_on_record_is_said(place: Place) -> None:
    ended = place.audit("show", "no-such-answer")
    assert (ended.returncode, "There is no answer no-such-answer on record" in ended.stderr) == (2, True)


def test_a_server_puts_answers_failures_and_settings_on_record_and_signs_them(sample_copy: Path) -> None:
    place = Place(sample_copy, "")
    with running_server(sample_copy) as server:
        assert [status(server.web_url, question) for question in (UK, " ")] == [200, 422]
        server.terminate()
        server.process.wait(30)
    verified = place.audit("verify")
    assert verified.returncode == 0
    assert "local: 3 records, signed up to 3" in verified.stdout
    bodies = lines(place.export(), "records.jsonl")
    [settings] = [each["facts"] for each in bodies if each["kind"] == "settings"]
    assert settings["settings"]["slack_signing_secret"] == "set"
    asked = [(each["origin"], each["facts"].get("outcome")) for each in bodies if each["chain"] == "local"]
    assert asked == [("rest", "answer"), ("rest", None), ("rest", "question_empty")]


def status(web_url: str, question: str) -> int:
    """Of the response to a question over REST."""
    connection = http.client.HTTPConnection(web_url.removeprefix("http://"), timeout=30)
    try:
        body, headers = json.dumps({"question": question}), {"Content-Type": "application/json"}
        connection.request("POST", "/api/v1/ask", body, headers)
        return connection.getresponse().status
    finally:
        connection.close()
