"""Tamperings of somebody who may write to the database and the data folder, run on copies of one that answered."""

import json
import shutil
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from bot.audit.entries import canonical, digest
from tests.fakes.program import environment, run

UK, TOBACCO = "can I advertise alcohol in the UK", "are ads for tobacco allowed"
TAMPERED = "The record was tampered with, or damaged"


@dataclass(frozen=True)
class Office:
    """A data folder with two answers on record; `database` is its owner's connection."""

    data: Path
    database: sqlite3.Connection
    head: str

    def do(self, *statements: str) -> None:
        for statement in statements:
            self.database.execute(statement)
        self.database.commit()

    def ask(self, *arguments: str) -> Any:
        return run(*arguments, env=environment(self.data), cwd=self.data.parent)

    def verify(self, *arguments: str) -> str:
        """What `verify` finds, line by line; nothing where the record is as it was written."""
        ended = self.ask("ops", "audit", "verify", *arguments)
        assert ended.returncode == int(TAMPERED in ended.stdout), ended.stdout + ended.stderr
        return "\n".join(line.strip() for line in ended.stdout.splitlines() if line.startswith("      "))

    def rechain(self, chain: str, edit: Callable[[dict[str, Any]], None]) -> None:
        """All records of a chain written anew, each with what is true of it by then, and the head as well."""
        previous, count = "0" * 64, 0
        rows = self.database.execute("SELECT canonical FROM audit_records WHERE chain = ? ORDER BY sequence", [chain])
        for count, (text,) in enumerate(rows.fetchall(), start=1):
            body = json.loads(text)
            edit(body)
            text = canonical(body | {"previous": previous})
            previous = digest(text)
            self.database.execute(
                "UPDATE audit_records SET canonical = ?, hash = ? WHERE chain = ? AND sequence = ?",
                [text, previous, chain, count],
            )
        self.database.execute(
            "UPDATE audit_chains SET hash = ?, sequence = ? WHERE chain = ?", [previous, count, chain]
        )
        self.database.commit()

    def append(self, act: str, facts: dict[str, Any]) -> None:
        """An act that nobody did, at the end of the chain of the installation, as this program would write it."""
        row = "SELECT sequence + 1, hash FROM audit_chains WHERE chain = 'installation'"
        sequence, previous = self.database.execute(row).fetchone()
        body = {
            "at": "2030-01-01T00:00:00.000001+00:00",
            "chain": "installation",
            "facts": {"act": act, **facts},
            "format": 1,
            "kind": "administration",
            "origin": "ops",
            "personal": {},
            "previous": previous,
            "record_id": act,
            "sequence": sequence,
            "subject": "",
        }
        text = canonical(body)
        values = ["installation", sequence, act, "administration", "2030-01-01 00:00:00.000001", "", "ops"]
        self.database.execute(
            "INSERT INTO audit_records (chain, sequence, record_id, kind, at, subject, origin, hash, canonical) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [*values, digest(text), text],
        )
        self.database.execute(
            "UPDATE audit_chains SET sequence = ?, hash = ? WHERE chain = ?", [sequence, digest(text), "installation"]
        )
        self.database.commit()


