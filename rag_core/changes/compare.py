"""Two texts of one document -> what changed between them."""

from collections import Counter, defaultdict
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from rag_core.changes import direction
from rag_core.changes.direction import clauses_of
from rag_core.changes.matching import Matching, match, unmatched
from rag_core.changes.summary import summary_of
from rag_core.changes.units import ROOT, STAMP, Unit, units_of_both
from rag_core.changes.words import word_edits
from rag_core.layout import BlockKind
from rag_core.policy_changes import Direction, RuleChange, RuleChangeKind, SectionChange
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


_MOST = 300
"""Bans of one section, above which an added one is taken to be among them."""


def telling_words(unit: Unit) -> set[str]:
    """Its longer words: those that name things."""
    words = set(unit.key.split())
    return {word for word in words if len(word) > 3} or words


class Bans:
    """The bans of a text, read when first asked for."""

    def __init__(self, units: Sequence[Unit]) -> None:
        self._units = units
        self._by_section: dict[str, list[set[str]]] | None = None

    def may_have(self, unit: Unit) -> bool:
        """Whether something that shares its words is banned in its section, or in one of those around it."""
        if self._by_section is None:
            self._by_section = _bans(self._units)
        known = self._by_section
        words = telling_words(unit)
        for title in ("", *unit.path):
            bans = known.get(title.casefold(), ())
            if len(bans) > _MOST:
                return True
            if any(len(words & ban) >= _RESTATED * min(len(words), len(ban)) for ban in bans):
                return True
        return False


def _bans(units: Sequence[Unit]) -> dict[str, list[set[str]]]:
    found: dict[str, list[set[str]]] = defaultdict(list)
    for at, unit in enumerate(units):
        if unit.kind is not BlockKind.HEADING and unit.key and _is_ban(units, at):
            found[unit.path[-1].casefold() if unit.path else ""].append(telling_words(unit))
    return found


def _is_ban(units: Sequence[Unit], at: int) -> bool:
    own = [clause for clause in clauses_of(units[at].text) if not clause.about_content or clause.negative]
    if own:
        return any(clause.negative or clause.effect is Effect.PROHIBITS for clause in own)
    return ruling_on(units, at) is Effect.PROHIBITS


_A_SENTENCE = 7
_SHORTEST_CONTENTS = 3
_RESTATED = 0.5
_MOST_GONE = 100
"""Rules that went, above which nobody looks whether one of them is what an added one says in other words."""

_Told = tuple[tuple[int, int], Place, RuleChange | int]
"""Order, section, and the rule that changed or the number of changes of form."""


def diff(previous: str, current: str) -> tuple[SectionChange, ...]:
    """What changed from `previous` to `current`, texts in the normal form of `rag_core.layout`, by heading path and in
    the order of the text. Nothing for texts that differ in nothing; sections without rules where only the form does."""
    if previous == current:
        return ()
    old, new = units_of_both(previous, current)
    found = match(old, new)
    titles = (_titles(old), _titles(new))
    standing = Standing.of(old, new, found.pairs())
    compared = _Comparison(old, new, found, standing, *unmatched(found, old, new), titles, Bans(old)).sections()
    return compared or (SectionChange((), (), 1),)  # levels of headings, marks of lists, where lines end


