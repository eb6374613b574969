"""Which signed checkpoints can be trusted, and what they say of each chain."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from bot.audit.checkpoints import ChainHead, Checkpoint, RecordDatabase, RecordHead, SignatureCheck, read_statement
from bot.audit.verification import Finding, Problem

FORGED = "forged"
UNKNOWN_KEY = "unknown key"
UNREADABLE = "unreadable"
OTHER_DATABASE = "of another database"


@dataclass(slots=True)
class Trusted:
    """`hashes`: of each chain, by count. What does not hold is a finding. `elsewhere`: how many checkpoints in the file
    are of other databases, and passed over."""

    hashes: dict[str, dict[int, frozenset[str]]] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    held: int = 0
    elsewhere: int = 0

    def last(self, chain: str) -> int:
        """The count of the last checkpoint; 0: there is none."""
        return max(self.hashes.get(chain, {}), default=0)

    def take(self, head: ChainHead) -> None:
        """A trusted key tells of it."""
        known = self.hashes.setdefault(head.chain, {})
        known[head.count] = known.get(head.count, frozenset()) | {head.hash}
        self.held += 1


Signed = tuple[bytes, str]
"""A statement with its signature."""


def trusted(stored: Iterable[Signed], check: SignatureCheck, database: RecordDatabase | None = None) -> Trusted:
    """What checkpoints beside the record tell; each counts once. One of another `database` than this does not hold;
    None: it does not matter."""
    found = Trusted()
    for checkpoint in _read(stored, found):
        if database is not None and not database.is_of(checkpoint):
            found.findings.append(_finding(checkpoint, OTHER_DATABASE))
        _take(checkpoint, check, found)
    return found


def add_file(
    found: Trusted,
    stored: Iterable[Signed],
    file: Iterable[Signed],
    check: SignatureCheck,
    database: RecordDatabase,
    key_id: str,
) -> None:
    """What the checkpoints in the file tell as well.

    Each is in the file before it is in `stored`, beside the record. So one in `stored` of this database and this key
    that the file does not have was taken out of the file.
    """
    lines = dict.fromkeys(file)
    beside = dict.fromkeys(stored)
    for checkpoint in _read([each for each in lines if each not in beside], found):
        if database.is_of(checkpoint):
            _take(checkpoint, check, found)
        elif check.knows(checkpoint.key_id) and not _holds(checkpoint, check):
            found.findings.append(_finding(checkpoint, FORGED))
        else:
            found.elsewhere += 1
    missing: dict[str, list[int]] = {}
    for checkpoint in _read([each for each in beside if each not in lines], Trusted()):
        if (checkpoint.key_id, checkpoint.database_id) == (key_id, database.database_id):
            missing.setdefault(checkpoint.head.chain, []).append(checkpoint.head.count)
    found.findings += _missing(missing)


def add_head(found: Trusted, kept: RecordHead, check: SignatureCheck, database: RecordDatabase) -> None:
    """What a head that was kept elsewhere tells as well."""
    why = None
    if not check.holds(kept.key_id, kept.statement, kept.signature):
        why = FORGED if check.knows(kept.key_id) else UNKNOWN_KEY
    elif kept.database_id != database.database_id:
        why = OTHER_DATABASE
    if why is not None:
        found.findings.append(Finding("", 0, 0, Problem.KEPT, f"{kept.at}: {why}"))
        return
    for head in kept.heads:
        found.take(head)


def _read(signed: Iterable[Signed], found: Trusted) -> Iterator[Checkpoint]:
    """Each once; what cannot be read is a finding."""
    for statement, signature in dict.fromkeys(signed):
        try:
            checkpoint = read_statement(statement, signature)
        except (ValueError, KeyError, TypeError):
            found.findings.append(Finding("", 0, 0, Problem.CHECKPOINT, UNREADABLE))
        else:
            yield checkpoint


def _missing(missing: Mapping[str, list[int]]) -> Iterator[Finding]:
    for chain, counts in missing.items():
        yield Finding(chain, min(counts), max(counts), Problem.FILE, str(len(counts)))


def _take(checkpoint: Checkpoint, check: SignatureCheck, found: Trusted) -> None:
    if _holds(checkpoint, check):
        found.take(checkpoint.head)
    else:
        found.findings.append(_finding(checkpoint, FORGED if check.knows(checkpoint.key_id) else UNKNOWN_KEY))


def _holds(checkpoint: Checkpoint, check: SignatureCheck) -> bool:
    return check.holds(checkpoint.key_id, checkpoint.statement, checkpoint.signature)


def _finding(checkpoint: Checkpoint, why: str) -> Finding:
    head = checkpoint.head
    return Finding(head.chain, head.count, head.count, Problem.CHECKPOINT, why)
