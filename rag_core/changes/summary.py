"""A section's changes in at most 15 words: where, and which words, in the document's own words and signs."""

from collections.abc import Sequence

from rag_core.changes import direction
from rag_core.changes.direction import clauses_of
from rag_core.policy_changes import Edit, RuleChange, RuleChangeKind, SectionChange
from rag_core.vocabulary import pattern

MOST_WORDS = 15
_PATH_WORDS = 6
_LEAD_WORDS = 6
_SHOWN = 4
_LEAST_SHOWN = 3
_DECIDING = pattern("changes", "deciding")
_SAYS_NO_OR_YES = pattern("changes", "says_no_or_yes")


def summary_of(path: Sequence[str], rules: Sequence[RuleChange]) -> str:
    """ "Alcohol > UK: over 18 -> over 21"; of several rules the one that decides most, and how many there are (+ added,
    - removed, ~ changed or moved). An item of a list comes with its lead-in, which may turn its meaning around."""
    return _said(path, rules, _counts(rules) if len(rules) > 1 else "") if rules else ""


def headline(sections: Sequence[SectionChange]) -> str:
    """The summary of the section in which most was decided, with the number of rules of all of them."""
    telling = [section for section in sections if section.rules]
    if not telling:
        return ""
    first = max(telling, key=lambda each: (max(map(_weight, each.rules)), len(each.rules)))
    rules = [rule for section in telling for rule in section.rules]
    return _said(first.path, first.rules, _counts(rules) if len(rules) > 1 else "")


def _said(path: Sequence[str], rules: Sequence[RuleChange], counts: str) -> str:
    rule = max(rules, key=_weight)
    where, lead = _where(path), ""
    if not rule.edits and _SAYS_NO_OR_YES.search(rule.lead_in):
        for shown in (where, _where(path[-1:], _SHOWN)):
            room = MOST_WORDS - len(shown.split()) - len(counts.split())
            if lead := _lead(rule.lead_in, min(_LEAD_WORDS, room - _LEAST_SHOWN)):
                where = shown
                break
    room = MOST_WORDS - len(where.split()) - len(counts.split())
    return " ".join(part for part in (where, lead, _what(rule, room - len(lead.split())), counts) if part)


def _weight(rule: RuleChange) -> int:
    """How much a change decides: what is stricter or looser, what may be, what is said of what may be, the rest."""
    if rule.direction is not None:
        return 4
    if rule.kind is RuleChangeKind.CHANGED:
        return 3 if _decides(rule) else 1
    text = rule.after or rule.before
    return 2 if clauses_of(text) or (rule.lead_in and direction.ruling([rule.lead_in])) else 1


def _decides(rule: RuleChange) -> bool:
    return any(_is_deciding(rule, edit) for edit in rule.edits)


def _is_deciding(rule: RuleChange, edit: Edit) -> bool:
    before, after = _replaced_words(rule, edit)
    return bool(_DECIDING.search(before) or _DECIDING.search(after))


def _replaced_words(rule: RuleChange, edit: Edit) -> tuple[str, str]:
    return rule.before[edit.before_start : edit.before_end], rule.after[edit.after_start : edit.after_end]


def _where(path: Sequence[str], most: int = _PATH_WORDS) -> str:
    if not path:
        return ""
    leaf = path[-1].split()
    shown = " ".join(leaf[:most])
    if len(path) > 1 and len(leaf) + len(path[-2].split()) < most:
        shown = f"{path[-2]} > {shown}"
    return f"{shown}{'...' if len(leaf) > most else ''}:"


def _lead(lead_in: str, most: int) -> str:
    """The lead-in from the words on that say no or yes; "" if they do not fit: half of it could say the opposite."""
    words = lead_in.split()
    if len(words) > most and (match := _SAYS_NO_OR_YES.search(lead_in)):
        words = lead_in[match.start() :].split()
        before = lead_in[: match.start()].split()
        words = [*before[-1:], *words] if len(words) < most else words
    return " ".join(words) if 0 < len(words) <= most else ""


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
    edit = next((each for each in rule.edits if _is_deciding(rule, each)), rule.edits[0])
    before, after = _replaced_words(rule, edit)
    half = max(1, min(_SHOWN, (room - 1) // 2))
    if not before:
        return f"+ {_first(_with_following(rule.after, edit.after_end, after), room - 1)}"
    if not after:
        return f"- {_first(_with_following(rule.before, edit.before_end, before), room - 1)}"
    if before.isdigit() and after.isdigit():
        before, after = (
            _with_neighbour(rule.before, edit.before_start, before),
            _with_neighbour(rule.after, edit.after_start, after),
        )
    return f"{_first(before, half)} -> {_first(after, half)}"


def _with_following(text: str, end: int, words: str) -> str:
    """A single word that came or went says little by itself: "not" what?"""
    following = text[end:].split()
    return f"{words} {following[0]}" if following and len(words.split()) == 1 else words


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
