"""Somebody who may write to the database changes a chain, and is found, or not."""

import json
import random
from collections.abc import Callable
from dataclasses import dataclass, replace

from bot.audit.entries import BEGINNING, SealedRecord, canonical, digest, moment, seal
from bot.audit.verification import ChainCheck, Finding, Problem, StoredRecord, forgotten, forgotten_findings
from ops.bench.audit import made_entry

CHAIN = "bench-tampered"
LENGTH = 24
SIGNED = 18
"""How far a checkpoint covers the chain."""
FORGOTTEN = (4, 9)
"""Records whose personal fields were forgotten, when the chain was no longer than the last of them."""


@dataclass(slots=True)
class Stored:
    """A chain as it lies in the database; `head`: count and hash. `where`: the sequence that was tampered with.
    `forgotten`: records of which an act says so."""

    rows: list[StoredRecord]
    head: tuple[int, str]
    where: int = 0
    forgotten: tuple[int, ...] = ()

    def put(self, index: int, **changes: object) -> None:
        self.rows[index] = replace(self.rows[index], **changes)  # type: ignore[arg-type]
        self.where = index + 1


Tampering = Callable[[Stored, random.Random], None]


def stored_chain(length: int = LENGTH, forgotten: tuple[int, ...] = ()) -> Stored:
    rows, previous = [], BEGINNING
    for sequence in range(1, length + 1):
        sealed = seal(made_entry(CHAIN, sequence), sequence, previous, lambda: "00" * 16)
        previous = sealed.hash
        row = _row(sealed)
        rows.append(replace(row, personal={}, person=None) if sequence in forgotten else row)
    return Stored(rows, (length, previous), forgotten=forgotten)


def _row(sealed: SealedRecord) -> StoredRecord:
    entry = sealed.entry
    columns = (entry.record_id, entry.kind.value, moment(entry.at), entry.subject, entry.origin)
    personal = {name: {"salt": each.salt, "value": each.value} for name, each in sealed.personal.items()}
    return StoredRecord(
        sealed.sequence, sealed.hash, sealed.canonical, columns, personal, sealed.personal["person"].value
    )


def change_bytes(stored: Stored, chance: random.Random) -> None:
    """One bit of a record."""
    index = chance.randrange(len(stored.rows))
    text = bytearray(stored.rows[index].canonical)
    text[chance.randrange(len(text))] ^= 1 << chance.randrange(8)
    stored.put(index, canonical=bytes(text))


def change_hash(stored: Stored, chance: random.Random) -> None:
    index = chance.randrange(len(stored.rows))
    stored.put(index, hash=f"{chance.getrandbits(256):064x}")


def rewrite_one(stored: Stored, chance: random.Random) -> None:
    """Another record, with its own right hash."""
    index = chance.randrange(len(stored.rows))
    text = _rewritten(stored.rows[index], None, chance)
    stored.put(index, canonical=text, hash=digest(text))


def rewrite_rest(stored: Stored, chance: random.Random) -> None:
    """Another record, and all behind it chained to it anew, head and all; a checkpoint knows better."""
    first = chance.randrange(SIGNED)
    previous: str | None = None
    for index in range(first, len(stored.rows)):
        text = _rewritten(stored.rows[index], previous, chance)
        previous = digest(text)
        stored.put(index, canonical=text, hash=previous)
    stored.head, stored.where = (len(stored.rows), previous or ""), first + 1


def _rewritten(row: StoredRecord, previous: str | None, chance: random.Random) -> bytes:
    body = json.loads(row.canonical)
    body["facts"]["outcome"] = f"something else {chance.getrandbits(32)}"
    return canonical(body if previous is None else {**body, "previous": previous})


def remove(stored: Stored, chance: random.Random) -> None:
    stored.where = chance.randrange(len(stored.rows)) + 1
    del stored.rows[stored.where - 1]


def remove_and_close_up(stored: Stored, chance: random.Random) -> None:
    """So that no number is missing. Never the last one: behind the last checkpoint nobody can tell."""
    stored.where = chance.randrange(len(stored.rows) - 1) + 1
    del stored.rows[stored.where - 1]
    _renumber(stored)
    stored.head = (len(stored.rows), stored.rows[-1].hash)


