"""Which rules stand behind a verdict: what decides it, and what changes for the asker what must be done.

A rule that only shares words with the question is neither, however alike it is.
"""

from collections.abc import Collection, Iterable

from rag_core.answering.evidence import Rule
from rag_core.answers import Verdict

Section = tuple[str, str]
"""A version and a heading path, closed, so that "Kites" does not begin "Kites and darts"."""

_ALL = 1 - 1e-9
NEARLY = 0.95
"""Share of the best rule's relevance from which another one, without a verdict, is as near to the question."""


def section_of(rule: Rule) -> Section:
    chunk = rule.unit.passage.chunk
    return chunk.doc_id, f"{chunk.policy_path} > "


def is_below(section: Section, others: Collection[Section]) -> bool:
    """Whether it is one of `others`, or stands below one."""
    return any(section[0] == doc_id and section[1].startswith(path) for doc_id, path in others)


def belonging(conditions: Iterable[Rule], deciding: Collection[Rule], verdict: Verdict | None) -> tuple[Rule, ...]:
    """Of `conditions` those that limit just this verdict.

    They stand in the section that decides or, where anything is possible at all, below it; or they are of the place
    itself, of a section above, or rules on just this thing wherever they stand, and name all that was asked about.
    Of what is prohibited no condition elsewhere makes it possible. Without a verdict nothing tells them apart.
    """
    if verdict is None or not deciding:
        return tuple(conditions)
    sections = {section_of(rule) for rule in deciding}
    return tuple(rule for rule in conditions if _belongs(rule, deciding, sections, verdict))


def _belongs(rule: Rule, deciding: Collection[Rule], sections: Collection[Section], verdict: Verdict) -> bool:
    section = section_of(rule)
    if section in sections:
        return True
    if verdict is Verdict.PROHIBITED:
        return False
    if is_below(section, sections):
        return True
    if rule.own_coverage < _ALL or rule.exactness < max(each.exactness for each in deciding):
        return False
    if rule.exactness == 0 and section[0] not in {doc_id for doc_id, _ in sections}:
        return False  # another document on something wider: on what else, its own words do not tell
    reading = rule.reading
    is_above = any(is_below(each, {section}) for each in sections)
    return reading.place.specificity > 0 or is_above or reading.on_topic or reading.implies


def beside(rules: Iterable[Rule], deciding: Collection[Rule]) -> list[Rule]:
    """Rules of the sections that decide, and of those below them."""
    sections = {section_of(rule) for rule in deciding}
    return [rule for rule in rules if is_below(section_of(rule), sections)]


def nearest(rules: Collection[Rule]) -> list[Rule]:
    """Where nothing decides: the rules nearest to the question, with those of the section of the nearest."""
    best = max(rules, key=lambda rule: rule.relevance, default=None)
    if best is None:
        return []
    near = [rule for rule in rules if rule.relevance >= NEARLY * best.relevance or section_of(rule) == section_of(best)]
    return sorted(near, key=lambda rule: -round(rule.relevance, 6))