@pytest.fixture(scope="session")
def _asked(sample_store: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    folder = tmp_path_factory.mktemp("attacked")
    data = Path(shutil.copytree(sample_store, folder / "data"))
    env = environment(data)
    for question in (UK, TOBACCO):
        ended = run("bot", "ask", question, "--format", "json", env=env, cwd=folder)
        assert ended.returncode == 0, ended.stderr
    return data, run("ops", "audit", "head", env=env, cwd=folder).stdout.strip()


@pytest.fixture
def office(_asked: tuple[Path, str], tmp_path: Path) -> Any:
    data = Path(shutil.copytree(_asked[0], tmp_path / "data"))
    connection = sqlite3.connect(data / "adpolicy.sqlite3")
    for guard in ("update", "delete"):
        connection.execute(f"DROP TRIGGER audit_records_stay_{guard}")
    yield Office(data, connection, _asked[1])
    connection.close()


def rewrite(office: Office) -> None:
    def edit(body: dict[str, Any]) -> None:
        if body["sequence"] == 2:
            body["facts"]["verdicts"] = []

    office.rechain("local", edit)


def renumber(office: Office) -> None:
    office.do(
        "DELETE FROM audit_personal WHERE chain = 'local' AND sequence <= 2",
        "DELETE FROM audit_records WHERE chain = 'local' AND sequence <= 2",
        "UPDATE audit_records SET sequence = sequence - 2 WHERE chain = 'local'",
        "UPDATE audit_personal SET sequence = sequence - 2 WHERE chain = 'local'",
        "DELETE FROM audit_checkpoints WHERE chain = 'local'",
    )
    office.rechain("local", lambda body: body.update(sequence=body["sequence"] - 2))


def rename(office: Office) -> None:
    office.do(
        "UPDATE audit_records SET chain = 'elsewhere' WHERE chain = 'local'",
        "UPDATE audit_personal SET chain = 'elsewhere' WHERE chain = 'local'",
        "UPDATE audit_chains SET chain = 'elsewhere' WHERE chain = 'local'",
    )
    office.rechain("elsewhere", lambda body: body.update(chain="elsewhere"))


def replace_key(office: Office) -> None:
    (office.data / "audit-signing.key").unlink()


def swap_answers(office: Office) -> None:
    first, second = (each for (each,) in office.database.execute("SELECT answer_id FROM answers").fetchall())
    for before, after in ((first, "-"), (second, first), ("-", second)):
        office.database.execute("UPDATE answers SET answer_id = ? WHERE answer_id = ?", [after, before])
    office.database.commit()


def swap_personal(office: Office) -> None:
    for before, after in ((2, 9), (4, 2), (9, 4)):
        moved = "UPDATE audit_personal SET sequence = ? WHERE chain = 'local' AND sequence = ?"
        office.database.execute(moved, [after, before])
    office.database.commit()


def statement(*given: str) -> Callable[[Office], None]:
    return lambda office: office.do(*given)


FOUND: dict[str, tuple[Callable[[Office], None], str]] = {
    "a record rewritten with all hashes": (rewrite, "rewritten: a signed checkpoint"),
    "a personal field changed": (
        statement("UPDATE audit_personal SET fields = replace(fields, 'alcohol', 'tobacco') WHERE sequence = 1"),
        "local, record 1: the personal field asked is not what was recorded",
    ),
    "personal fields of two answers exchanged": (swap_personal, "the personal field stored is not what was recorded"),
    "answers exchanged": (swap_answers, "the answer in the table of answers is another one"),
    "time of an answer": (
        statement("UPDATE answers SET answered_at = '2026-01-01 00:00:00.000000'"),
        "another one (time)",
    ),
    "person of an answer": (statement("UPDATE answers SET person = 'p1:x'"), "another one (person)"),
    "trace of an answer": (statement("UPDATE answers SET trace = '{}'"), "another one (trace)"),
    "an answer deleted while a forgetting seems to run": (
        statement(
            "DELETE FROM answers",
            "INSERT INTO forgettings (person, begun_at) VALUES ('p1:x', '2026-01-01 00:00:00.000000')",
        ),
        "a forgetting is not finished",
    ),
    "an answer deleted and its fields emptied": (
        statement(
            "DELETE FROM answers", "UPDATE audit_personal SET fields = '{}', person = NULL WHERE chain = 'local'"
        ),
        "the personal fields were emptied, and no act on record forgot them",
    ),
    "a chain renumbered": (renumber, "local, records 3 to 4: removed"),
    "a chain renamed": (rename, "local, records 1 to 4: removed"),
    "the id of the database replaced": (
        statement("UPDATE audit_database SET database_id = '11111111-2222-4333-8444-555555555555'"),
        "of another database",
    ),
    "the signing key replaced": (replace_key, "a checkpoint does not hold (unknown key)"),
    "a correction without an act": (
        statement(
            "INSERT INTO rule_corrections (document_id, rule_hash, effect, person, at, note) SELECT document_id, "
            "rule_hash, 'allows', 'x', '2026-01-01 00:00:00.000000', '' FROM policy_rules LIMIT 1"
        ),
        "is not what the acts on record say",
    ),
}


@pytest.mark.parametrize("attack", FOUND)
def test_tampering_is_found_by_verify(office: Office, attack: str) -> None:
    tamper, finding = FOUND[attack]
    tamper(office)
    assert finding in office.verify()


def test_a_database_of_another_id_without_checkpoints_is_found_by_a_head_kept_elsewhere(office: Office) -> None:
    office.do("UPDATE audit_database SET database_id = '1'", "DELETE FROM audit_checkpoints")
    assert office.verify() == ""
    assert "of another database" in office.verify("--head", office.head)


FORGED: dict[str, dict[str, Any]] = {
    "forget": {"forgotten": {"local": {"count": 4, "hash": digest(b"1\n2\n3\n4\n"), "length": 4}}},
    "retention": {"retained_since": {"answers": "2029-12-31T00:00:00.000000+00:00"}},
}


@pytest.mark.parametrize("act", FORGED)
def test_a_forged_act_that_covers_a_deletion_is_no_finding_and_is_on_record(office: Office, act: str) -> None:
    if act == "forget":
        office.do("UPDATE audit_personal SET fields = '{}', person = NULL WHERE chain = 'local'")
    office.do("DELETE FROM answers")
    assert office.verify() != ""
    office.append(act, FORGED[act])
    assert office.verify() == ""


BESIDE = {
    "readings": "UPDATE policy_rules SET reading = json_set(reading, '$.no_rule', 0.99)",
    "vectors": "UPDATE embeddings SET vector = zeroblob(length(vector))",
    "corrections": (
        "INSERT INTO rule_corrections (document_id, rule_hash, effect, person, at, note) SELECT DISTINCT document_id, "
        "rule_hash, 'allows', 'x', '2026-01-01 00:00:00.000000', '' FROM policy_rules"
    ),
    "places": "UPDATE chunks SET regions = '[\"fr\"]'",
    "days": "UPDATE chunks SET effective_from = '2020-01-01'",
    "lead-ins": "UPDATE chunks SET lead_in = 'Allowed are:'",
    "texts": "UPDATE chunks SET chunk_text = replace(chunk_text, 'prohibited', 'allowed')",
}


@pytest.mark.parametrize("what", BESIDE)
def test_nothing_is_answered_from_what_was_changed_and_doctor_names_it(office: Office, what: str) -> None:
    office.do(BESIDE[what])
    ended = office.ask("bot", "ask", TOBACCO, "--format", "json")
    assert ended.returncode != 0, ended.stdout
    assert "changed in the database" in ended.stderr
    ended = office.ask("ops", "doctor")
    assert ended.returncode == 1
    assert "changed in the database" in ended.stdout
