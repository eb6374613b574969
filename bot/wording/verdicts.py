"""Wording of verdicts, for one place and platform or several, and of what an answer leaves open."""

from collections.abc import Mapping, Sequence

from bot.wording.names import in_place, in_places, listed, quoted, region_name, source_name
from bot.wording.tables import changes_headline, documents_headline
from rag_core.answers import Answer, ComparisonRow, Condition, ConditionKind, PlaceVerdict, Verdict

NEUTRAL_SIGN = "ℹ️"
"""Stands where there is no verdict."""

_SIGNS = {Verdict.PROHIBITED: "⛔", Verdict.RESTRICTED: "⚠️", Verdict.ALLOWED: "✅"}
_WORDS = {Verdict.PROHIBITED: "Prohibited", Verdict.RESTRICTED: "Restricted", Verdict.ALLOWED: "Allowed"}
_CONDITIONS = {
    ConditionKind.AGE: "Age",
    ConditionKind.LICENCE: "Licence",
    ConditionKind.CERTIFICATION: "Certification",
    ConditionKind.APPROVAL: "Approval",
    ConditionKind.LABELLING: "Labelling",
    ConditionKind.TARGETING: "Targeting",
    ConditionKind.OTHER: "Other",
}


def verdict_word(verdict: Verdict) -> str:
    """ "Prohibited", "Restricted" or "Allowed": always shown beside the sign."""
    return _WORDS[verdict]


def verdict_sign(verdict: Verdict | None) -> str:
    """The sign beside the word; it never stands alone."""
    return NEUTRAL_SIGN if verdict is None else _SIGNS[verdict]


def headline(answer: Answer) -> str:
    """The verdict in a line, or that there is none: "Restricted in the United Kingdom"; else what the answer lists."""
    if answer.changes is not None:
        return changes_headline(answer.changes)
    if answer.documents is not None:
        return documents_headline(answer.documents)
    if not answer.verdicts:
        return "No verdict: the policies do not state this" if answer.not_stated else "What the policies say"
    if answer.verdict is None:
        return f"The verdict differs by {_what_differs(answer.verdicts)}"
    places = [each.region for each in answer.verdicts if each.region is not None]
    return f"{verdict_word(answer.verdict)} {in_places(places) if places else '(no place was named)'}"


def _what_differs(verdicts: Sequence[PlaceVerdict]) -> str:
    kinds = {
        "place": len({each.region for each in verdicts}) > 1,
        "platform": len({each.policy_source for each in verdicts}) > 1,
    }
    return listed(kind for kind, several in kinds.items() if several) or "rule"


def place_verdict(verdict: PlaceVerdict, names: Mapping[str, str]) -> str:
    """One line of several: "Germany, Google: Prohibited"."""
    where = "No place named" if verdict.region is None else region_name(verdict.region)
    return f"{where}, {source_name(verdict.policy_source, names)}: {verdict_word(verdict.verdict)}"


def verdict_in(verdict: PlaceVerdict, names: Mapping[str, str]) -> str:
    """The same inside a sentence: "prohibited in Germany on Google"."""
    where = f" {in_place(verdict.region)}" if verdict.region is not None else ""
    return f"{verdict_word(verdict.verdict).lower()}{where} on {source_name(verdict.policy_source, names)}"


def verdict_summary(answer: Answer, names: Mapping[str, str], most: int = 4) -> str:
    """The headline, and the first verdicts where they differ: for a reader who gets nothing but one text."""
    if answer.verdict is not None or not answer.verdicts:
        return f"{headline(answer)}."
    shown = "; ".join(verdict_in(each, names) for each in answer.verdicts[:most])
    hidden = len(answer.verdicts) - most
    return f"{headline(answer)}: {shown}{f'; {more_lines(hidden)}' if hidden > 0 else ''}."


def more_statements(count: int) -> str:
    """That a short text holds only the first statement."""
    return f"{count} more statement{'' if count == 1 else 's'} in the message."


QUESTION_LABEL = "Question"
VERDICTS_HEADING = "By place and platform"
CONDITIONS_HEADING = "Conditions"


def condition_label(condition: Condition) -> str:
    """What kind of condition: "Age", "Licence"."""
    return _CONDITIONS[condition.kind]


def more_lines(count: int) -> str:
    """Stands for lines of a list that are not shown."""
    return f"and {count} more"


def not_stated(answer: Answer) -> str:
    """Which words of the question no quoted rule covers, and what follows from it; "" where all are covered. Goes with
    the headline: a verdict on the wider thing must not be read as one on the thing itself."""
    if not answer.not_stated:
        return ""
    named = listed((quoted(word) for word in answer.not_stated), "or")
    if answer.verdicts:
        wider = "this is the rule" if len(answer.verdicts) == 1 else "these are rules"
        return f"The policies do not name {named}; {wider} on the wider thing."
    gap = f"The quoted rules do not mention {named}"
    return f"{gap}." if answer.changes else f"{gap}, so no verdict is given. This is not a permission."


def row_verdict(row: ComparisonRow) -> str:
    """The verdict of a row of a comparison, with what its rules do not name: "Prohibited (“gummies” is not named)"; ""
    where there is none."""
    if row.verdict is None or not row.not_stated:
        return verdict_word(row.verdict) if row.verdict else ""
    named = listed((quoted(word) for word in row.not_stated), "and")
    return f"{verdict_word(row.verdict)} ({named} {'is' if len(row.not_stated) == 1 else 'are'} not named)"


def rewritten(question: str) -> str:
    """How a question was read: a follow-up with what it refers to."""
    return f"Read as: {quoted(question)}"


def left_out(statements: int, sources: int) -> str:
    """That a message had no room for everything."""
    counts = [(statements, "statement"), (sources, "source")]
    parts = [f"{count} {name}{'' if count == 1 else 's'}" for count, name in counts if count]
    return f"Left out for length: {listed(parts)}. Ask a narrower question to see more."
