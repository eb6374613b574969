"""A model's growing output -> verified statements, whole ones only: no reader sees a word that was not checked."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from rag_core.answering.generative.check import DraftCheck
from rag_core.answering.generative.drafts import Checked, Draft, DropCode, Dropped, Judgement
from rag_core.answering.generative.parse import StatementScanner

MOST_STATEMENTS = 6
"""What comes behind them is not read: a small model that repeats itself would go on to the end of its window."""


@dataclass(slots=True)
class VerifiedStream:
    """`feed` pieces of output, then `end`: both give the statements that can be shown now. `dropped` has the rest."""

    check: DraftCheck
    scanner: StatementScanner = field(default_factory=StatementScanner)
    checked: list[Checked] = field(default_factory=list)
    dropped: list[Dropped] = field(default_factory=list)

    def feed(self, piece: str) -> list[Checked]:
        return self.take(self.scanner.feed(piece))

    def end(self) -> list[Checked]:
        """The text has ended, or was cut: what can be saved of its last statement."""
        return self.take(self.scanner.rest())

    def take(self, drafts: Iterable[Draft]) -> list[Checked]:
        """Check `drafts`; those that pass."""
        passed = []
        for draft in drafts:
            found = self.check.check(draft)
            if isinstance(found, Dropped):
                self.dropped.append(found)
            elif len(self.checked) < MOST_STATEMENTS:
                self.checked.append(found)
                passed.append(found)
        return passed

    @property
    def is_full(self) -> bool:
        """Whether reading on is of no use."""
        return len(self.checked) >= MOST_STATEMENTS or len(self.dropped) >= 2 * MOST_STATEMENTS

    @property
    def judgement(self) -> Judgement | None:
        """What the model says of the question; its refusal sentence is a no."""
        refused = not self.checked and any(each.reason is DropCode.REFUSAL for each in self.dropped)
        return Judgement.NO if refused else self.scanner.judgement

    @property
    def missing(self) -> tuple[str, ...]:
        return self.scanner.missing
