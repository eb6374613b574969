"""Two sequences of keys -> which position of one is which of the other, in order.

Every step is bounded, so that many equal keys cost no more than as many different ones.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence

from rapidfuzz.distance import LCSseq

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
