"""Whether a chain is as it was written, and if not, where.

Sure to be found: every change of a record's bytes or hash, every record that is missing, added or elsewhere, as far as
a later record, the head or a signed checkpoint tells otherwise. Not to be found: the end of a chain, rewritten together
with the head, behind the last checkpoint.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from bot.record.entries import BEGINNING, body_of, digest
from bot.record.personal import PERSON, PersonalFields, PersonalValue, personal_hash

COLUMNS = ("record_id", "kind", "at", "subject", "origin")


class Problem(StrEnum):
    CHANGED = "changed"
    REMOVED = "removed"
    INSERTED = "inserted"
    REORDERED = "reordered"
    COLUMN = "column"
    PERSONAL = "personal"
    GONE = "gone"
    EMPTIED = "emptied"
    FORGOTTEN = "forgotten"
    ANSWER = "answer"
    DELETED = "deleted"
    FORGETTING = "forgetting"
    CORRECTION = "correction"
    HEAD = "head"
    REWRITTEN = "rewritten"
    CHECKPOINT = "checkpoint"
    FILE = "file"
    KEPT = "kept"


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """`first` to `last`: sequences of the records it is about. `detail`: a column's name, a place, a key."""

    chain: str
    first: int
    last: int
    problem: Problem
    detail: str = ""


@dataclass(frozen=True, slots=True)
class StoredRecord:
    """A record as it is stored. `columns` in the order of COLUMNS, moments as records write them; None: not looked at,
    and `personal` neither. `personal` None: there is no such row; empty: forgotten (see `bot.record.forgetting`).
    `person`: the column by which people are found."""

    sequence: int
    hash: str
    canonical: bytes
    columns: tuple[str, ...] | None = None
    personal: Mapping[str, Any] | None = None
    person: str | None = None


@dataclass(slots=True)
class _Seen:
    """The record before: its hash as told by its bytes; `whole`: bytes and stored hash agree, and it is in place."""

    sequence: int = 0
    digest: str = BEGINNING
    whole: bool = True


