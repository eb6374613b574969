"""Checkpoints beside the record against those in the file, and heads that were kept elsewhere."""

import pytest

from adapters.local.signing import Ed25519Signer, new_signing_key
from bot.audit.checkpoints import (
    HEAD_PREFIX,
    ChainHead,
    Checkpoint,
    RecordDatabase,
    head_line,
    read_head_line,
    sign_head,
)
from bot.audit.trust import Trusted, add_file, add_head, trusted
from bot.audit.verification import Finding, Problem
from tests.fakes.audit import NOON, SIGNER, TRUSTED

DATABASE, OLDER = RecordDatabase("d1"), RecordDatabase("d1", has_unnamed=True)
STRANGER = Ed25519Signer(new_signing_key())


def made(count: int, database_id: str = "d1", signer: Ed25519Signer = SIGNER) -> Checkpoint:
    return sign_head(ChainHead("T1", count, f"{count:064}"), NOON, signer, database_id)


def forged(checkpoint: Checkpoint) -> tuple[bytes, str]:
    return checkpoint.statement.replace(b'"d1"', b'"d2"'), checkpoint.signature


def signed(*checkpoints: Checkpoint) -> list[tuple[bytes, str]]:
    return [(each.statement, each.signature) for each in checkpoints]


def compared(
    stored: list[tuple[bytes, str]], file: list[tuple[bytes, str]], database: RecordDatabase = DATABASE
) -> Trusted:
    found = trusted(stored, TRUSTED, database)
    add_file(found, stored, file, TRUSTED, database, SIGNER.key_id)
    return found


def problem(kind: Problem, first: int, last: int, detail: str) -> Finding:
    return Finding("T1", first, last, kind, detail)


CASES = {
    "the same in both": (signed(made(1), made(2)), signed(made(1), made(2)), [], 2, 0),
    "the file is ahead": (signed(made(1)), signed(made(1), made(2)), [], 2, 0),
    "rows were deleted": ([], signed(made(1), made(2)), [], 2, 0),
    "lines of another database": (signed(made(1)), signed(made(9, "d2"), made(1)), [], 1, 1),
    "lines of another database with another key": ([], signed(made(9, "d2", STRANGER)), [], 0, 1),
    "lines of another database before it had an id": (signed(made(1)), signed(made(9, ""), made(1)), [], 1, 1),
    "the file was deleted": (signed(made(1), made(2)), [], [problem(Problem.FILE, 1, 2, "2")], 2, 0),
    "the file was set back": (signed(made(1), made(2)), signed(made(1)), [problem(Problem.FILE, 2, 2, "1")], 2, 0),
    "a line less": (signed(made(1), made(2)), signed(made(2)), [problem(Problem.FILE, 1, 1, "1")], 2, 0),
    "rows of another server": (
        signed(made(1, signer=STRANGER)),
        [],
        [problem(Problem.CHECKPOINT, 1, 1, "unknown key")],
        0,
        0,
    ),
    "a line made one of another database": (
        [],
        [forged(made(1))],
        [problem(Problem.CHECKPOINT, 1, 1, "forged")],
        0,
        0,
    ),
    "a row of another database": (
        signed(made(1, "d2")),
        signed(made(1, "d2")),
        [problem(Problem.CHECKPOINT, 1, 1, "of another database")],
        1,
        0,
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_file_and_rows_are_compared_both_ways(case: str) -> None:
    stored, file, findings, held, elsewhere = CASES[case]
    found = compared(stored, file)
    assert (found.findings, found.held, found.elsewhere) == (findings, held, elsewhere)


def test_checkpoints_without_a_database_count_where_the_record_is_older_than_its_id() -> None:
    found = compared(signed(made(1, "")), signed(made(1, ""), made(2, "")), OLDER)
    assert (found.findings, found.last("T1"), found.elsewhere) == ([], 2, 0)
    assert compared(signed(made(1, "")), [], OLDER).findings == []


def test_a_head_is_one_line_and_reads_as_it_was_made() -> None:
    heads = (ChainHead("T1", 7, "a" * 64), ChainHead("installation", 2, "b" * 64))
    line = head_line(heads, "d1", NOON, SIGNER)
    assert line.isascii()
    assert len(line.split()) == 1
    read = read_head_line(line)
    assert (read.heads, read.database_id, read.key_id) == (heads, "d1", SIGNER.key_id)
    found = Trusted()
    add_head(found, read, TRUSTED, DATABASE)
    assert (found.findings, found.hashes["T1"]) == ([], {7: frozenset({"a" * 64})})


@pytest.mark.parametrize(
    ("signer", "database", "why"),
    [(STRANGER, "d1", "unknown key"), (SIGNER, "d2", "of another database")],
    ids=["unknown key", "another database"],
)
def test_a_head_that_does_not_hold_is_a_finding(signer: Ed25519Signer, database: str, why: str) -> None:
    found = Trusted()
    add_head(
        found, read_head_line(head_line([ChainHead("T1", 7, "a" * 64)], database, NOON, signer)), TRUSTED, DATABASE
    )
    assert (found.findings, found.hashes) == ([Finding("", 0, 0, Problem.KEPT, f"{NOON.isoformat()}: {why}")], {})


def test_a_head_with_another_ones_signature_is_forged() -> None:
    mine, other = (head_line([ChainHead("T1", count, "a" * 64)], "d1", NOON, SIGNER) for count in (7, 8))
    found = Trusted()
    add_head(found, read_head_line(f"{mine.split('.')[0]}.{other.split('.')[1]}"), TRUSTED, DATABASE)
    assert [each.detail for each in found.findings] == [f"{NOON.isoformat()}: forged"]


@pytest.mark.parametrize(
    "text", ["", "x", HEAD_PREFIX, f"{HEAD_PREFIX}e30=.x", f"{HEAD_PREFIX}W10=.x", "é", f"{HEAD_PREFIX}!.x"]
)
def test_what_is_no_head_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        read_head_line(text)
