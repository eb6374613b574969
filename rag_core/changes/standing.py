"""Where a unit stands in its text: under which heading and lead-in, and whether that is where it stood before."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from rag_core.changes import direction
from rag_core.changes.effects import clauses_of
from rag_core.changes.units import ROOT, Unit
from rag_core.layout import BlockKind
from rag_core.regions import find_regions
from rag_core.rules.reader import Effect

Place = tuple[tuple[str, ...], int]
"""A section: its heading path, and the position of its heading, negative if only the old text has it."""


def heading_of(units: Sequence[Unit], at: int) -> int:
    """The position of the heading above, ROOT for none."""
    while (at := units[at].parent) != ROOT and units[at].kind is not BlockKind.HEADING:
        pass
    return at


def lead_in_of(units: Sequence[Unit], at: int) -> str:
    parent = units[at].parent
    return units[parent].text if parent != ROOT and units[parent].kind is not BlockKind.HEADING else ""


def around(units: Sequence[Unit], at: int) -> tuple[str, ...]:
    """What its lead-in stands under, up to the heading, the outermost first."""
    found: list[str] = []
    while (at := units[at].parent) != ROOT and units[at].kind is not BlockKind.HEADING:
        found.append(units[at].text)
    return tuple(found[:0:-1])


def above(units: Sequence[Unit], at: int) -> list[str]:
    """What stands above it, the nearest first."""
    found: list[str] = []
    while (at := units[at].parent) != ROOT:
        found.append(units[at].text)
    return found


def ruling_on(units: Sequence[Unit], at: int) -> Effect | None:
    return direction.ruling(above(units, at))


def places_of(path: Sequence[str]) -> set[str]:
    return {each.code for each in find_regions("\n".join(path))}


@dataclass(frozen=True, slots=True)
class Standing:
    """Two texts, which unit of the old one is which of the new (`pairs`) and the other way round (`back`), and for
    each unit of either the last heading before it that both have (`known`; ROOT for none)."""

    old: Sequence[Unit]
    new: Sequence[Unit]
    pairs: Mapping[int, int]
    back: Mapping[int, int]
    known: tuple[Sequence[int], Sequence[int]]

    @classmethod
    def of(cls, old: Sequence[Unit], new: Sequence[Unit], pairs: Mapping[int, int]) -> "Standing":
        back = {j: i for i, j in pairs.items()}
        both = [(i, j) for i, j in pairs.items() if old[i].kind is new[j].kind is BlockKind.HEADING]
        return cls(old, new, pairs, back, (_known(old, {i for i, _ in both}), _known(new, {j for _, j in both})))

    def new_place(self, j: int) -> Place:
        unit = self.new[j]
        if unit.kind is BlockKind.HEADING:
            return (*unit.path, unit.text), j
        return unit.path, heading_of(self.new, j)

    def old_place(self, i: int, *, inside: bool = False) -> Place:
        """Where the new text would have it: under the same heading if that is still there. `inside`: of a heading,
        the section that it opens."""
        unit = self.old[i]
        at = i if inside and unit.kind is BlockKind.HEADING else heading_of(self.old, i)
        gone, path, first = at, [], at
        while at != ROOT and at not in self.pairs:
            path.append(self.old[at].text)
            at = heading_of(self.old, at)
        kept = () if at == ROOT else self.new_place(self.pairs[at])[0]
        if at == first:
            return kept, ROOT if at == ROOT else self.pairs[at]
        return (*kept, *reversed(path)), -2 - gone

    def is_at_home(self, i: int, j: int) -> bool:
        """In the same section as before; a heading that was put in or taken out above it makes no other section."""
        before, after = heading_of(self.old, i), heading_of(self.new, j)
        if not (before == ROOT or after == ROOT or before in self.pairs or after in self.back):
            return False
        return self._same(self.known[0][i], self.known[1][j]) and not self.changed_ruling(i, j)

    def keeps_heading(self, i: int, j: int) -> bool:
        """Whether the heading above is the same one, renamed perhaps."""
        return self._same(heading_of(self.old, i), heading_of(self.new, j))

    def keeps_lead_in(self, i: int, j: int) -> bool:
        """Whether it belongs to the same list, or to none in either text."""
        if not lead_in_of(self.old, i) and not lead_in_of(self.new, j):
            return True
        return self._same(self.old[i].parent, self.new[j].parent)

    def changed_places(self, i: int, j: int) -> bool:
        """Whether the headings above make it a rule for another place; that a heading was renamed is said of it."""
        if self.old[i].path == self.new[j].path or self.old[i].kind is BlockKind.HEADING:
            return False
        renamed = heading_of(self.old, i) != ROOT and self.keeps_heading(i, j)
        return not renamed and places_of(self.old[i].path) != places_of(self.new[j].path)

    def changed_ruling(self, i: int, j: int) -> bool:
        """Whether what stands above it now says the opposite; that a lead-in was changed is said of it."""
        same_parent = self.pairs.get(self.old[i].parent, ROOT) == self.new[j].parent
        if same_parent or self.old[i].kind is BlockKind.HEADING:
            return False
        before, after = ruling_on(self.old, i), ruling_on(self.new, j)
        if before is None or after is None:
            return before is not after and self._lies_under_new_ruling(i, j)
        return before is not after

    def _lies_under_new_ruling(self, i: int, j: int) -> bool:
        """A bare item got or lost a heading that rules on it ("Prohibited products"), which the other text has not."""
        if clauses_of(self.new[j].text):
            return False
        before, after = heading_of(self.old, i), heading_of(self.new, j)
        came = after != ROOT and after not in self.back and direction.ruling([self.new[after].text]) is not None
        went = before != ROOT and before not in self.pairs and direction.ruling([self.old[before].text]) is not None
        return came or went

    def _same(self, i: int, j: int) -> bool:
        return j == ROOT if i == ROOT else self.pairs.get(i) == j


def _known(units: Sequence[Unit], paired: Container[int]) -> list[int]:
    headings = [at if unit.kind is BlockKind.HEADING and at in paired else ROOT for at, unit in enumerate(units)]
    return [ROOT, *accumulate(headings, max)][:-1]
