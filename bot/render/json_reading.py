"""The REST shape of an answer read back, as it is on record: to show the whole of one that was shortened."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime
from typing import Any

from rag_core.answers import (
    Answer,
    Approved,
    ChangedRule,
    Changes,
    Citation,
    Comparison,
    ComparisonRow,
    Condition,
    ConditionKind,
    DocumentList,
    ListedDocument,
    ListedVersion,
    Notice,
    PlaceVerdict,
    QuoteType,
    Statement,
    Verdict,
    WarningCode,
)
from rag_core.documents import ContentType
from rag_core.errors import Rejected
from rag_core.policy_changes import Direction, RuleChangeKind
from rag_core.questions import Scope

Json = Mapping[str, Any]


def answer_from(shape: Json, trace: Json | None = None) -> Answer:
    """The answer that `bot.render.json.reply_json` made this of, without choices and without how words were read.

    Raises Rejected("answer_unreadable") for anything else, and for what a later version wrote.
    """
    try:
        return replace(_answer(shape), scope=scope_from(shape, trace))
    except (KeyError, TypeError, ValueError, AttributeError) as exc:
        raise Rejected("answer_unreadable") from exc


def _answer(shape: Json) -> Answer:
    if shape["kind"] != "answer":
        raise ValueError(shape["kind"])
    return Answer(
        scope=_scope(shape["scope"]),
        statements=tuple(Statement(each["text"], tuple(each["citations"]), ()) for each in shape["statements"]),
        citations=tuple(map(_citation, shape["citations"])),
        verdicts=tuple(map(_verdict, shape["verdicts"])),
        not_stated=tuple(shape.get("not_stated", ())),
        warnings=tuple(Notice(WarningCode(each["code"]), tuple(each["subjects"])) for each in shape["warnings"]),
        degraded=tuple(shape["degraded"]),
        rewritten_question=shape.get("rewritten_question"),
        comparison=_comparison(shape["comparison"]) if "comparison" in shape else None,
        changes=_changes(shape["changes"]) if "changes" in shape else None,
        documents=_documents(shape["documents"]) if "documents" in shape else None,
        approved=_approved(shape["approved"]) if "approved" in shape else None,
    )


def _approved(shape: Json) -> Approved:
    """Which of the approved answers it was, the shape does not say."""
    return Approved(shape["by"], date.fromisoformat(shape["on"]), "", 0)


def scope_from(shape: Json, trace: Json | None) -> Scope:
    """The scope of a reply in the REST shape, in which what was read and what was assumed are one; its trace, if there
    is one, tells them apart. Raises Rejected("answer_unreadable")."""
    try:
        read = _scope(shape["scope"])
        asked = trace["question"]["scope"] if trace and trace.get("question") else {}
        assumed = tuple(each for each in read.inferred if each in asked.get("assumed", ()))
        inferred = tuple(each for each in read.inferred if each not in assumed)
        return replace(read, inferred=inferred, assumed=assumed)
    except (KeyError, TypeError, ValueError, AttributeError) as exc:
        raise Rejected("answer_unreadable") from exc


def _scope(shape: Json) -> Scope:
    types = shape["content_type"]
    listed: Sequence[str] = types if isinstance(types, list) else [types] if types else []
    return Scope(
        as_of=date.fromisoformat(shape["as_of"]),
        policy_sources=tuple(shape["policy_sources"]),
        regions=tuple(shape["regions"]),
        content_types=tuple(map(ContentType, listed)),
        labels={key: tuple(values) for key, values in shape["labels"].items()},
        inferred=tuple("content_types" if each == "content_type" else each for each in shape["inferred"]),
        since=_day(shape.get("since")),
    )


def _citation(shape: Json) -> Citation:
    return Citation(
        number=shape["number"],
        chunk_id=shape["chunk_id"],
        doc_id=shape["doc_id"],
        document_id=shape["document_id"],
        policy_source=shape["policy_source"],
        title=shape["title"],
        url=shape["url"],
        anchor=None,
        section_path=shape["section_path"],
        rule_number=shape["rule_number"],
        page=shape["page"],
        regions=tuple(shape["regions"]),
        effective_from=date.fromisoformat(shape["effective_from"]),
        effective_to=_day(shape["effective_to"]),
        checked_at=datetime.fromisoformat(shape["checked_at"]),
        char_start=shape["char_start"],
        char_end=shape["char_end"],
        quote=shape["quote"],
        quote_type=QuoteType(shape["quote_type"]),
        confidence=shape["confidence"],
        author=shape.get("author"),
        posted_at=datetime.fromisoformat(shape["posted_at"]) if shape.get("posted_at") else None,
        post_number=shape.get("post_number"),
        date_stated=shape.get("date_stated", True),
    )


def _verdict(shape: Json) -> PlaceVerdict:
    conditions = tuple(map(_condition, shape["conditions"]))
    verdict = Verdict(shape["verdict"])
    return PlaceVerdict(shape["region"], shape["policy_source"], verdict, conditions, tuple(shape["citations"]))


def _condition(shape: Json) -> Condition:
    return Condition(ConditionKind(shape["kind"]), shape["text"], tuple(shape["citations"]))


def _comparison(shape: Json) -> Comparison:
    rows = tuple(
        ComparisonRow(
            row["region"],
            row["policy_source"],
            Verdict(row["verdict"]) if row["verdict"] else None,
            tuple(map(_condition, row["conditions"])),
            tuple(row["not_stated"]),
            tuple(row["citations"]),
        )
        for row in shape["rows"]
    )
    return Comparison(rows, shape["left_out"])


def _changes(shape: Json) -> Changes:
    return Changes(
        since=_day(shape["since"]),
        until=date.fromisoformat(shape["until"]),
        rules=tuple(map(_changed, shape["rules"])),
        left_out=shape["left_out"],
        last_before=_day(shape["last_before"]),
        looked_for=tuple(shape["looked_for"]),
    )


def _changed(rule: Json) -> ChangedRule:
    return ChangedRule(
        kind=RuleChangeKind(rule["kind"]),
        changed_on=date.fromisoformat(rule["changed_on"]),
        policy_source=rule["policy_source"],
        document_id=rule["document_id"],
        title=rule["title"],
        section_path=rule["section_path"],
        before=rule["before"],
        after=rule["after"],
        before_citation=rule["before_citation"],
        after_citation=rule["after_citation"],
        lead_in=rule["lead_in"],
        direction=Direction(rule["direction"]) if rule["direction"] else None,
        whole_document=rule["whole_document"],
        moved_from=rule["moved_from"],
    )


def _documents(shape: Json) -> DocumentList:
    return DocumentList(tuple(map(_document, shape["documents"])), shape["left_out"])


def _document(shape: Json) -> ListedDocument:
    versions = tuple(
        ListedVersion(
            each["doc_id"],
            date.fromisoformat(each["effective_from"]),
            _day(each["effective_to"]),
            each.get("date_stated", True),
        )
        for each in shape["versions"]
    )
    return ListedDocument(
        document_id=shape["document_id"],
        policy_source=shape["policy_source"],
        title=shape["title"],
        url=shape["url"],
        versions=versions,
        checked_at=datetime.fromisoformat(shape["checked_at"]),
        more_versions=shape["more_versions"],
    )


def _day(text: str | None) -> date | None:
    return date.fromisoformat(text) if text else None
