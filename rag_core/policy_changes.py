"""What changed in a policy, as values; renderers and stores make of it what they need."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import date
from enum import StrEnum
from typing import Any


class ChangeKind(StrEnum):
    """What happened to a document: FORMATTING means that no rule changed."""

    ADDED = "added"
    CHANGED = "changed"
    FORMATTING = "formatting"
    REMOVED = "removed"


class RuleChangeKind(StrEnum):
    """MOVED: the same words, now under another heading or another lead-in."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"
    MOVED = "moved"


class Direction(StrEnum):
    """What a change does to a permission, where its wording says so."""

    STRICTER = "stricter"
    LOOSER = "looser"


@dataclass(frozen=True, slots=True)
class Edit:
    """Words replaced: [start, end) in the text before and in the text after; an empty span inserts or deletes."""

    before_start: int
    before_end: int
    after_start: int
    after_end: int


@dataclass(frozen=True, slots=True)
class RuleChange:
    """A sentence, list item, table row or heading. `before` is "" of an added one, `after` of a removed one.

    `lead_in`: the line that gives it its meaning ("The following is not allowed:"), "" where there is none; `around`:
    what that stands under itself, the outermost first: the item above an item, the lead-in of that list.
    `moved_from`: headings, and the lead-in where it has one, under which it stood before; empty unless it moved.
    `edits`: what differs between `before` and `after`, in order; differences of form are left out.
    """

    kind: RuleChangeKind
    before: str
    after: str
    edits: tuple[Edit, ...] = ()
    lead_in: str = ""
    moved_from: tuple[str, ...] = ()
    direction: Direction | None = None
    around: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SectionChange:
    """The changes under one heading path, in the order of the text. `formatting`: how many changes of mere form there
    were besides. `summary`: at most 15 words, empty where only the form changed."""

    path: tuple[str, ...]
    rules: tuple[RuleChange, ...]
    formatting: int = 0
    summary: str = ""


@dataclass(frozen=True, slots=True)
class PolicyChange:
    """A version that came, or the last one that went (REMOVED). `changed_on`: the day from which that holds.

    `change_id` grows with every change recorded; 0 before that. A change that is corrected later gets a new one.
    """

    kind: ChangeKind
    document_id: str
    policy_source: str
    doc_id: str
    previous_doc_id: str | None
    changed_on: date
    sections: tuple[SectionChange, ...] = ()
    title: str = ""
    change_id: int = 0


@dataclass(frozen=True, slots=True)
class ChangesWanted:
    """Which changes: those of [`since`, `until`] by the day they hold from, of these sources (none: of all).

    `after`: the `change_id` read last; then only what was recorded later, in the order in which it was.
    `newest_first`: the other way round, so that a limit leaves out the oldest.
    """

    since: date | None = None
    until: date | None = None
    after: int | None = None
    policy_sources: frozenset[str] = frozenset()
    newest_first: bool = False


def kind_of(sections: tuple[SectionChange, ...]) -> ChangeKind:
    """CHANGED if a rule did, else FORMATTING."""
    return ChangeKind.CHANGED if any(section.rules for section in sections) else ChangeKind.FORMATTING


def change_json(change: PolicyChange) -> dict[str, Any]:
    """A change with its sections, as REST and the command line give it out."""
    return {
        "change_id": change.change_id,
        "kind": change.kind.value,
        "changed_on": change.changed_on.isoformat(),
        "policy_source": change.policy_source,
        "document_id": change.document_id,
        "title": change.title,
        "doc_id": change.doc_id,
        "previous_doc_id": change.previous_doc_id,
        "sections": [section_json(section) for section in change.sections],
    }


def section_json(section: SectionChange) -> dict[str, Any]:
    return {
        "path": list(section.path),
        "summary": section.summary,
        "formatting": section.formatting,
        "rules": [_rule_json(rule) for rule in section.rules],
    }


def section_from(plain: Mapping[str, Any]) -> SectionChange:
    """The section that `section_json` wrote."""
    rules = tuple(_rule_from(each) for each in plain["rules"])
    return SectionChange(tuple(plain["path"]), rules, plain["formatting"], plain["summary"])


def _rule_json(rule: RuleChange) -> dict[str, Any]:
    return {
        "kind": rule.kind.value,
        "before": rule.before,
        "after": rule.after,
        "edits": [asdict(edit) for edit in rule.edits],
        "lead_in": rule.lead_in,
        "around": list(rule.around),
        "moved_from": list(rule.moved_from),
        "direction": rule.direction.value if rule.direction else None,
    }


def _rule_from(plain: Mapping[str, Any]) -> RuleChange:
    return RuleChange(
        kind=RuleChangeKind(plain["kind"]),
        before=plain["before"],
        after=plain["after"],
        edits=tuple(Edit(**each) for each in plain["edits"]),
        lead_in=plain["lead_in"],
        moved_from=tuple(plain["moved_from"]),
        direction=Direction(plain["direction"]) if plain["direction"] else None,
        around=tuple(plain.get("around", ())),
    )
