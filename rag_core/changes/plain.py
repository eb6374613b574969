"""Changes as plain JSON values: what is stored of them, and what programs are given."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from rag_core.policy_changes import Direction, Edit, PolicyChange, RuleChange, RuleChangeKind, SectionChange


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
