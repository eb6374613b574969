"""Whether a chain is as it was written, and if not, where.

Sure to be found: every change of a record's bytes or hash, every record that is missing, added or elsewhere, as far as
a later record, the head or a signed checkpoint tells otherwise. Not to be found: the end of a chain, rewritten together
with the head, behind the last checkpoint.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from bot.audit.entries import (
    BEGINNING,
    INSTALLATION,
    PERSON,
    PersonalFields,
    PersonalValue,
    RecordKind,
    body_of,
    canonical,
    digest,
    personal_hash,
)
from bot.audit.exchanges import SHOWN
from rag_core.errors import Rejected

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
    and `personal` neither. `personal` None: there is no such row; empty: forgotten (see `bot.audit.verification`).
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


FORGOTTEN = "forgotten"
"""The member of an act's facts."""


@dataclass(frozen=True, slots=True)
class Forgotten:
    """Of a chain that had `length` records: `count` of them empty, `hash` tells which."""

    count: int
    hash: str
    length: int


NOTHING = Forgotten(0, hashlib.sha256(b"").hexdigest(), 0)


def forgotten(sequences: Iterable[int], length: int) -> Forgotten:
    """SHA-256 over the sequences in their order, in decimal, each with a line break behind it."""
    found = sorted(sequences)
    return Forgotten(len(found), hashlib.sha256(b"".join(b"%d\n" % each for each in found)).hexdigest(), length)


def forgotten_facts(by_chain: Mapping[str, Forgotten]) -> dict[str, Any]:
    """For the facts of the act."""
    told = {name: {"count": each.count, "hash": each.hash, "length": each.length} for name, each in by_chain.items()}
    return {FORGOTTEN: told} if told else {}


def told_forgotten(bodies: Iterable[Mapping[str, Any]]) -> dict[str, Forgotten]:
    """What the last act of each chain says, from the bodies of acts in any order: nothing is ever remembered again, so
    the last one is that with the most."""
    last: dict[str, Forgotten] = {}
    for body in bodies:
        for chain, told in _told_forgotten(body).items():
            if told.count > last.get(chain, NOTHING).count:
                last[chain] = told
    return last


def _told_forgotten(body: Mapping[str, Any]) -> dict[str, Forgotten]:
    """What is no such statement says nothing."""
    facts = body.get("facts")
    told = facts.get(FORGOTTEN) if isinstance(facts, Mapping) else None
    found = {}
    for chain, each in told.items() if isinstance(told, Mapping) else ():
        try:
            found[str(chain)] = Forgotten(int(each["count"]), str(each["hash"]), int(each["length"]))
        except (KeyError, TypeError, ValueError):
            continue
    return found


def forgotten_findings(chain: str, empty: Sequence[int], told: Forgotten = NOTHING) -> Iterator[Finding]:
    """`empty`: the sequences of the records without personal fields, as the store has them, in order.

    A record that came after the last act is named. Among those before it, one too many is found, and lies somewhere
    between the first and the last that is empty.
    """
    later = [each for each in empty if each > told.length]
    for each in later:
        yield Finding(chain, each, each, Problem.EMPTIED)
    by_then = empty[: len(empty) - len(later)]
    if forgotten(by_then, told.length) != told:
        more = f"{len(by_then)} are empty, {told.count} were forgotten"
        yield Finding(chain, *((by_then[0], by_then[-1]) if by_then else (1, told.length)), Problem.FORGOTTEN, more)


REPLIES = frozenset({RecordKind.ANSWER.value, RecordKind.REFUSAL.value, RecordKind.CLARIFICATION.value})

STORED = "stored"
"""In the facts of a reply: a digest of each field of its row; in its personal fields: the salt of all of them."""

RETAINED_SINCE = "retained_since"
"""In the facts of an act of retention: of each kind, the moment before which rows are removed."""


def stored_digests(row: Mapping[str, object], salt: str) -> dict[str, str]:
    """SHA-256 (hex) over the salt's bytes and the canonical JSON of each field. `row`: plain JSON values by name;
    `salt` in hexadecimal. Raises ValueError for a salt that is none, Rejected("record_not_storable")."""
    start = bytes.fromhex(salt)
    return {name: hashlib.sha256(start + canonical(_as_doubles(value))).hexdigest() for name, value in row.items()}


