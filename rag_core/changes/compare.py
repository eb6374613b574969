"""Two texts of one document -> what changed between them."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from rag_core.answering.polarity import Effect
from rag_core.changes import direction
from rag_core.changes.matching import Matching, match, unmatched
from rag_core.changes.model import RuleChange, RuleChangeKind, SectionChange
from rag_core.changes.summary import summary_of
from rag_core.changes.units import ROOT, STAMP, Unit, block_keys, units_of
from rag_core.changes.words import word_edits
from rag_core.layout import BlockKind
from rag_core.regions import find_regions

_A_SENTENCE = 7
_SHORTEST_CONTENTS = 3
_RESTATED = 0.5
_MOST_GONE = 100
"""Rules that went, above which nobody looks whether one of them is what an added one says in other words."""


def diff(previous: str, current: str) -> tuple[SectionChange, ...]:
    """What changed from `previous` to `current`, texts in the normal form of `rag_core.layout`, by heading path and in
    the order of the text. Nothing for texts that differ in nothing; sections without rules where only the form does."""
    if previous == current:
        return ()
    shared = block_keys(previous) & block_keys(current)
    old, new = units_of(previous, shared), units_of(current, shared)
    found = match(old, new)
    compared = _Comparison(
        old, new, found, found.pairs(), *unmatched(found, old, new), (_titles(old), _titles(new))
    ).sections()
    return compared or (SectionChange((), (), 1),)  # levels of headings, marks of lists, where lines end


@dataclass(frozen=True, slots=True)
class _Comparison:
    old: Sequence[Unit]
    new: Sequence[Unit]
    found: Matching
    pairs: dict[int, int]
    gone: list[int]
    come: list[int]
    titles: tuple[Counter[str], Counter[str]]
    paths: dict[tuple[str, ...], tuple[str, ...]] = field(default_factory=dict)

    def sections(self) -> tuple[SectionChange, ...]:
        for i, j in [*self.found.same.items(), *self.pairs.items()]:
            self.paths.setdefault(self.old[i].path, self.new[j].path)
        grouped: dict[tuple[str, ...], tuple[list[RuleChange], list[int]]] = {}
        for _, path, change in sorted(self._changes(), key=lambda each: each[0]):
            rules, forms = grouped.setdefault(path, ([], []))
            if isinstance(change, RuleChange):
                rules.append(change)
            else:
                forms.append(change)
        return tuple(
            SectionChange(path, tuple(rules), sum(forms), summary_of(path, rules))
            for path, (rules, forms) in grouped.items()
        )

    def _changes(self) -> Iterator[tuple[tuple[int, int], tuple[str, ...], RuleChange | int]]:
        """(order, path, rule that changed or number of changes of form)."""
        found = self.found
        for i, j in found.same.items():
            if self._under_another_ruling(i, j) or self._under_another_heading(i, j):
                yield (j, 0), self._path(j), self._moved(i, j)
            elif self.old[i].text != self.new[j].text or self.old[i].kind is not self.new[j].kind:
                yield (j, 0), self._path(j), 1
        for first, second in found.reformed:
            yield (second.start, 0), self._path(second.start), max(len(first), len(second))
        for i, j in found.moved.items():
            yield (j, 0), self._path(j), self._moved(i, j)
        for i, j in found.changed.items():
            yield (j, 0), self._path(j), self._changed(i, j)
        yield from self._removed()
        yield from self._added()

    def _path(self, j: int) -> tuple[str, ...]:
        unit = self.new[j]
        return (*unit.path, unit.text) if unit.kind is BlockKind.HEADING else unit.path

    def _under_another_ruling(self, i: int, j: int) -> bool:
        if self.pairs.get(self.old[i].parent, ROOT) == self.new[j].parent or self.old[i].kind is BlockKind.HEADING:
            return False
        before, after = _ruling(self.old, i), _ruling(self.new, j)
        return before is not after and before is not None and after is not None

    def _under_another_heading(self, i: int, j: int) -> bool:
        """A heading was put in or taken out above it, and that makes it a rule for another place."""
        if self.old[i].path == self.new[j].path or self.old[i].kind is BlockKind.HEADING:
            return False
        before, after = _heading(self.old, i), _heading(self.new, j)
        renamed = before != ROOT and self.pairs.get(before) == after  # said of the heading, once
        return not renamed and _places(self.old[i].path) != _places(self.new[j].path)

    def _moved(self, i: int, j: int) -> RuleChange:
        one, other = self.old[i], self.new[j]
        turned = direction.of_move(_above(self.old, i), _above(self.new, j))
        origin = (*one.path, lead) if (lead := _lead_in(self.old, i)) else one.path
        return RuleChange(
            RuleChangeKind.MOVED, one.text, other.text, (), _lead_in(self.new, j), origin or ("",), turned
        )

    def _changed(self, i: int, j: int) -> RuleChange:
        one, other = self.old[i], self.new[j]
        edits = word_edits(one.text, other.text)
        before, after = _ruling(self.old, i), _ruling(self.new, j)
        lead = _lead_in(self.new, j)
        turned = direction.of_change(one.text, other.text, edits, lead) if before is after else None
        elsewhere = one.path if self.paths.get(one.path, one.path) != other.path else ()
        return RuleChange(RuleChangeKind.CHANGED, one.text, other.text, edits, lead, elsewhere, turned)

    def _removed(self) -> Iterator[tuple[tuple[int, int], tuple[str, ...], RuleChange | int]]:
        gone = self.gone
        boilerplate = _contents(self.old, gone)
        telling = _telling(self.old, [i for i in gone if i not in boilerplate])
        opened = {self.old[i].parent for i in gone}
        at = 0
        for i, unit in enumerate(self.old):
            at = self.pairs.get(i, at)
            if i in boilerplate or (i in telling and self._is_generic(unit)):
                yield (at, 1), self.paths.get(unit.path, unit.path), 1
            elif i in telling:
                path = (*unit.path, unit.text) if unit.kind is BlockKind.HEADING and i in opened else unit.path
                change = RuleChange(RuleChangeKind.REMOVED, unit.text, "", lead_in=_lead_in(self.old, i))
                yield (at, 1), self.paths.get(path, path), change

    def _added(self) -> Iterator[tuple[tuple[int, int], tuple[str, ...], RuleChange | int]]:
        come = self.come
        kept, known = set(self.pairs.values()), set(self.paths.values())
        boilerplate = _contents(self.new, come)
        telling = _telling(self.new, [j for j in come if j not in boilerplate])
        gone = [_telling_words(self.old[i]) for i in self.gone]
        for j in come:
            if j in boilerplate or (j in telling and self._is_generic(self.new[j])):
                yield (j, 0), self._path(j), 1
            elif j in telling:
                unit, lead = self.new[j], _lead_in(self.new, j)
                turned = None
                # only in a section that was there: a new one may say what held before, elsewhere
                was_there = unit.parent in kept or unit.path in known
                if was_there and unit.kind is not BlockKind.HEADING and not _may_be_reworded(unit, gone):
                    turned = direction.of_addition(unit.text, lead)
                yield (j, 0), self._path(j), RuleChange(RuleChangeKind.ADDED, "", unit.text, (), lead, (), turned)

    def _is_generic(self, unit: Unit) -> bool:
        """A heading such as "Further information", which both texts have many times: it says nothing by itself."""
        if unit.kind is not BlockKind.HEADING:
            return False
        many = self.titles[0][unit.key] and self.titles[1][unit.key]
        return bool(many) and direction.ruling([unit.text]) is None and not find_regions(unit.text)


def _heading(units: Sequence[Unit], at: int) -> int:
    while (at := units[at].parent) != ROOT and units[at].kind is not BlockKind.HEADING:
        pass
    return at


def _places(path: tuple[str, ...]) -> set[str]:
    return {each.code for each in find_regions("\n".join(path))}


def _titles(units: Sequence[Unit]) -> Counter[str]:
    return Counter(unit.key for unit in units if unit.kind is BlockKind.HEADING)


def _may_be_reworded(unit: Unit, gone: Sequence[set[str]]) -> bool:
    words = _telling_words(unit)
    return len(gone) > _MOST_GONE or any(
        len(words & other) >= _RESTATED * min(len(words), len(other)) for other in gone if other
    )


def _telling_words(unit: Unit) -> set[str]:
    words = set(unit.key.split())
    return {word for word in words if len(word) > 3} or words


def _lead_in(units: Sequence[Unit], at: int) -> str:
    parent = units[at].parent
    return units[parent].text if parent != ROOT and units[parent].kind is not BlockKind.HEADING else ""


def _ruling(units: Sequence[Unit], at: int) -> Effect | None:
    return direction.ruling(_above(units, at))


def _above(units: Sequence[Unit], at: int) -> list[str]:
    above: list[str] = []
    while (at := units[at].parent) != ROOT:
        above.append(units[at].text)
    return above


def _telling(units: Sequence[Unit], positions: Sequence[int]) -> set[int]:
    """Without the headings whose own content is among them: the section they open says it."""
    opened = {units[at].parent for at in positions}
    return {
        at
        for at in positions
        if units[at].kind is not BlockKind.HEADING or at not in opened or units[at].size >= _A_SENTENCE
    }


def _contents(units: Sequence[Unit], positions: Sequence[int]) -> set[int]:
    """What is no rule: stamps, and tables of contents (a run of lines that are the headings of the same text)."""
    headings = {unit.key for unit in units if unit.kind is BlockKind.HEADING}
    found = {at for at in positions if units[at].key in (STAMP, "")}
    run: list[int] = []
    for at in [*positions, len(units)]:
        entry = at < len(units) and units[at].kind is not BlockKind.HEADING and units[at].key in headings
        if entry and _ruling(units, at) is None and (not run or at - run[-1] <= 1):
            run.append(at)
            continue
        if len(run) >= _SHORTEST_CONTENTS:
            found.update(run)
        run = [at] if entry else []
    return found
