"""A section's changes in at most 15 words: where, and which words, in the document's own words and signs."""

from collections.abc import Sequence

from rag_core.changes.model import RuleChange, RuleChangeKind, SectionChange

MOST_WORDS = 15
_PATH_WORDS = 6
_SHOWN = 4


def summary_of(path: Sequence[str], rules: Sequence[RuleChange]) -> str:
    """ "Alcohol > UK: over 18 -> over 21"; of several rules the first, and how many there are (+ added, - removed,
    ~ changed or moved)."""
    if not rules:
        return ""
    where = _where(path)
    counts = _counts(rules) if len(rules) > 1 else ""
    room = MOST_WORDS - len(where.split()) - len(counts.split())
    return " ".join(part for part in (where, _what(rules[0], room), counts) if part)


def headline(sections: Sequence[SectionChange]) -> str:
    """The summary of the section that changed most."""
    telling = [section for section in sections if section.rules]
    return max(telling, key=lambda section: len(section.rules)).summary if telling else ""


def _where(path: Sequence[str]) -> str:
    if not path:
        return ""
    leaf = path[-1].split()
    shown = " ".join(leaf[:_PATH_WORDS])
    if len(path) > 1 and len(leaf) + len(path[-2].split()) < _PATH_WORDS:
        shown = f"{path[-2]} > {shown}"
    return f"{shown}{'...' if len(leaf) > _PATH_WORDS else ''}:"


def _what(rule: RuleChange, room: int) -> str:
    match rule.kind:
        case RuleChangeKind.ADDED:
            return f"+ {_first(rule.after, room - 1)}"
        case RuleChangeKind.REMOVED:
            return f"- {_first(rule.before, room - 1)}"
        case RuleChangeKind.MOVED:
            return f"~ {_first(rule.after, room - 1)}"
        case RuleChangeKind.CHANGED:
            return _replaced(rule, room)


def _replaced(rule: RuleChange, room: int) -> str:
    if not rule.edits:
        return f"~ {_first(rule.after, room - 1)}"
    edit = rule.edits[0]
    before, after = rule.before[edit.before_start : edit.before_end], rule.after[edit.after_start : edit.after_end]
    half = max(1, min(_SHOWN, (room - 1) // 2))
    if not before:
        return f"+ {_first(after, room - 1)}"
    if not after:
        return f"- {_first(before, room - 1)}"
    if before.isdigit() and after.isdigit():
        before, after = (
            _with_neighbour(rule.before, edit.before_start, before),
            _with_neighbour(rule.after, edit.after_start, after),
        )
    return f"{_first(before, half)} -> {_first(after, half)}"


def _with_neighbour(text: str, start: int, number: str) -> str:
    before = text[:start].split()
    return f"{before[-1]} {number}" if before else number


def _first(text: str, words: int) -> str:
    parts = text.split()
    return text if len(parts) <= words else " ".join(parts[: max(1, words)]) + "..."


def _counts(rules: Sequence[RuleChange]) -> str:
    kinds = [rule.kind for rule in rules]
    added, removed = kinds.count(RuleChangeKind.ADDED), kinds.count(RuleChangeKind.REMOVED)
    other = len(kinds) - added - removed
    shown = [f"{sign}{count}" for sign, count in (("+", added), ("-", removed), ("~", other)) if count]
    return f"({', '.join(shown)})"