def _as_doubles(value: Any) -> Any:
    """With large integers as RFC 8785 reads numbers: PostgreSQL gives 1e22 back as one."""
    if isinstance(value, dict):
        return {name: _as_doubles(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_as_doubles(each) for each in value]
    if isinstance(value, int) and abs(value) >= 2**53:
        with suppress(OverflowError):
            return float(value)
    return value


def answer_on_record(record: StoredRecord) -> str | None:
    """The id of the answer that this record is of; None for other records."""
    kind, subject = (record.columns[1], record.columns[3]) if record.columns else ("", "")
    return subject if kind in REPLIES else None


def has_digests(record: StoredRecord) -> bool:
    """Whether the record says what the row of its answer held: records of earlier versions do not, nor do forgotten
    ones."""
    return _digests(record) is not None


def first_difference(record: StoredRecord, row: Mapping[str, Any]) -> str | None:
    """The name of a field that the row of an answer has otherwise than the record; None: there is none.

    Of a reply that is another one, what differs in it: "kind", "text", "verdicts", "statements" or "citations", else
    "reply". Without digests, no more than these are compared, the text only where it is not forgotten. What cannot be
    read differs.
    """
    if (found := _digests(record)) is None:
        return _difference_in_reply(record, row["reply"])
    recorded, salt = found
    changed = [name for name in sorted(recorded) if not _is_same(row.get(name), recorded[name], salt)]
    if "reply" in changed:
        return _difference_in_reply(record, row["reply"]) or "reply"
    return changed[0] if changed else None


def retained_since(bodies: Iterable[Mapping[str, Any]], kind: str) -> datetime | None:
    """The last moment before which retention has removed rows of a kind, from the bodies of acts in any order."""
    moments = []
    for body in bodies:
        with suppress(KeyError, TypeError, ValueError):
            if body["facts"]["act"] == "retention":
                moments.append(datetime.fromisoformat(body["facts"][RETAINED_SINCE][kind]))
    return max(moments, default=None)


def _digests(record: StoredRecord) -> tuple[Mapping[str, str], str] | None:
    """The digests with their salt. None: there are none, or the salt is forgotten."""
    with suppress(KeyError, TypeError, ValueError):
        digests, salt = body_of(record.canonical)["facts"][STORED], (record.personal or {})[STORED]["value"]
        if isinstance(digests, dict) and bytes.fromhex(salt):
            return digests, salt
    return None


def _is_same(value: object, recorded: str, salt: str) -> bool:
    with suppress(Rejected):  # what no record can hold is not what was recorded
        return stored_digests({"": value}, salt)[""] == recorded
    return False


def _difference_in_reply(record: StoredRecord, reply: Any) -> str | None:
    try:
        body = body_of(record.canonical)
        shown = (record.personal or {}).get(SHOWN)
        if reply["kind"] != body["kind"]:
            return "kind"
        if shown is not None and reply["text"] != shown["value"]:
            return "text"
        facts = body["facts"]
        for name, members in _COMPARED.items():
            if _pick(reply[name], members) != _pick(facts.get(name, ()), members):
                return name
    except (KeyError, TypeError, ValueError, AttributeError):
        return "unreadable"
    return None


_COMPARED = {
    "verdicts": ("region", "policy_source", "verdict"),
    "statements": ("text",),
    "citations": ("chunk_id", "doc_id", "quote"),
}


def _pick(values: Any, members: tuple[str, ...]) -> list[list[Any]]:
    return [[each.get(name) for name in members] for each in values]


CORRECTED, WITHDRAWN = "correct_rule", "withdraw_rule_correction"
"""Acts in the chain of the installation."""

Rule = tuple[str, str]
"""A document's id and the hash of one of its rules."""


def correction_findings(bodies: Iterable[Mapping[str, Any]], stored: Mapping[Rule, str]) -> Iterator[Finding]:
    """`bodies`: of all acts, in any order; `stored`: the effects of corrections in force. Each that is not what the
    last act on its rule says is a finding, with the sequence of that act; 0: there is none."""
    told = _told_corrections(bodies)
    for rule in sorted({*told, *stored}):
        sequence, effect = told.get(rule, (0, None))
        if stored.get(rule) != effect:
            detail = f"{rule[0]}, rule {rule[1][:8]}"
            yield Finding(INSTALLATION, sequence, sequence, Problem.CORRECTION, detail)


def _told_corrections(bodies: Iterable[Mapping[str, Any]]) -> dict[Rule, tuple[int, str | None]]:
    """Of each rule the last act, with the effect that holds since; None: it was withdrawn. What cannot be read says
    nothing."""
    last: dict[Rule, tuple[int, str | None]] = {}
    for body in bodies:
        with suppress(KeyError, TypeError):
            act, sequence, facts = body["facts"]["act"], body["sequence"], body["facts"]
            if body["chain"] == INSTALLATION and act in (CORRECTED, WITHDRAWN):
                rule = (body["subject"], facts["rule_hash"])
                if sequence > last.get(rule, (0, None))[0]:
                    last[rule] = (sequence, facts["effect"] if act == CORRECTED else None)
    return last
