"""Tampering with a chain: what is found, and which record is named."""

import json
import random
from dataclasses import replace

import pytest

from bot.audit.entries import canonical, digest
from bot.audit.verification import ChainCheck, Finding, Problem, merged
from tests.security.tampering import (
    CHAIN,
    LENGTH,
    SIGNED,
    TAMPERINGS,
    Stored,
    Tampering,
    findings,
    names,
    stored_chain,
    tamper_many,
)

CLEAN = stored_chain()
SIGNED_HASH = CLEAN.rows[SIGNED - 1].hash


def copy() -> Stored:
    return Stored(list(CLEAN.rows), CLEAN.head)


def problems(stored: Stored) -> list[tuple[Problem, int, int]]:
    return [(each.problem, each.first, each.last) for each in findings(stored, SIGNED_HASH)]


def test_an_untouched_chain_has_no_findings() -> None:
    check = ChainCheck(CHAIN, {SIGNED: frozenset({SIGNED_HASH})})
    check.feed(CLEAN.rows[:7])
    check.feed(CLEAN.rows[7:])
    assert check.end(CLEAN.head) == []
    assert (check.records, check.forgotten) == (LENGTH, 0)


def test_an_empty_chain_has_no_findings() -> None:
    assert ChainCheck(CHAIN).end(None) == ChainCheck(CHAIN).end((0, "0" * 64)) == []


def test_an_empty_chain_whose_head_tells_of_a_record_is_found() -> None:
    assert ChainCheck(CHAIN).end((0, SIGNED_HASH)) == [Finding(CHAIN, 0, 0, Problem.HEAD)]


@pytest.mark.parametrize("own", [1, LENGTH])
def test_a_copy_in_the_place_of_another_record_is_named_with_its_original(own: int) -> None:
    stored, original = copy(), CLEAN.rows[own - 1]
    stored.put(8, canonical=original.canonical, hash=original.hash)
    assert {(Problem.REORDERED, 9, 9), (Problem.INSERTED, own, own)} <= set(problems(stored))


@pytest.mark.parametrize("tampering", TAMPERINGS.values(), ids=TAMPERINGS)
def test_every_kind_of_tampering_is_found_wherever_it_is(tampering: Tampering) -> None:
    for seed in range(80):
        stored = copy()
        tampering(stored, random.Random(seed))  # noqa: S311 - the same every time
        found = findings(stored, SIGNED_HASH)
        assert names(found, stored.where), (seed, stored.where, found)


def test_random_tamperings_are_all_found() -> None:
    assert tamper_many(300, seed=11) == (300, 300)


def test_a_changed_record_is_named_alone() -> None:
    stored = copy()
    stored.put(8, canonical=CLEAN.rows[8].canonical.replace(b"bench", b"bensh", 1))
    assert problems(stored) == [(Problem.CHANGED, 9, 9)]


def test_a_record_rewritten_with_its_hash_is_given_away_by_the_next() -> None:
    stored = copy()
    text = canonical({**json.loads(CLEAN.rows[8].canonical), "origin": "elsewhere"})
    stored.put(8, canonical=text, hash=digest(text))
    assert (Problem.CHANGED, 9, 9) in problems(stored)


def test_a_record_that_cannot_be_read_is_changed_though_its_hash_fits() -> None:
    stored, text = copy(), b"no JSON"
    stored.put(8, canonical=text, hash=digest(text))
    assert (Problem.CHANGED, 9, 9) in problems(stored)


def test_the_last_record_rewritten_with_its_hash_is_given_away_by_the_head() -> None:
    stored = copy()
    text = canonical({**json.loads(CLEAN.rows[-1].canonical), "subject": "other"})
    stored.put(LENGTH - 1, canonical=text, hash=digest(text))
    assert (Problem.HEAD, LENGTH, LENGTH) in problems(stored)


def test_removed_records_are_named_by_their_gap() -> None:
    stored = copy()
    del stored.rows[3:6]
    assert problems(stored) == [(Problem.REMOVED, 4, 6)]


def test_a_removed_record_is_named_though_the_others_closed_up() -> None:
    stored = copy()
    TAMPERINGS["remove_and_close_up"](stored, random.Random(1))  # noqa: S311
    assert (Problem.REMOVED, stored.where, stored.where) in problems(stored)