def cut_off(stored: Stored, chance: random.Random) -> None:
    """The end, with the head set back to what is left."""
    left = chance.randrange(SIGNED)
    del stored.rows[left:]
    stored.head, stored.where = (left, stored.rows[-1].hash if left else BEGINNING), left + 1


def insert(stored: Stored, chance: random.Random) -> None:
    """A record of the tamperer's own, chained to the one before."""
    index = chance.randrange(1, len(stored.rows))
    before = stored.rows[index - 1]
    sealed = seal(made_entry(CHAIN, 10_000 + chance.randrange(1_000)), index + 1, before.hash, lambda: "11" * 16)
    stored.rows.insert(index, _row(sealed))
    _renumber(stored)
    stored.head, stored.where = (len(stored.rows), stored.rows[-1].hash), index + 1


def swap(stored: Stored, chance: random.Random) -> None:
    one, other = sorted(chance.sample(range(len(stored.rows)), 2))
    stored.rows[one], stored.rows[other] = stored.rows[other], stored.rows[one]
    _renumber(stored)
    stored.where = one + 1


def change_column(stored: Stored, chance: random.Random) -> None:
    index = chance.randrange(len(stored.rows))
    columns = list(stored.rows[index].columns or ())
    columns[chance.randrange(len(columns))] += "x"
    stored.put(index, columns=tuple(columns))


def change_personal(stored: Stored, chance: random.Random) -> None:
    index = chance.choice([index for index, row in enumerate(stored.rows) if row.personal])
    personal = {name: dict(each) for name, each in (stored.rows[index].personal or {}).items()}
    name = chance.choice(sorted(personal))
    match chance.randrange(3):
        case 0:
            personal[name]["value"] += "x"
        case 1:
            personal[name]["salt"] = f"{chance.getrandbits(128):032x}"
        case _:
            del personal[name]
    stored.put(index, personal=personal)


def delete_personal(stored: Stored, chance: random.Random) -> None:
    """The row with the personal fields, of a record that nobody forgot or of one that somebody did."""
    stored.put(chance.randrange(len(stored.rows)), personal=None, person=None)


def empty_personal(stored: Stored, chance: random.Random) -> None:
    """As forgetting leaves it, but no act says so."""
    index = chance.choice([index for index, row in enumerate(stored.rows) if row.personal])
    stored.put(index, personal={}, person=None)


def _renumber(stored: Stored) -> None:
    stored.rows = [replace(each, sequence=number) for number, each in enumerate(stored.rows, 1)]


TAMPERINGS: dict[str, Tampering] = {
    each.__name__: each
    for each in (
        change_bytes,
        change_hash,
        rewrite_one,
        rewrite_rest,
        remove,
        remove_and_close_up,
        cut_off,
        insert,
        swap,
        change_column,
        change_personal,
        delete_personal,
        empty_personal,
    )
}


def findings(stored: Stored, signed: str) -> list[Finding]:
    """`signed`: the hash that the checkpoint at SIGNED tells."""
    check = ChainCheck(CHAIN, {SIGNED: frozenset({signed})})
    check.feed(stored.rows)
    empty = [each.sequence for each in stored.rows if each.personal == {}]
    told = forgotten(stored.forgotten, max(stored.forgotten, default=0))
    return [*check.end(stored.head), *forgotten_findings(CHAIN, empty, told)]


def names(found: list[Finding], where: int) -> bool:
    """Whether a finding is about this record."""
    return any(each.first <= where <= each.last for each in found)


def tamper_many(count: int, seed: int = 7) -> tuple[int, int]:
    """How many of `count` random tamperings were found, the record named. Raises ValueError if an untouched chain does
    not verify."""
    chance, clean = random.Random(seed), stored_chain(forgotten=FORGOTTEN)  # noqa: S311 - the same every time
    signed = clean.rows[SIGNED - 1].hash
    if findings(clean, signed):
        raise ValueError("a chain that nobody touched does not verify")
    kinds, found = list(TAMPERINGS.values()), 0
    for _ in range(count):
        stored, kind = replace(clean, rows=list(clean.rows)), chance.choice(kinds)
        kind(stored, chance)
        told = findings(stored, signed)
        if kind is not empty_personal:  # that too many are empty tells of nothing else
            told = [each for each in told if each.problem is not Problem.FORGOTTEN]
        found += names(told, stored.where)
    return found, count