@dataclass(slots=True)
class ChainCheck:
    """Takes the records of one chain in the order of their sequence, then its head. Pure.

    `checkpoints`: the hashes that trusted checkpoints tell, by count.
    """

    chain: str
    checkpoints: Mapping[int, frozenset[str]] = field(default_factory=dict)
    records: int = 0
    forgotten: int = 0
    _findings: list[Finding] = field(default_factory=list)
    _last: _Seen = field(default_factory=_Seen)
    _displaced: dict[int, int] = field(default_factory=dict)
    _confirmed: int = 0

    @property
    def last(self) -> int:
        """The sequence of the last record that was fed; 0: none."""
        return self._last.sequence

    def feed(self, records: Iterable[StoredRecord]) -> None:
        for record in records:
            self._check(record)

    def end(self, head: tuple[int, str] | None) -> list[Finding]:
        """All that was found, in order. `head`: count and hash as the store has them; None: it has no such chain."""
        self._check_head(head)
        self._check_order()
        beyond = [count for count in self.checkpoints if count > self._last.sequence]
        if beyond:
            self._found(Problem.REMOVED, self._last.sequence + 1, max(beyond))
        return merged(self._findings)

    def _check(self, record: StoredRecord) -> None:
        self.records += 1
        before, place = self._last, record.sequence
        if place != before.sequence + 1:
            self._found(Problem.REMOVED, before.sequence + 1, place - 1)
        told = digest(record.canonical)
        self._last = seen = _Seen(place, told, told == record.hash)
        body = _read(record.canonical)
        if body is None or not seen.whole:
            seen.whole = False
            self._found(Problem.CHANGED, place)
            return
        if (body.get("sequence"), body.get("chain")) != (place, self.chain):
            seen.whole = False
            self._displace(place, body)
            return
        if before.whole and place == before.sequence + 1 and body.get("previous") != before.digest:
            self._found(Problem.CHANGED, max(before.sequence, 1))
        self._check_checkpoint(place, told)
        if record.columns is not None:
            self._check_columns(record, record.columns, body)

    def _displace(self, place: int, body: Mapping[str, Any]) -> None:
        own = body.get("sequence")
        if body.get("chain") == self.chain and isinstance(own, int):
            self._displaced[place] = own
        else:  # it belongs to another chain
            self._found(Problem.INSERTED, place)

    def _check_checkpoint(self, place: int, told: str) -> None:
        if (wanted := self.checkpoints.get(place)) is None:
            return
        if wanted == {told}:
            self._confirmed = place
        else:
            self._found(Problem.REWRITTEN, self._confirmed + 1, place)

    def _check_head(self, head: tuple[int, str] | None) -> None:
        last = self._last
        count, hash_ = head or (0, BEGINNING)
        if count > last.sequence:
            self._found(Problem.REMOVED, last.sequence + 1, count)
        elif count < last.sequence:
            self._found(Problem.INSERTED, count + 1, last.sequence)
        elif hash_ != last.digest and last.whole:
            self._found(Problem.HEAD, last.sequence)

    def _check_order(self) -> None:
        """Records that do not stand where they say."""
        if not self._displaced:
            return
        owners: dict[int, int] = {}
        for place, own in self._displaced.items():
            owners[own] = owners.get(own, 0) + 1
            self._found(Problem.REORDERED, place, detail=f"{own - place:+d}")
        for own, count in owners.items():
            stands = 0 < own <= self._last.sequence and own not in self._displaced
            if count > 1 or stands:
                self._found(Problem.INSERTED, own)
        highest = max(owners)
        for place in self._displaced:
            if place not in owners and place <= highest:
                self._found(Problem.REMOVED, place)

    def _check_columns(self, record: StoredRecord, columns: Sequence[str], body: Mapping[str, Any]) -> None:
        for name, value in zip(COLUMNS, columns, strict=True):
            if body.get(name) != value:
                self._found(Problem.COLUMN, record.sequence, detail=name)
        hashes = body.get("personal") or {}
        if record.personal is None:
            if hashes:
                self._found(Problem.GONE, record.sequence)
            return
        self._check_personal(record, hashes, record.personal)

    def _check_personal(self, record: StoredRecord, hashes: Mapping[str, str], personal: Mapping[str, Any]) -> None:
        self.forgotten += not personal
        fields = _fields(personal)
        for name in sorted({*hashes, *fields} if personal else ()):
            if name not in fields or _hash(fields[name]) != hashes.get(name):
                self._found(Problem.PERSONAL, record.sequence, detail=name)
        person = fields.get(PERSON)
        if record.person != (person.value if person else None):
            self._found(Problem.PERSONAL, record.sequence, detail=PERSON)

    def _found(self, problem: Problem, first: int, last: int | None = None, detail: str = "") -> None:
        self._findings.append(Finding(self.chain, first, first if last is None else last, problem, detail))


def merged(findings: Iterable[Finding]) -> list[Finding]:
    """Each once, neighbours of one kind as one, in order."""
    found: list[Finding] = []
    for each in sorted(set(findings), key=lambda each: (each.problem, each.detail, each.first)):
        before = found[-1] if found else None
        if before and (before.problem, before.detail) == (each.problem, each.detail) and each.first <= before.last + 1:
            found[-1] = Finding(each.chain, before.first, max(before.last, each.last), each.problem, each.detail)
        else:
            found.append(each)
    return sorted(found)


def _read(text: bytes) -> dict[str, Any] | None:
    try:
        return body_of(text)
    except ValueError:
        return None


def _fields(stored: Mapping[str, Any]) -> PersonalFields:
    """What cannot be read is a field that does not hold."""
    found = {}
    for name, value in stored.items():
        pair = value if isinstance(value, Mapping) else {}
        found[name] = PersonalValue(str(pair.get("salt", "")), str(pair.get("value", "")))
    return found


def _hash(field_: PersonalValue) -> str | None:
    try:
        return personal_hash(field_)
    except ValueError:
        return None
