"""What a bot answered, as the REST contract shapes it: the same for every bot that is measured."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from rag_core.answers import Verdict


@dataclass(frozen=True, slots=True)
class Cited:
    """A citation. `texts`: the statements that lean on it, and its quote."""

    chunk_id: str
    document_id: str
    policy_source: str
    section_path: str
    rule_number: str | None
    regions: tuple[str, ...]
    effective_from: date
    effective_to: date | None
    texts: tuple[str, ...]
    doc_id: str = ""


@dataclass(frozen=True, slots=True)
class GivenVerdict:
    region: str | None
    policy_source: str
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Retrieved:
    """A chunk that was found for a question. `text`: lead-in and text."""

    chunk_id: str
    document_id: str
    policy_source: str
    section_path: str
    text: str
    regions: tuple[str, ...]
    effective_from: date
    effective_to: date | None


@dataclass(frozen=True, slots=True)
class Observed:
    """A reply. `kind`: answer, refusal, clarification; "rejected" for a question that the bot does not take.

    `shown`: everything a reader sees, as each platform shows it. `retrieved`: best first; None where the bot does not
    tell. `milliseconds`: without the query embedding where that is known (`embedding_known`).
    """

    kind: str
    verdict: Verdict | None = None
    verdicts: tuple[GivenVerdict, ...] = ()
    statements: tuple[str, ...] = ()
    citations: tuple[Cited, ...] = ()
    not_stated: tuple[str, ...] = ()
    reason: str | None = None
    regions: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()
    degraded: tuple[str, ...] = ()
    rewritten: str | None = None
    milliseconds: float | None = None
    retrieved: tuple[Retrieved, ...] | None = field(default=None, repr=False)

    @property
    def claims_nothing(self) -> bool:
        """No verdict, for no place."""
        return self.verdict is None and not self.verdicts

    @property
    def declines(self) -> bool:
        """A refusal, or an answer that says what is not stated and gives no verdict."""
        return self.kind == "refusal" or (self.kind == "answer" and bool(self.not_stated) and self.claims_nothing)


def observed_from(
    shape: Mapping[str, Any], shown: Sequence[str] = (), retrieved: Sequence[Retrieved] | None = None
) -> Observed:
    """The reply whose REST shape this is (`POST /api/v1/ask`)."""
    timings = shape.get("timings_ms", {})
    spent = timings["total"] - timings.get("embed", 0.0) if "total" in timings else None
    statements = shape.get("statements", ())
    return Observed(
        kind=shape["kind"],
        verdict=_verdict(shape.get("verdict")),
        verdicts=tuple(_given(each) for each in shape.get("verdicts", ())),
        statements=tuple(each["text"] for each in statements),
        citations=tuple(_cited(each, statements) for each in shape.get("citations", ())),
        not_stated=tuple(shape.get("not_stated", ())),
        reason=(shape.get("refusal") or {}).get("reason"),
        regions=tuple(shape.get("scope", {}).get("regions", ())),
        shown=(shape.get("text", ""), *(each["text"] for each in statements), *shown),
        degraded=tuple(shape.get("degraded", ())),
        rewritten=shape.get("rewritten_question"),
        milliseconds=spent,
        retrieved=tuple(retrieved) if retrieved is not None else None,
    )


def texts_in(value: object) -> list[str]:
    """Every text in a JSON value, without the names of its fields."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, Mapping):
        return [text for each in value.values() for text in texts_in(each)]
    return [text for each in value for text in texts_in(each)] if isinstance(value, list | tuple) else []


def _cited(citation: Mapping[str, Any], statements: Sequence[Mapping[str, Any]]) -> Cited:
    texts = [each["text"] for each in statements if citation["number"] in each["citations"]]
    ends = citation.get("effective_to")
    return Cited(
        chunk_id=citation["chunk_id"],
        document_id=citation["document_id"],
        policy_source=citation["policy_source"],
        section_path=citation["section_path"],
        rule_number=citation.get("rule_number"),
        regions=tuple(citation["regions"]),
        effective_from=date.fromisoformat(citation["effective_from"]),
        effective_to=date.fromisoformat(ends) if ends else None,
        texts=(*texts, citation["quote"]),
        doc_id=citation["doc_id"],
    )


def _given(verdict: Mapping[str, Any]) -> GivenVerdict:
    return GivenVerdict(verdict.get("region"), verdict["policy_source"], Verdict(verdict["verdict"]))


def _verdict(value: str | None) -> Verdict | None:
    return Verdict(value) if value else None
