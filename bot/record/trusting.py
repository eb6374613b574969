"""Which checkpoints hold, and what they tell of each chain."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from bot.record.checkpoints import Checkpoint, SignatureCheck, read_statement
from bot.record.verifying import Finding, Problem

FORGED = "forged"
UNKNOWN_KEY = "unknown key"
UNREADABLE = "unreadable"


@dataclass(slots=True)
class Trusted:
    """`hashes`: of each chain, by count. What does not hold is a finding."""

    hashes: dict[str, dict[int, frozenset[str]]] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    held: int = 0

    def last(self, chain: str) -> int:
        """The count of the last checkpoint; 0: there is none."""
        return max(self.hashes.get(chain, {}), default=0)


def trusted(stored: Iterable[tuple[bytes, str]], check: SignatureCheck) -> Trusted:
    """`stored`: statements with their signatures, from wherever they were kept; each counts once."""
    found = Trusted()
    for statement, signature in dict.fromkeys(stored):
        try:
            checkpoint = read_statement(statement, signature)
        except (ValueError, KeyError, TypeError):
            found.findings.append(Finding("", 0, 0, Problem.CHECKPOINT, UNREADABLE))
            continue
        _take(checkpoint, check, found)
    return found


def _take(checkpoint: Checkpoint, check: SignatureCheck, found: Trusted) -> None:
    head = checkpoint.head
    if check.holds(checkpoint.key_id, checkpoint.statement, checkpoint.signature):
        known = found.hashes.setdefault(head.chain, {})
        known[head.count] = known.get(head.count, frozenset()) | {head.hash}
        found.held += 1
        return
    why = FORGED if check.knows(checkpoint.key_id) else UNKNOWN_KEY
    found.findings.append(Finding(head.chain, head.count, head.count, Problem.CHECKPOINT, why))