@dataclass(frozen=True, slots=True)
class _Comparison:
    old: Sequence[Unit]
    new: Sequence[Unit]
    found: Matching
    standing: Standing
    gone: list[int]
    come: list[int]
    titles: tuple[Counter[str], Counter[str]]
    bans: Bans

    def sections(self) -> tuple[SectionChange, ...]:
        grouped: dict[Place, tuple[list[RuleChange], list[int]]] = {}
        for _, place, change in sorted(self._changes(), key=lambda each: each[0]):
            rules, forms = grouped.setdefault(place, ([], []))
            if isinstance(change, RuleChange):
                rules.append(change)
            else:
                forms.append(change)
        return tuple(
            SectionChange(path, tuple(rules), sum(forms), summary_of(path, rules))
            for (path, _), (rules, forms) in grouped.items()
        )

    def _changes(self) -> Iterator[_Told]:
        found, place = self.found, self.standing.new_place
        for i, j in found.same.items():
            if self.standing.changed_ruling(i, j) or self.standing.changed_places(i, j):
                yield (j, 0), place(j), self._moved(i, j)
            elif self._looks_other(i, j):
                yield (j, 0), place(j), 1
        for first, second in found.reformed:
            yield (second.start, 0), place(second.start), max(len(first), len(second))
        for i, j in found.moved.items():
            if not self._is_where_it_was(i, j):
                yield (j, 0), place(j), self._moved(i, j)
            elif self._looks_other(i, j):
                yield (j, 0), place(j), 1
        for i, j in found.changed.items():
            yield (j, 0), place(j), self._changed(i, j)
        yield from self._removed()
        yield from self._added()

    def _looks_other(self, i: int, j: int) -> bool:
        return self.old[i].text != self.new[j].text or self.old[i].kind is not self.new[j].kind

    def _is_where_it_was(self, i: int, j: int) -> bool:
        """In another order only, or with the section that it belongs to."""
        standing = self.standing
        if standing.changed_ruling(i, j) or standing.changed_places(i, j):
            return False
        if self.old[i].kind is BlockKind.HEADING:
            return standing.keeps_heading(i, j)
        return standing.keeps_lead_in(i, j) and (standing.keeps_heading(i, j) or standing.is_at_home(i, j))

    def _moved(self, i: int, j: int) -> RuleChange:
        one, other = self.old[i], self.new[j]
        both = one.parent in self.standing.pairs and other.parent in self.standing.back
        # a lead-in that is gone may be one that a capture lost
        turned = direction.of_move(above(self.old, i), above(self.new, j)) if both else None
        origin = (*one.path, lead) if (lead := lead_in_of(self.old, i)) else one.path
        lead, kind = lead_in_of(self.new, j), RuleChangeKind.MOVED
        return RuleChange(kind, one.text, other.text, (), lead, origin or ("",), turned, around(self.new, j))

    def _changed(self, i: int, j: int) -> RuleChange:
        one, other = self.old[i], self.new[j]
        edits = word_edits(one.text, other.text)
        before, after = ruling_on(self.old, i), ruling_on(self.new, j)
        lead = lead_in_of(self.new, j)
        turned = direction.of_change(one.text, other.text, edits, lead) if before is after else None
        standing = self.standing
        stays = standing.is_at_home(i, j) or standing.keeps_heading(i, j) or one.kind is BlockKind.HEADING
        elsewhere = () if stays and not standing.changed_places(i, j) else one.path
        kind, outer = RuleChangeKind.CHANGED, around(self.new, j)
        return RuleChange(kind, one.text, other.text, edits, lead, elsewhere, turned, outer)

    def _removed(self) -> Iterator[_Told]:
        gone, pairs = self.gone, self.standing.pairs
        boilerplate = _contents(self.old, gone)
        telling = _telling(self.old, [i for i in gone if i not in boilerplate])
        opened = {self.old[i].parent for i in gone}
        at = 0
        for i, unit in enumerate(self.old):
            at = pairs.get(i, at)
            if i in boilerplate or (i in telling and self._is_generic(unit)):
                yield (at, 1), self.standing.old_place(i), 1
            elif i in telling:
                lead, outer = lead_in_of(self.old, i), around(self.old, i)
                change = RuleChange(RuleChangeKind.REMOVED, unit.text, "", lead_in=lead, around=outer)
                yield (at, 1), self.standing.old_place(i, inside=i in opened), change

    def _added(self) -> Iterator[_Told]:
        boilerplate = _contents(self.new, self.come)
        telling = _telling(self.new, [j for j in self.come if j not in boilerplate])
        gone = [telling_words(self.old[i]) for i in self.gone]
        left = self._lists_that_lost()
        for j in self.come:
            unit, lead = self.new[j], lead_in_of(self.new, j)
            if j in boilerplate or (j in telling and self._is_generic(unit)):
                yield (j, 0), self.standing.new_place(j), 1
            elif j in telling:
                is_new = unit.parent not in left and not _may_be_reworded(unit, gone)
                turned = self._of_addition(j, lead) if is_new else None
                change = RuleChange(RuleChangeKind.ADDED, "", unit.text, (), lead, (), turned, around(self.new, j))
                yield (j, 0), self.standing.new_place(j), change

    def _of_addition(self, j: int, lead: str) -> Direction | None:
        """Only in a section that was there: a new one may say what held before, elsewhere."""
        unit = self.new[j]
        was_there = unit.parent in self.standing.back or self.standing.new_place(j)[1] in self.standing.back
        if not was_there or unit.kind is BlockKind.HEADING or self.bans.may_have(unit):
            return None
        return direction.of_addition(unit.text, lead)

    def _lists_that_lost(self) -> set[int]:
        """Lists, in the new text, that lost an item: one that came may be what the one that went says now."""
        pairs = self.standing.pairs
        left = [*self.gone, *(i for i, j in pairs.items() if pairs.get(self.old[i].parent) != self.new[j].parent)]
        kept = {pairs.get(self.old[i].parent, ROOT) for i in left}
        return {at for at in kept if at != ROOT and self.new[at].kind is not BlockKind.HEADING}

    def _is_generic(self, unit: Unit) -> bool:
        """A heading such as "Further information", which both texts have many times: it says nothing by itself."""
        if unit.kind is not BlockKind.HEADING:
            return False
        many = self.titles[0][unit.key] and self.titles[1][unit.key]
        return bool(many) and direction.ruling([unit.text]) is None and not find_regions(unit.text)


def _titles(units: Sequence[Unit]) -> Counter[str]:
    return Counter(unit.key for unit in units if unit.kind is BlockKind.HEADING)


def _may_be_reworded(unit: Unit, gone: Sequence[set[str]]) -> bool:
    words = telling_words(unit)
    return len(gone) > _MOST_GONE or any(
        len(words & other) >= _RESTATED * min(len(words), len(other)) for other in gone if other
    )


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
    headings = {unit.key: at for at, unit in enumerate(units) if unit.kind is BlockKind.HEADING}
    found = {at for at in positions if units[at].key in (STAMP, "")}
    run: list[int] = []
    for at in [*positions, len(units)]:
        entry = at < len(units) and units[at].kind is not BlockKind.HEADING and units[at].key in headings
        listed = entry and ruling_on(units, at) is ruling_on(
            units, headings[units[at].key]
        )  # no list of what is banned
        if listed and (not run or at - run[-1] <= 1):
            run.append(at)
            continue
        if len(run) >= _SHORTEST_CONTENTS:
            found.update(run)
        run = [at] if entry else []
    return found
