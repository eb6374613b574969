"""`python -m ingest run`, killed in the middle of many documents and run again."""

import json
import os
import signal
import sqlite3
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from tests.fakes.program import environment, run, started

DOCUMENTS, PARTS = 60, 6


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    for number in range(DOCUMENTS):
        parts = "\n\n".join(
            f"## Part {at}\n\n" + f"Rule {at} of policy {number} forbids these ads in every place. " * 4
            for at in range(PARTS)
        )
        (folder / f"policy-{number:02}.md").write_text(f"# Policy {number}\n\n{parts}\n", encoding="utf-8")
    return folder


FIVE_VERSIONS = "SELECT count(*) FROM versions"
OF_CHUNKS = "SELECT count(*) FROM embeddings WHERE content_hash IN (SELECT content_hash FROM chunks)"


def count(store: Path, what: str) -> int:
    """One figure out of the store; 0 as long as there is none."""
    with closing(sqlite3.connect(f"file:{store}?mode=ro", uri=True)) as connection:
        try:
            return int(connection.execute(what).fetchone()[0])
        except sqlite3.OperationalError:
            return 0


def killed_in_the_middle(
    command: list[str], env: dict[str, str], cwd: Path, store: Path, until: str = FIVE_VERSIONS
) -> None:
    """`until`: what counts to 5 or more when it is killed."""
    with Path(os.devnull).open("wb") as nothing:
        process = started(command, env, cwd, nothing.fileno(), nothing.fileno())
    with process:
        give_up = time.monotonic() + 60
        while not (store.exists() and count(store, until) >= 5):
            assert process.poll() is None
            assert time.monotonic() < give_up
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)


def test_killed_in_the_middle_and_run_again_everything_is_there_once(docs: Path, tmp_path: Path) -> None:
    env, store = environment(tmp_path / "data"), tmp_path / "data" / "adpolicy.sqlite3"
    arguments = ["run", str(docs), "--policy-source", "acme", "--display-name", "Acme", "--format", "json", "--quiet"]
    killed_in_the_middle([sys.executable, "-m", "ingest", *arguments], env, tmp_path, store)
    stored, embedded = count(store, FIVE_VERSIONS), count(store, "SELECT count(*) FROM embeddings")
    assert 5 <= stored < DOCUMENTS

    ended = run("ingest", *arguments, env=env, cwd=tmp_path)

    report = json.loads(ended.stdout)
    assert ended.returncode == 0
    assert (report["new"], report["unchanged"], report["failed"]) == (DOCUMENTS - stored, stored, [])
    hashes = count(store, "SELECT count(DISTINCT content_hash) FROM chunks")
    assert hashes == DOCUMENTS * PARTS
    assert report["embedded"] == hashes - embedded
    assert count(store, OF_CHUNKS) == hashes
    assert count(store, "SELECT count(*) FROM versions") == DOCUMENTS
    assert count(store, "SELECT count(*) FROM outbox") == 0
    doctor = run("ops", "doctor", env=env, cwd=tmp_path)
    assert doctor.returncode == 0, doctor.stdout + doctor.stderr


def test_killed_while_rules_are_read_the_next_run_reads_the_others(docs: Path, tmp_path: Path) -> None:
    env, store = environment(tmp_path / "data"), tmp_path / "data" / "adpolicy.sqlite3"
    arguments = ["run", str(docs), "--policy-source", "acme", "--display-name", "Acme", "--format", "json", "--quiet"]
    chunks_read = "SELECT count(*) FROM chunk_readings"
    killed_in_the_middle([sys.executable, "-m", "ingest", *arguments], env, tmp_path, store, until=chunks_read)
    before = count(store, chunks_read)
    assert 5 <= before < DOCUMENTS * PARTS

    report = json.loads(run("ingest", *arguments, env=env, cwd=tmp_path).stdout)

    assert (report["unchanged"], report["rules_not_read"]) == (DOCUMENTS, None)
    assert report["rules_read"] == DOCUMENTS * PARTS - before
    assert count(store, chunks_read) == DOCUMENTS * PARTS
    without = "SELECT count(*) FROM policy_rules WHERE text_hash NOT IN (SELECT content_hash FROM embeddings)"
    assert (count(store, without), count(store, "SELECT count(*) FROM policy_rules") > 0) == (0, True)
