"""Comparisons and lists in the REST shape."""

from bot.model.links import Links
from rag_core.answers import Answer, ChangedRule, Changes, Comparison, Condition, DocumentList, ListedDocument

Json = dict[str, object]


def tables_json(answer: Answer, links: Links) -> Json:
    """`comparison`, `changes` and `documents`, those that the answer has."""
    found: Json = {}
    if answer.comparison is not None:
        found["comparison"] = _comparison(answer.comparison)
    if answer.changes is not None:
        found["changes"] = _changes(answer.changes)
    if answer.documents is not None:
        found["documents"] = _documents(answer.documents, links)
    return found


def condition_json(condition: Condition) -> Json:
    return {"kind": str(condition.kind), "text": condition.text, "citations": list(condition.citations)}


def _comparison(comparison: Comparison) -> Json:
    rows = [
        {
            "region": row.region,
            "policy_source": row.policy_source,
            "verdict": str(row.verdict) if row.verdict else None,
            "conditions": [condition_json(each) for each in row.conditions],
            "not_stated": list(row.not_stated),
            "citations": list(row.citations),
        }
        for row in comparison.rows
    ]
    return {"rows": rows, "left_out": comparison.left_out}


def _changes(changes: Changes) -> Json:
    return {
        "since": changes.since.isoformat() if changes.since else None,
        "until": changes.until.isoformat(),
        "rules": [_changed(rule) for rule in changes.rules],
        "left_out": changes.left_out,
        "last_before": changes.last_before.isoformat() if changes.last_before else None,
        "looked_for": list(changes.looked_for),
    }


def _changed(rule: ChangedRule) -> Json:
    return {
        "kind": str(rule.kind),
        "direction": str(rule.direction) if rule.direction else None,
        "changed_on": rule.changed_on.isoformat(),
        "policy_source": rule.policy_source,
        "document_id": rule.document_id,
        "title": rule.title,
        "section_path": rule.section_path,
        "moved_from": rule.moved_from,
        "whole_document": rule.whole_document,
        "lead_in": rule.lead_in,
        "before": rule.before,
        "after": rule.after,
        "before_citation": rule.before_citation,
        "after_citation": rule.after_citation,
    }


def _documents(found: DocumentList, links: Links) -> Json:
    return {"documents": [_document(each, links) for each in found.documents], "left_out": found.left_out}


def _document(document: ListedDocument, links: Links) -> Json:
    versions = [
        {
            "doc_id": each.doc_id,
            "effective_from": each.effective_from.isoformat(),
            "effective_to": each.effective_to.isoformat() if each.effective_to else None,
            "date_stated": each.date_stated,
        }
        for each in document.versions
    ]
    return {
        "document_id": document.document_id,
        "policy_source": document.policy_source,
        "title": document.title,
        "url": links.document(document),
        "versions": versions,
        "more_versions": document.more_versions,
        "checked_at": document.checked_at.isoformat(),
    }
