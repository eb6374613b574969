"""What came of checking a chain."""

from dataclasses import dataclass

from bot.audit.verification import Finding


@dataclass(frozen=True, slots=True)
class Checked:
    """One chain: how many records it has, of how many the personal fields are forgotten, how many the last checkpoint
    covers, and what is wrong. `without_digests`: replies of which the record has no digests of what is stored, or
    none any more."""

    chain: str
    records: int
    forgotten: int
    covered: int
    findings: tuple[Finding, ...]
    without_digests: int = 0
