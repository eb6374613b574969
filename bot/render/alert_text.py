"""An alert in plain text, for notifications and above its rules."""

from collections.abc import Mapping
from datetime import date

from bot.alerts.changes import Told, ToldChange
from bot.wording import alerts as wording
from rag_core.changes.summary import headline
from rag_core.policy_changes import RuleChange


def is_single(told: Told) -> bool:
    """An alert of one change; else a list."""
    return len(told.changes) == 1 and not told.left_out and not told.rhythm


def said_alone(told: Told, names: Mapping[str, str], today: date) -> str:
    """What, where, since when, stricter or looser, in one paragraph."""
    if not is_single(told):
        said = [wording.digest_headline(told.rhythm, len(told.changes) + told.left_out)]
        said += [wording.alert_headline(each.change.kind, each.change.title) for each in told.changes[:5]]
        return ". ".join(said)
    each = told.changes[0]
    what = [headline(each.change.sections)] if rules_of(each) else []
    return ". ".join([wording.alert_headline(each.change.kind, each.change.title), *facts(each, names, today), *what])


def facts(told: ToldChange, names: Mapping[str, str], today: date) -> list[str]:
    """Where, since when, and which way."""
    change, rules = told.change, rules_of(told)
    said = [
        wording.change_place(change.policy_source, told.regions, names),
        wording.change_since(change.kind, change.changed_on, today),
    ]
    return [*said, *([wording.direction_of(rules)] if rules else [])]


def rules_of(told: ToldChange) -> list[RuleChange]:
    return [rule for section in told.change.sections for rule in section.rules]
