"""Which unit of one text is which of the other: the same, changed, or the same in another place.

Every step is bounded, so that a text of many equal lines costs no more than another of its length.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from rapidfuzz.distance import Indel, LCSseq

from rag_core.changes.units import ROOT, STAMP, Unit
from rag_core.layout import BlockKind
from rag_core.regions import find_regions

_MOST_CELLS = 25_000_000
"""Units of one gap times units of the other, above which only what is unique in both is compared."""


def gaps(same: Mapping[int, int], old: int, new: int) -> Iterator[tuple[range, range]]:
    """Runs of the old and of the new text between units that are the same."""
    i = j = 0
    for first, second in [*sorted(same.items()), (old, new)]:
        if first > i or second > j:
            yield range(i, first), range(j, second)
        i, j = first + 1, second + 1


def aligned(old: Sequence[Hashable], new: Sequence[Hashable]) -> Iterator[tuple[int, int]]:
    """Equal keys in the same order on both sides: first those that are unique, then the longest common sequence of
    what lies between."""
    if not old or not new:
        return
    anchors = dict(_unique(old, new))
    yield from anchors.items()
    for first, second in gaps(anchors, len(old), len(new)):
        if first and second and len(first) * len(second) <= _MOST_CELLS:
            codes: dict[Hashable, int] = {}
            sides = [
                [codes.setdefault(keys[at], len(codes)) for at in run] for keys, run in ((old, first), (new, second))
            ]
            for block in LCSseq.opcodes(*sides):
                if block.tag == "equal":
                    yield from zip(
                        first[block.src_start : block.src_end], second[block.dest_start : block.dest_end], strict=True
                    )


def _unique(old: Sequence[Hashable], new: Sequence[Hashable]) -> list[tuple[int, int]]:
    """Keys that occur once on either side, as far as they stand in the same order (patience)."""
    counts, others = Counter(old), Counter(new)
    places = {key: at for at, key in enumerate(new) if others[key] == 1}
    pairs = [(at, places[key]) for at, key in enumerate(old) if counts[key] == 1 and key in places]
    tails: list[int] = []
    ends: list[int] = []
    before: list[int] = []
    for at, (_, place) in enumerate(pairs):
        length = bisect_left(tails, place)
        tails[length:] = [place] if length == len(tails) else [place, *tails[length + 1 :]]
        ends[length : length + 1] = [at]
        before.append(ends[length - 1] if length else -1)
    chain, at = [], ends[-1] if ends else -1
    while at >= 0:
        chain.append(pairs[at])
        at = before[at]
    return chain[::-1]


LIKE, MUCH_LIKE = 0.5, 0.7
"""Share of common words from which a unit is the other one, changed: in the same place, and in another."""

_LONG = 5
_RUNNING = {BlockKind.PARAGRAPH, BlockKind.ITEM}
_NEAR = 12
_MOST_PAIRS = 40_000


@dataclass(slots=True)
class Matching:
    """Positions in the old text -> positions in the new one. `reformed`: units of old and new text that say the same
    together, but are cut differently."""

    same: dict[int, int] = field(default_factory=dict)
    moved: dict[int, int] = field(default_factory=dict)
    changed: dict[int, int] = field(default_factory=dict)
    reformed: list[tuple[range, range]] = field(default_factory=list)

    def pairs(self) -> dict[int, int]:
        """Old and new position of every unit that is there before and after."""
        return {**self.changed, **self.moved, **self.same}


def match(old: Sequence[Unit], new: Sequence[Unit]) -> Matching:
    """How `new` came out of `old`."""
    found = Matching()
    titles = _Titles(old, new)
    for key in (titles.in_context, titles.under_parent, _alone):
        for first, second in list(gaps(found.same, len(old), len(new))):
            keys = ([key(old, at) for at in first], [key(new, at) for at in second])
            for i, j in aligned(*keys):
                if key is not _alone or titles.agree(old[first[i]], new[second[j]]):
                    found.same[first[i]] = second[j]
    _pair_sections(found, old, new, titles)
    _pair_long(found, old, new)
    for first, second in list(gaps(found.same, len(old), len(new))):
        _pair_changed(found, old, new, first, second, titles)
    _pair_moved(found, old, new)
    _pair_parents(found, old, new)
    return found


def _alone(units: Sequence[Unit], at: int) -> Hashable:
    return units[at].key


def _key(units: Sequence[Unit], at: int) -> str:
    return units[at].key if at != ROOT else ""


class _Titles:
    """Whether two units can be one and the same rule: never where each stands under a heading that the other text
    has as well, but elsewhere. A rule for Albania is not the changed rule for Armenia."""

    def __init__(self, old: Sequence[Unit], new: Sequence[Unit]) -> None:
        self._old = {unit.key for unit in old if unit.kind is BlockKind.HEADING}
        self._new = {unit.key for unit in new if unit.kind is BlockKind.HEADING}
        self._leaves = {id(unit): key for units in (old, new) for unit, key in _leaves(units)}

    def in_context(self, units: Sequence[Unit], at: int) -> Hashable:
        parent = units[at].parent
        above = units[parent].parent if parent != ROOT else ROOT
        return self.under_parent(units, at), _key(units, above)

    def under_parent(self, units: Sequence[Unit], at: int) -> Hashable:
        unit = units[at]
        return unit.key, unit.kind is BlockKind.HEADING, _key(units, unit.parent), self._leaves[id(unit)]

    def agree(self, one: Unit, other: Unit) -> bool:
        before, after = self._leaves[id(one)], self._leaves[id(other)]
        return before == after or (before not in self._new and after not in self._old)


def _leaves(units: Sequence[Unit]) -> Iterator[tuple[Unit, str]]:
    """Each unit with the key of the heading it stands under, or, a heading, with its own."""
    for unit in units:
        at = unit.parent
        while at != ROOT and units[at].kind is not BlockKind.HEADING:
            at = units[at].parent
        yield unit, (unit.key if unit.kind is BlockKind.HEADING else _key(units, at))


def _pair_sections(found: Matching, old: Sequence[Unit], new: Sequence[Unit], titles: _Titles) -> None:
    """The same under the same heading, in another order: what stands in a section that was moved."""
    gone, come = unmatched(found, old, new)
    places: dict[Hashable, list[int]] = {}
    for j in reversed(come):
        places.setdefault(titles.in_context(new, j), []).append(j)
    for i in gone:
        if old[i].key != STAMP and (there := places.get(titles.in_context(old, i))):
            found.moved[i] = there.pop()


def _pair_long(found: Matching, old: Sequence[Unit], new: Sequence[Unit]) -> None:
    """The same sentence in the same order, but under another heading: long enough to be recognised there."""
    taken = set(found.moved.values())
    for first, second in list(gaps(found.same, len(old), len(new))):
        rest = [i for i in first if i not in found.moved and old[i].size >= _LONG]
        others = [j for j in second if j not in taken and new[j].size >= _LONG]
        for i, j in aligned([old[i].key for i in rest], [new[j].key for j in others]):
            found.moved[rest[i]] = others[j]


def _pair_changed(
    found: Matching, old: Sequence[Unit], new: Sequence[Unit], first: range, second: range, titles: _Titles
) -> None:
    """In one gap: what says the same when joined; else what is most alike, each unit once."""
    taken = set(found.moved.values())
    whole = first and second and not any(i in found.moved for i in first) and taken.isdisjoint(second)
    if whole and _joined(old, first) == _joined(new, second):
        found.reformed.append((first, second))
        return
    scored = []
    scale = len(second) / max(1, len(first))
    wide = len(first) * len(second) > _MOST_PAIRS
    words = ({i: old[i].key.split() for i in first}, {j: new[j].key.split() for j in second})
    for i in first:
        if i in found.moved:
            continue
        middle = second.start + int((i - first.start) * scale)
        near = range(max(second.start, middle - _NEAR), min(second.stop, middle + _NEAR)) if wide else second
        scored += [
            (-score, abs(j - middle), i, j)
            for j in near
            if j not in taken
            and _may_be(old[i], new[j], titles)
            and (score := Indel.normalized_similarity(words[0][i], words[1][j])) >= LIKE
        ]
    for _, _, i, j in sorted(scored):
        if i not in found.changed and j not in taken:
            found.changed[i] = j
            taken.add(j)


def _joined(units: Sequence[Unit], run: range) -> str:
    return " ".join(units[at].key for at in run if units[at].key != STAMP)


def _may_be(one: Unit, other: Unit, titles: _Titles) -> bool:
    """Whether they can be the same rule, if they are alike enough."""
    if STAMP in (one.key, other.key) or not _alike_in_kind(one, other):
        return False
    shorter, longer = sorted((one.size, other.size))
    alike = shorter > 0 and 2 * shorter >= LIKE * (shorter + longer)
    return alike and (one.kind is BlockKind.HEADING or titles.agree(one, other))


def _pair_moved(found: Matching, old: Sequence[Unit], new: Sequence[Unit]) -> None:
    gone, come = unmatched(found, old, new)
    counts, others = Counter(old[i].key for i in gone), Counter(new[j].key for j in come)
    all_old, all_new = Counter(unit.key for unit in old), Counter(unit.key for unit in new)
    places: dict[Hashable, int] = {}
    for j in come:
        places[new[j].key] = j
        places[new[j].key, new[j].path] = j
    same_place = Counter((new[j].key, new[j].path) for j in come)
    taken: set[int] = set()
    for i in gone:
        unit = old[i]
        once = counts[unit.key] == others[unit.key] == 1
        if unit.key == STAMP:
            continue
        if once and (unit.size >= _LONG or all_old[unit.key] == all_new[unit.key] == 1):
            found.moved[i] = places[unit.key]
        elif same_place[unit.key, unit.path] == 1 and places[unit.key, unit.path] not in taken:
            found.moved[i] = places[unit.key, unit.path]
        taken.add(found.moved.get(i, ROOT))
    gone, come = unmatched(found, old, new)
    if len(gone) * len(come) <= _MOST_PAIRS:
        _pair_changed_elsewhere(found, old, new, gone, come)


def _pair_changed_elsewhere(
    found: Matching, old: Sequence[Unit], new: Sequence[Unit], gone: Sequence[int], come: Sequence[int]
) -> None:
    sides = [{at: units[at].key.split() for at in run} for units, run in ((old, gone), (new, come))]
    scored = [
        (-score, i, j)
        for i, one in sides[0].items()
        for j, other in sides[1].items()
        if _could_move(old[i], new[j]) and (score := Indel.normalized_similarity(one, other)) >= MUCH_LIKE
    ]
    taken: set[int] = set()
    for _, i, j in sorted(scored):
        if i not in found.changed and j not in taken and _places(old[i]) == _places(new[j]):
            found.changed[i] = j
            taken.add(j)


def _pair_parents(found: Matching, old: Sequence[Unit], new: Sequence[Unit]) -> None:
    """A heading or lead-in in other words: what stands under it is the same, most of it."""
    children, others = Counter(unit.parent for unit in old), Counter(unit.parent for unit in new)
    shared = Counter((old[i].parent, new[j].parent) for i, j in found.pairs().items())
    gone, come = (set(each) for each in unmatched(found, old, new))
    for (i, j), count in shared.most_common():
        most = 2 * count >= max(children[i], others[j])
        if (
            i in gone
            and j in come
            and most
            and STAMP not in (old[i].key, new[j].key)
            and _alike_in_kind(old[i], new[j])
        ):
            found.changed[i] = j
            gone.discard(i)
            come.discard(j)


def _alike_in_kind(one: Unit, other: Unit) -> bool:
    return (one.kind is BlockKind.HEADING) == (other.kind is BlockKind.HEADING)


def _could_move(one: Unit, other: Unit) -> bool:
    """Long enough to be recognised in another place."""
    shorter, longer = sorted((one.size, other.size))
    return shorter > _LONG and 2 * shorter >= MUCH_LIKE * (shorter + longer) and {one.kind, other.kind} <= _RUNNING


def _places(unit: Unit) -> frozenset[str]:
    """A rule for one place is not the changed rule for another."""
    return frozenset(each.code for each in find_regions("\n".join((*unit.path, unit.text))))


def unmatched(found: Matching, old: Sequence[Unit], new: Sequence[Unit]) -> tuple[list[int], list[int]]:
    """The positions, in the old and in the new text, of what went and of what came."""
    used = {at for first, _ in found.reformed for at in first} | found.pairs().keys()
    reached = {at for _, second in found.reformed for at in second} | set(found.pairs().values())
    return [i for i in range(len(old)) if i not in used], [j for j in range(len(new)) if j not in reached]
