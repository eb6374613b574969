"""The REST shape of a reply, and problem details (RFC 9457) for what is none."""

from collections.abc import Iterable, Mapping
from datetime import date, datetime

from bot import wording
from bot.model.links import Links
from bot.model.outcomes import Failure, Postponed, Rejection, kind_of
from bot.render.markdown import body_markdown, document_titles
from rag_core.answers import (
    Answer,
    ChangedRule,
    Changes,
    Choice,
    Citation,
    Comparison,
    Condition,
    DocumentList,
    ListedDocument,
    Nearest,
    PlaceVerdict,
    Refusal,
    Reply,
    Statement,
)
from rag_core.questions import Filters, NoteKind, Scope, ScopeNote

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


def reply_json(answer_id: str, reply: Reply, links: Links, timings_ms: Mapping[str, float]) -> Json:
    """The reply as `POST /api/v1/ask` answers it: `text` is Markdown, days and times are ISO 8601.

    `rewritten_question`, `choices`, `not_stated`, `refusal`, `approved`, `comparison`, `changes` and `documents` are
    there only where there is something to say.
    """
    answer = reply if isinstance(reply, Answer) else None
    return {
        "answer_id": answer_id,
        "kind": kind_of(reply),
        "verdict": str(answer.verdict) if answer and answer.verdict else None,
        "verdicts": [_verdict(each) for each in answer.verdicts] if answer else [],
        "text": body_markdown(reply, links),
        "statements": [statement_json(each) for each in answer.statements] if answer else [],
        "citations": [_citation(each, links) for each in answer.citations] if answer else [],
        "scope": scope_json(reply.scope, links),
        **_where_present(reply, links),
        "warnings": _warnings(reply),
        "degraded": list(reply.degraded),
        "timings_ms": dict(timings_ms),
    }


def outcome_json(outcome: Rejection | Failure | Postponed) -> Json:
    """Problem details; `known` (a list or a text) where the values that would work are known, `reference` for
    a failure or a postponed question: the id that finds its log line. The status is the web server's to add."""
    if isinstance(outcome, Postponed):
        found = _problem(f"postponed_{outcome.delay}", wording.postponed(outcome))
        return {**found, "reference": outcome.question_id}
    if isinstance(outcome, Failure):
        found = _problem(str(outcome.code), wording.failure(outcome))
        return {**found, "reference": outcome.question_id}
    known = outcome.details.get("known")
    listed = [str(each) for each in known] if isinstance(known, Iterable) and not isinstance(known, str) else known
    return {**_problem(outcome.code, wording.rejection(outcome)), **({"known": listed} if listed else {})}


def _problem(code: str, problem: wording.Problem) -> Json:
    return {"type": f"urn:adpolicy:problem:{code}", "title": problem.title, "detail": problem.detail, "code": code}


def _where_present(reply: Reply, links: Links) -> Json:
    found: Json = {}
    if reply.rewritten_question:
        found["rewritten_question"] = reply.rewritten_question
    if reply.choices:
        found["choices"] = [_choice(each, links) for each in reply.choices]
    if isinstance(reply, Answer) and reply.not_stated:
        found["not_stated"] = list(reply.not_stated)
    if isinstance(reply, Answer) and reply.approved:
        found["approved"] = {"by": reply.approved.by, "on": reply.approved.on.isoformat()}
    if isinstance(reply, Answer):
        found.update(tables_json(reply, links))
    if isinstance(reply, Refusal):
        nearest = [_nearest(each, links) for each in reply.nearest]
        found["refusal"] = {"reason": str(reply.reason), "nearest": nearest}
    return found


def statement_json(statement: Statement) -> Json:
    return {"text": statement.text, "citations": list(statement.citations)}


def _verdict(verdict: PlaceVerdict) -> Json:
    return {
        "region": verdict.region,
        "policy_source": verdict.policy_source,
        "verdict": str(verdict.verdict),
        "conditions": [condition_json(each) for each in verdict.conditions],
        "citations": list(verdict.citations),
    }


def _section(source: Citation | Nearest, url: str) -> Json:
    """What a citation and a near section have in common."""
    return {
        "chunk_id": source.chunk_id,
        "doc_id": source.doc_id,
        "policy_source": source.policy_source,
        "title": source.title,
        "url": url,
        "section_path": source.section_path,
        "regions": list(source.regions),
        "effective_from": source.effective_from.isoformat(),
        "effective_to": _iso(source.effective_to),
        "date_stated": source.date_stated,
    }


def _nearest(nearest: Nearest, links: Links) -> Json:
    return _section(nearest, links.nearest(nearest))


def _citation(citation: Citation, links: Links) -> Json:
    post = {
        "author": citation.author,
        "posted_at": _iso(citation.posted_at),
        "post_number": citation.post_number,
    }
    return {
        "number": citation.number,
        "document_id": citation.document_id,
        **_section(citation, links.citation(citation)),
        "rule_number": citation.rule_number,
        "page": citation.page,
        **{name: value for name, value in post.items() if value is not None},
        "checked_at": citation.checked_at.isoformat(),
        "char_start": citation.char_start,
        "char_end": citation.char_end,
        "quote": citation.quote,
        "quote_type": str(citation.quote_type),
        "confidence": citation.confidence,
    }


def scope_json(scope: Scope, links: Links) -> Json:
    """`content_type` is null, a value or a list, as in the request's filters. `notes`: how words were read that are no
    names, and what was carried over; there only where there are any."""
    types = [str(each) for each in scope.content_types]
    return {
        "policy_sources": list(scope.policy_sources),
        "regions": list(scope.regions),
        "content_type": types if len(types) > 1 else (types[0] if types else None),
        "as_of": scope.as_of.isoformat(),
        **({"since": scope.since.isoformat()} if scope.since else {}),
        "labels": {key: list(values) for key, values in scope.labels.items()},
        "inferred": [_field(each) for each in (*scope.inferred, *scope.assumed)],
        **({"notes": [_note(each, links) for each in scope.notes]} if scope.notes else {}),
    }


def _note(note: ScopeNote, links: Links) -> Json:
    meant = map(_field, note.meant) if note.kind is NoteKind.CARRIED else note.meant
    text = wording.scope_note(note, links.source_names)
    return {"kind": str(note.kind), "said": note.said, "meant": list(meant), "text": text}


def _field(name: str) -> str:
    return "content_type" if name == "content_types" else name


def _choice(choice: Choice, links: Links) -> Json:
    return {
        "label": wording.choice_label(choice, links.source_names),
        "question": choice.question,
        "filters": _filters(choice.filters),
    }


def _filters(filters: Filters) -> Json:
    """In the form in which `POST /api/v1/ask` takes them; only those that are set."""
    values: Json = {
        "policy_source": list(filters.policy_sources),
        "region": list(filters.regions),
        "content_type": list(filters.content_types),
        "policy_section": list(filters.sections),
        "labels": {key: list(each) for key, each in filters.labels.items()},
    }
    return {name: value for name, value in values.items() if value}


def _warnings(reply: Reply) -> list[Json]:
    titles = document_titles(reply)
    return [
        {"code": str(each.code), "text": wording.warning(each, titles), "subjects": list(each.subjects)}
        for each in reply.warnings
    ]


def _iso(moment: date | datetime | None) -> str | None:
    return moment.isoformat() if moment is not None else None