def test_an_inserted_record_is_named() -> None:
    stored = copy()
    TAMPERINGS["insert"](stored, random.Random(2))  # noqa: S311
    assert (Problem.INSERTED, stored.where, stored.where) in problems(stored)


def test_records_behind_the_head_are_somebody_elses() -> None:
    stored = copy()
    stored.head = (LENGTH - 2, CLEAN.rows[-3].hash)
    assert problems(stored) == [(Problem.INSERTED, LENGTH - 1, LENGTH)]


def test_exchanged_records_are_named_both() -> None:
    stored = copy()
    one, other = stored.rows[4], stored.rows[10]
    stored.rows[4], stored.rows[10] = replace(other, sequence=5), replace(one, sequence=11)
    assert problems(stored) == [(Problem.REORDERED, 5, 5), (Problem.REORDERED, 11, 11)]


def test_a_record_of_another_chain_is_somebody_elses() -> None:
    stored = copy()
    body = json.loads(CLEAN.rows[4].canonical)
    text = canonical({**body, "chain": "another"})
    stored.put(4, canonical=text, hash=digest(text))
    assert (Problem.INSERTED, 5, 5) in problems(stored)


def test_a_tail_that_was_cut_off_is_missed_as_far_as_it_was_signed() -> None:
    stored = copy()
    del stored.rows[10:]
    stored.head = (10, CLEAN.rows[9].hash)
    assert problems(stored) == [(Problem.REMOVED, 11, SIGNED)]
    del stored.rows[:]
    stored.head = (0, "0" * 64)
    assert problems(stored) == [(Problem.REMOVED, 1, SIGNED)]


def test_behind_the_last_checkpoint_a_cut_with_its_head_is_not_found() -> None:
    """What is promised ends here; `ops/docs/audit.md` says so."""
    stored = copy()
    del stored.rows[SIGNED + 1 :]
    stored.head = (SIGNED + 1, CLEAN.rows[SIGNED].hash)
    assert problems(stored) == []


def test_two_checkpoints_that_disagree_are_no_proof_of_either() -> None:
    check = ChainCheck(CHAIN, {SIGNED: frozenset({SIGNED_HASH, "0" * 64})})
    check.feed(CLEAN.rows)
    assert [each.problem for each in check.end(CLEAN.head)] == [Problem.REWRITTEN]


def test_forgotten_fields_are_counted_and_no_finding() -> None:
    stored = copy()
    stored.put(3, personal={}, person=None)
    check = ChainCheck(CHAIN)
    check.feed(stored.rows)
    assert (check.end(stored.head), check.forgotten) == ([], 1)


def test_deleted_fields_are_a_finding_and_not_counted_as_forgotten() -> None:
    stored = copy()
    stored.put(3, personal=None, person=None)
    check = ChainCheck(CHAIN)
    check.feed(stored.rows)
    assert (check.end(stored.head), check.forgotten) == ([Finding(CHAIN, 4, 4, Problem.GONE)], 0)


def test_a_row_under_which_a_forgotten_person_is_still_found_is_a_finding() -> None:
    stored = copy()
    stored.put(3, personal={})
    check = ChainCheck(CHAIN)
    check.feed(stored.rows)
    assert check.end(stored.head) == [Finding(CHAIN, 4, 4, Problem.PERSONAL, "person")]


def test_a_person_under_whom_nothing_would_be_found_is_a_finding() -> None:
    stored = copy()
    stored.put(3, person="somebody else")
    assert findings(stored, SIGNED_HASH) == [Finding(CHAIN, 4, 4, Problem.PERSONAL, "person")]


@pytest.mark.parametrize("field", [{"salt": "no hex", "value": "x"}, "text", {}, None])
def test_personal_fields_that_cannot_be_read_are_findings(field: object) -> None:
    stored = copy()
    stored.put(3, personal={**(CLEAN.rows[3].personal or {}), "understood": field})
    assert findings(stored, SIGNED_HASH) == [Finding(CHAIN, 4, 4, Problem.PERSONAL, "understood")]


def test_neighbouring_findings_are_one() -> None:
    each = [Finding("c", n, n, Problem.CHANGED) for n in (5, 3, 4, 9)]
    assert merged([*each, each[0]]) == [Finding("c", 3, 5, Problem.CHANGED), Finding("c", 9, 9, Problem.CHANGED)]
