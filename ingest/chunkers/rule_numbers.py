"""The numbered rules of a rule book: which numbers at the beginning of a line are rules, and what each reaches over.

Versions, prices, ages, dates and page numbers look like rule numbers too. What tells them apart is order: the rules of
a book are those lines whose numbers make the longest row in which each follows the one before.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ingest.chunkers.marks import UNITS
from rag_core.layout import Block, BlockKind

_NUMBER = r"(?P<digits>\d{1,3}(?:\.\d{1,3})*)(?P<points>(?:\((?:[a-z]|[ivx]{2,4})\))*)"
_DOTTED_NUMBER = r"(?P<digits>\d{1,3}(?:\.\d{1,3})+)(?P<points>(?:\((?:[a-z]|[ivx]{2,4})\))*)"
_BEGINS_TEXT = r"[“\"'‘(\[]?[A-Z]"
_NAMED = re.compile(rf"(?:Rule|Section|Clause|Article|§)\s*{_NUMBER}(?=\s*$|\s*[:–—-]\s|\.\s|\s+{_BEGINS_TEXT})")
_DOTTED = re.compile(rf"{_DOTTED_NUMBER}[.):]?(?=\s*$|\s+(?!(?:{UNITS})\b){_BEGINS_TEXT})")
_CHAPTER = re.compile(rf"(?:Chapter\s+)?(?P<digits>\d{{1,2}})(?P<points>)[.):]?\s+(?=[–—-]?\s*{_BEGINS_TEXT})")
_POINT = re.compile(r"\(([a-z]+)\)")
_CHAPTER_STEP, _RULE_STEP = 5, 15
"""How far the number of a chapter or rule may be from the one before: repealed ones leave gaps; 4.2 and 4.50 are no
neighbours."""
_FIRST = 3
"""A new level begins with 0 or 1, or a little later where the first ones were repealed."""
_LOOK_BACK = 60
"""Candidates before a rule among which the one before it is looked for."""
_LONGEST_ORPHAN = 8
"""Words of a line that is a header without being marked as one."""
_LEAST_RULES = 8
_LEAST_SHARE = 0.7
"""Of the words of a document, those that stand in its rules, where it is clearly a rule book."""


@dataclass(frozen=True, slots=True)
class Rule:
    """`number` as written ("4.2(a)"), `parent` the number above it ("4.2"), `block` the index of its first line."""

    number: str
    parent: str | None
    block: int


@dataclass(frozen=True, slots=True)
class _Candidate:
    """`orders`: the number as integers; two of them where (i) may be a letter or a Roman number."""

    orders: tuple[tuple[int, ...], ...]
    rule: Rule
    after_heading: bool


def rules_in(blocks: Sequence[Block]) -> list[Rule]:
    """The rules of a document, numbered headings among them, in order."""
    candidates = _candidates(blocks)
    best = [1] * len(candidates)
    before = [-1] * len(candidates)
    for at, candidate in enumerate(candidates):
        for earlier in range(max(0, at - _LOOK_BACK), at):
            if best[earlier] >= best[at] and _follows(candidates[earlier], candidate):
                best[at], before[at] = best[earlier] + 1, earlier
    row: list[Rule] = []
    at = best.index(max(best)) if best else -1
    while at >= 0:
        row.append(candidates[at].rule)
        at = before[at]
    return row[::-1]


def _candidates(blocks: Sequence[Block]) -> list[_Candidate]:
    found: list[_Candidate] = []
    after_heading = True
    for at, block in enumerate(blocks):
        after_heading = after_heading or block.kind is BlockKind.HEADING
        match = _number_of(block)
        if match is None:
            continue
        points = _POINT.findall(match["points"])
        digits = [int(part) for part in match["digits"].split(".")]
        orders = {(*digits, *map(ordinal, points)) for ordinal in (_letter, _roman)}
        found.append(_Candidate(tuple(sorted(orders)), _rule(match["digits"], points, at), after_heading))
        after_heading = False
    return found


def _number_of(block: Block) -> re.Match[str] | None:
    if block.kind is BlockKind.HEADING:
        return _NAMED.match(block.text) or _DOTTED.match(block.text) or _CHAPTER.match(block.text)
    if block.kind is BlockKind.PARAGRAPH or (block.kind is BlockKind.ITEM and not block.level):
        return _NAMED.match(block.text) or _DOTTED.match(block.text)
    return None


def _rule(digits: str, points: Sequence[str], block: int) -> Rule:
    number = digits + "".join(f"({point})" for point in points)
    above = digits + "".join(f"({point})" for point in points[:-1]) if points else digits.rpartition(".")[0]
    return Rule(number, above or None, block)


def _letter(point: str) -> int:
    """a, b, c as 1, 2, 3."""
    return ord(point) - ord("a") + 1 if len(point) == 1 else _roman(point)


def _roman(point: str) -> int:
    """i, ii, iii, iv as 1, 2, 3, 4."""
    if not set(point) <= set("ivx"):
        return _letter(point)
    value = {"i": 1, "v": 5, "x": 10}
    digits = [value[each] for each in point]
    return sum(-one if one < other else one for one, other in zip(digits, [*digits[1:], 0], strict=True))


def _follows(earlier: _Candidate, later: _Candidate) -> bool:
    begins = later.after_heading
    return any(_is_next(one, other, begins) for one in earlier.orders for other in later.orders)


def _is_next(one: tuple[int, ...], other: tuple[int, ...], after_heading: bool) -> bool:
    at = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    if at == len(other):
        return False
    if at == len(one):
        return all(part <= _FIRST for part in other[at:])
    if after_heading and other[-1] == 1 and other < one:
        return True  # a chapter that counts from one again
    step = _RULE_STEP if at else _CHAPTER_STEP
    return 1 <= other[at] - one[at] <= step and all(part <= _FIRST for part in other[at + 1 :])


def reach(blocks: Sequence[Block], rules: Sequence[Rule]) -> dict[int, Rule]:
    """The rule in which each line stands, by the line's index.

    A rule reaches to the next one or to the next heading, below which a numbered heading around it holds again. A short
    line without an end that only stands above a rule is that rule's header.
    """
    begins = {rule.block: rule for rule in rules}
    held: list[tuple[int, Rule | None]] = []
    found: dict[int, Rule] = {}
    current: Rule | None = None
    for at, block in enumerate(blocks):
        if block.kind is BlockKind.HEADING:
            while held and held[-1][0] >= block.level:
                held.pop()
            current = begins.get(at) or (held[-1][1] if held else None)
            held.append((block.level, current))
        else:
            current = begins.get(at, current)
        here = begins[at + 1] if at + 1 in begins and at not in begins and _is_orphan(blocks, at) else current
        if here is not None:
            found[at] = here
    return found


def _is_orphan(blocks: Sequence[Block], at: int) -> bool:
    block, following = blocks[at], blocks[at + 1]
    if block.kind is not BlockKind.PARAGRAPH or following.kind is BlockKind.HEADING:
        return False
    return len(block.text.split()) <= _LONGEST_ORPHAN and block.text[-1] not in ".!?;:,"


def parent_lines(blocks: Sequence[Block], rules: Sequence[Rule]) -> Mapping[str, Block]:
    """The first line of each rule that is no heading, by the rule's number; a heading is in the path anyway."""
    return {rule.number: blocks[rule.block] for rule in rules if blocks[rule.block].kind is not BlockKind.HEADING}


def is_rule_book(blocks: Sequence[Block]) -> bool:
    """Whether a document is clearly a book of numbered rules; numbered headings alone do not make one."""
    rules = [rule for rule in rules_in(blocks) if blocks[rule.block].kind is not BlockKind.HEADING]
    if len(rules) < _LEAST_RULES:
        return False
    within = reach(blocks, rules)
    words = {at: len(block.text.split()) for at, block in enumerate(blocks) if block.kind is not BlockKind.HEADING}
    return sum(count for at, count in words.items() if at in within) >= _LEAST_SHARE * sum(words.values())
