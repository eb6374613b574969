"""Wording of comparisons, changes and lists of documents."""

from collections.abc import Mapping

from bot.wording.names import day, in_places, listed, quoted, region_name, source_name
from bot.wording.sources import in_force, section_title
from rag_core.answers import ChangedRule, Changes, ComparisonRow, DocumentList, ListedDocument
from rag_core.policy_changes import Direction, RuleChangeKind
from rag_core.questions import Scope

_KINDS = {
    RuleChangeKind.ADDED: "added",
    RuleChangeKind.REMOVED: "removed",
    RuleChangeKind.CHANGED: "changed",
    RuleChangeKind.MOVED: "moved",
}
_DIRECTIONS = {Direction.STRICTER: "stricter", Direction.LOOSER: "less strict"}


COMPARISON_HEADING = "Side by side"


def comparison_columns() -> tuple[str, str, str, str, str]:
    """The heads of the table's columns."""
    return "Place", "Platform", "Verdict", "Conditions", "Sources"


def row_place(row: ComparisonRow) -> str:
    return "No place named" if row.region is None else region_name(row.region)


def row_platform(row: ComparisonRow, names: Mapping[str, str]) -> str:
    return "Any platform" if row.policy_source is None else source_name(row.policy_source, names)


def row_gap(row: ComparisonRow) -> str:
    """Why a row has no verdict: no rule, or something that the rules do not state."""
    if not row.citations:
        return "No rule found; that is not a permission"
    if row.not_stated:
        return f"No verdict: {listed((quoted(word) for word in row.not_stated), 'or')} is not stated"
    return "No verdict: the rules are quoted below"


def comparison_left_out(count: int) -> str:
    """That more pairs were asked about than the table takes."""
    pairs = "one more place or platform" if count == 1 else f"{count} more pairs of place and platform"
    return f"Not compared: {pairs}. Ask for them separately."


def changes_headline(changes: Changes) -> str:
    """How much changed, and over which days."""
    count = len(changes.rules) + changes.left_out
    if not count:
        return f"No change on record {_days(changes)}"
    if all(rule.whole_document for rule in changes.rules) and changes.rules:
        return _documents_only(changes, count)
    return f"{_counted(count, 'rule')} changed {_days(changes)}"


def _documents_only(changes: Changes, count: int) -> str:
    if any(rule.kind is RuleChangeKind.REMOVED for rule in changes.rules):
        return f"{_counted(count, 'document')} came or went {_days(changes)}"
    if changes.since is None:
        return "No change on record since the first version on file"
    return f"No rule changed; {_counted(count, 'document')} came on file {_days(changes)}"


CHANGES_HEADING = "What changed"


def changes_columns() -> tuple[str, str, str]:
    """The heads of the table's columns."""
    return "Rule", "Before", "Now"


def change_title(rule: ChangedRule) -> str:
    """Where it stands: "Alcohol › Country rules › Germany"."""
    return section_title(rule.title, rule.section_path)


def change_facts(rule: ChangedRule, names: Mapping[str, str]) -> str:
    """ "4 May 2026 · changed, stricter · Google"."""
    return f"{day(rule.changed_on)} · {_what(rule)} · {source_name(rule.policy_source, names)}"


def change_lead_in(rule: ChangedRule) -> str:
    """The line that gives the rule its meaning; "" where there is none."""
    return f"Under: {quoted(rule.lead_in)}" if rule.lead_in else ""


def before_text(rule: ChangedRule) -> str:
    """The old version as a cell."""
    if not rule.before:
        return "Not in the version before" if not rule.whole_document else "Not on file"
    return quoted(rule.before)


def after_text(rule: ChangedRule) -> str:
    """The new version as a cell."""
    if not rule.after:
        return "No longer there"
    return quoted(rule.after)


def changes_left_out(count: int) -> str:
    """That there were more changes than are shown."""
    more = "1 more change is" if count == 1 else f"{count} more changes are"
    return f"{more} on record for these days. Name a topic, a place or fewer days to see them."


def nothing_changed(changes: Changes, scope: Scope, names: Mapping[str, str]) -> str:
    """What was looked at, and when it last changed."""
    platforms = listed(source_name(each, names) for each in scope.policy_sources)
    of = f" of {platforms}" if platforms else ""
    where = f" for ads {in_places(scope.regions)}" if scope.regions else ""
    last = f" The last change before that was on {day(changes.last_before)}." if changes.last_before else ""
    about = f" on {listed((quoted(word) for word in changes.looked_for), 'and')}" if changes.looked_for else ""
    return f"In the versions{of} on file no rule{about}{where} changed {_days(changes)}.{last}"


RULES_AS_THEY_ARE = "The rules as they are"
"""Over the rules that did not change."""


def documents_headline(found: DocumentList) -> str:
    return f"{_counted(len(found.documents) + found.left_out, 'document')} on file"


DOCUMENTS_HEADING = "Documents"


def documents_columns() -> tuple[str, str, str]:
    """The heads of the table's columns."""
    return "Document", "Platform", "Versions"


def document_versions(document: ListedDocument) -> str:
    """The days of its versions, newest first: "in force since 4 May 2026; before that from 1 March 2025"."""
    first, *older = document.versions
    shown = [in_force(first.effective_from, first.effective_to, date_stated=first.date_stated)]
    shown += [f"version of {day(each.effective_from)}" for each in older]
    more = [f"{document.more_versions} older"] if document.more_versions else []
    return "; ".join([*shown, *more])


def documents_left_out(count: int) -> str:
    """That there are more documents than are listed."""
    more = "1 more document is" if count == 1 else f"{count} more documents are"
    return f"{more} on file. Name a platform or a topic to see them."


def _what(rule: ChangedRule) -> str:
    if rule.whole_document:
        return "first version on file" if rule.kind is RuleChangeKind.ADDED else "no longer in force"
    kind = _KINDS[rule.kind]
    if rule.moved_from and rule.moved_from != rule.section_path:
        kind = f"moved from {quoted(rule.moved_from.rsplit(' > ', 1)[-1])}"
    return f"{kind}, {_DIRECTIONS[rule.direction]}" if rule.direction is not None else kind


def _days(changes: Changes) -> str:
    if changes.since is None:
        days = {rule.changed_on for rule in changes.rules}
        if not days or (len(days) > 1 and not changes.left_out):
            return f"until {day(changes.until)}"
        # What is left out is older, if it is not of the same day.
        return f"{'up to' if changes.left_out else 'on'} {day(max(days))}, the latest change"
    if changes.since == changes.until:
        return f"on {day(changes.since)}"
    return f"from {day(changes.since)} to {day(changes.until)}"


def _counted(count: int, name: str) -> str:
    return f"{count} {name}{'' if count == 1 else 's'}"
