"""Questions and answers as audit entries, and the entries as rows of a spreadsheet."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

from bot.audit.entries import PERSON, AuditEntry, RecordKind
from bot.model.jsonable import jsonable
from bot.model.outcomes import kind_of
from rag_core.answers import Answer, AskTrace, Citation, Refusal, Reply, Statement
from rag_core.curated.asking import CURATED
from rag_core.questions import Filters, Scope

ASKED = "asked"
UNDERSTOOD = "understood"
SHOWN = "shown"
DROPPED = "dropped"
FILTERS = "filters"
"""Personal fields beside who and where: the question's words may be in each of them; filters are typed, too."""

DEFAULTS = "defaults"
"""In the facts of a question: what it was to mean where it names no place or platform."""

_MODEL_NOTES = ("name", "prompt_version", "prompt", "usage", "failure")


@dataclass(frozen=True, slots=True)
class Exchange:
    """Who asked what, where and when, with all that decided the answer. `origin`: "slack", "rest", "terminal" ..."""

    answer_id: str
    origin: str
    workspace: str
    person: str
    asked: str
    at: datetime
    channel: str = ""
    thread: str = ""
    filters: Filters = field(default_factory=Filters)
    as_of: date | None = None
    groups: frozenset[str] = frozenset()
    top_k: int = 15
    defaults: Filters = field(default_factory=Filters)


def answered_entries(
    exchange: Exchange, reply: Reply, trace: AskTrace, shown: str, at: datetime
) -> tuple[AuditEntry, AuditEntry]:
    """The question and its reply; `shown` is the reply's text as people read it."""
    kind = kind_of(reply)
    question = _question(exchange, f"{exchange.answer_id}:question", kind)
    facts = {
        "intent": str(trace.question.intent),
        "language": trace.question.language,
        "scope": _scope(trace.question.scope, exchange.filters),
        **_said(reply, trace),
        "warnings": [{"code": str(each.code), "subjects": list(each.subjects)} for each in reply.warnings],
        "degraded": list(reply.degraded),
        "chunks": [
            {"chunk_id": each.chunk_id, "doc_id": each.doc_id, "content_hash": each.content_hash, "fate": each.fate}
            for each in trace.candidates
        ],
        "dropped": len(trace.dropped),
        "model": _model(trace.notes),
        **_curated(trace.notes),
        "timings_ms": jsonable(trace.timings_ms),
    }
    personal = {
        **_who(exchange),
        UNDERSTOOD: trace.question.search_text,
        SHOWN: shown,
        **({DROPPED: json.dumps(jsonable(trace.dropped), ensure_ascii=False)} if trace.dropped else {}),
    }
    answer = AuditEntry(
        f"{exchange.answer_id}:reply",
        RecordKind(kind),
        exchange.workspace,
        at,
        exchange.answer_id,
        exchange.origin,
        facts,
        personal,
    )
    return question, answer


def failed_entry(exchange: Exchange, code: str) -> AuditEntry:
    """A question that got no reply; again with the same code it is the same entry."""
    return _question(exchange, f"{exchange.answer_id}:failed:{code}", code)


def _question(exchange: Exchange, record_id: str, outcome: str) -> AuditEntry:
    facts = {
        "outcome": outcome,
        "as_of": jsonable(exchange.as_of),
        "groups": sorted(exchange.groups),
        "top_k": exchange.top_k,
        **_defaults(exchange.defaults),
    }
    filters = {FILTERS: json.dumps(jsonable(exchange.filters))} if exchange.filters != Filters() else {}
    personal = {**_who(exchange), ASKED: exchange.asked, **filters}
    return AuditEntry(
        record_id,
        RecordKind.QUESTION,
        exchange.workspace,
        exchange.at,
        exchange.answer_id,
        exchange.origin,
        facts,
        personal,
    )


def _defaults(defaults: Filters) -> dict[str, Any]:
    """Set by the channel's admins, typed by nobody: no personal field. Nothing where there are none."""
    told = {"regions": list(defaults.regions), "policy_sources": list(defaults.policy_sources)}
    return {DEFAULTS: told} if any(told.values()) else {}


def _who(exchange: Exchange) -> dict[str, str]:
    """A channel may be a talk with one person only, so where it was asked is personal, too."""
    where = {"channel": exchange.channel, "thread": exchange.thread}
    return {PERSON: exchange.person, **{name: value for name, value in where.items() if value}}


