"""Two reports beside each other: which figures moved, which questions turned."""

from dataclasses import dataclass

from ops.evaluation.report import FigureLine, QuestionLine, Report


@dataclass(frozen=True, slots=True)
class Moved:
    """`surely`: the intervals do not even touch."""

    split: str
    measure: str
    before: FigureLine
    after: FigureLine

    @property
    def difference(self) -> float:
        return self.after.value - self.before.value

    @property
    def surely(self) -> bool:
        return self.after.low > self.before.high or self.after.high < self.before.low


@dataclass(frozen=True, slots=True)
class Turned:
    """A question that was wrong and is right now, or the other way round."""

    before: QuestionLine
    after: QuestionLine


@dataclass(frozen=True, slots=True)
class Comparison:
    """`mended` were wrong before, `broken` were right; only of questions that both reports name."""

    moved: tuple[Moved, ...]
    mended: tuple[Turned, ...]
    broken: tuple[Turned, ...]


def compare(old: Report, new: Report) -> Comparison:
    """What is different in `new`; measures and questions that only one of them has are left out."""
    moved = [
        Moved(split, measure, before, part.figures[measure])
        for split, part in new.splits.items()
        if split in old.splits
        for measure, before in old.splits[split].figures.items()
        if measure in part.figures and part.figures[measure].value != before.value
    ]
    known = {each.id: each for each in old.questions}
    turned = [
        Turned(known[each.id], each)
        for each in new.questions
        if each.id in known and each.right != known[each.id].right
    ]
    return Comparison(
        tuple(moved),
        mended=tuple(each for each in turned if each.after.right),
        broken=tuple(each for each in turned if not each.after.right),
    )