def _scope(scope: Scope, typed: Filters) -> Any:
    """Without the notes, which repeat the question's words, and without sections and labels that were typed: nobody
    checks those against what is known."""
    told = {name: value for name, value in jsonable(scope).items() if name not in ("notes", "sections")}
    keys = {key.strip().lower() for key in typed.labels}
    return {**told, "labels": {key: values for key, values in told["labels"].items() if key not in keys}}


def _said(reply: Reply, trace: AskTrace) -> dict[str, Any]:
    if isinstance(reply, Refusal):
        return {"refusal": {"reason": str(reply.reason), "searched": list(reply.searched)}}
    if not isinstance(reply, Answer):
        return {}
    hashes = {each.chunk_id: each.content_hash for each in trace.candidates}
    return {
        "verdicts": [
            {"region": each.region, "policy_source": each.policy_source, "verdict": str(each.verdict)}
            for each in reply.verdicts
        ],
        "statements": [_statement(each) for each in reply.statements],
        "citations": [_citation(each, hashes) for each in reply.citations],
    }


def _statement(statement: Statement) -> dict[str, Any]:
    return {
        "text": statement.text,
        "citations": list(statement.citations),
        "quotes": [jsonable(each) for each in statement.quotes],
    }


def _citation(citation: Citation, hashes: Mapping[str, str]) -> dict[str, Any]:
    return {
        "number": citation.number,
        "chunk_id": citation.chunk_id,
        "doc_id": citation.doc_id,
        "content_hash": hashes.get(citation.chunk_id),
        "char_start": citation.char_start,
        "char_end": citation.char_end,
        "quote": citation.quote,
        "quote_type": str(citation.quote_type),
    }


def _model(notes: Mapping[str, Any]) -> Any:
    """Which model read the rules, by which prompt; None where none was asked."""
    model = notes.get("model")
    return {name: jsonable(model.get(name)) for name in _MODEL_NOTES} if isinstance(model, Mapping) else None


def _curated(notes: Mapping[str, Any]) -> dict[str, Any]:
    """Which approved answer was shown, where one was."""
    return {CURATED: jsonable(notes[CURATED])} if CURATED in notes else {}


CSV_COLUMNS = (
    "chain",
    "sequence",
    "at",
    "kind",
    "origin",
    "subject",
    "person",
    "channel",
    "asked",
    "understood",
    "outcome",
    "verdicts",
    "regions",
    "as_of",
    "documents",
    "shown",
    "model",
    "prompt_version",
    "record_id",
    "hash",
)

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""How a cell begins that a spreadsheet would run."""


def csv_row(body: Mapping[str, Any], personal: Mapping[str, Any] | None, hash_: str) -> list[str]:
    """The cells of CSV_COLUMNS; empty where there is nothing, or it was forgotten."""
    facts = body["facts"]
    told = {name: each["value"] for name, each in (personal or {}).items()}
    scope, model = facts.get("scope") or {}, facts.get("model") or {}
    values = {
        **{name: body[name] for name in ("chain", "sequence", "at", "kind", "origin", "subject", "record_id")},
        "person": told.get(PERSON),
        "channel": told.get("channel"),
        "asked": told.get(ASKED),
        "understood": told.get(UNDERSTOOD),
        "shown": told.get(SHOWN),
        "outcome": _outcome(facts),
        "verdicts": "; ".join(_verdict(each) for each in facts.get("verdicts", ())),
        "regions": " ".join(scope.get("regions", ())),
        "as_of": scope.get("as_of"),
        "documents": " ".join(dict.fromkeys(each["doc_id"] for each in facts.get("citations", ()))),
        "model": model.get("name"),
        "prompt_version": model.get("prompt_version"),
        "hash": hash_,
    }
    return [cell(values[name]) for name in CSV_COLUMNS]


def cell(value: object) -> str:
    """A cell that no spreadsheet takes for a formula."""
    text = "" if value is None else str(value)
    return f"'{text}" if text.startswith(_FORMULA) else text


def _outcome(facts: Mapping[str, Any]) -> object:
    refusal = facts.get("refusal") or {}
    return facts.get("outcome") or facts.get("act") or refusal.get("reason")


def _verdict(verdict: Mapping[str, Any]) -> str:
    return " ".join(filter(None, (verdict["region"], verdict["policy_source"], verdict["verdict"])))
