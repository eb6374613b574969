"""Replies as answering makes them, ready to be shown: each builder takes what the test is about, the rest is given."""

from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

from rag_core.answers import (
    Answer,
    Choice,
    Citation,
    Clarification,
    Condition,
    ConditionKind,
    Nearest,
    Notice,
    PlaceVerdict,
    Quote,
    Refusal,
    RefusalReason,
    Statement,
    Verdict,
    WarningCode,
)
from rag_core.questions import Filters, Scope

TODAY = date(2026, 11, 22)
CHECKED = datetime(2026, 11, 21, 6, 30, tzinfo=UTC)
LEAD_IN = "The following is required in the United Kingdom:"
ITEM = "Adverts for drinks above 1.2% alcohol are shown only to people aged 18 or older."
RULE = "Beer, wine and spirits may be advertised by licensed sellers only."


def scope(**changes: Any) -> Scope:
    """The United Kingdom, read out of the question; today by default."""
    return replace(Scope(as_of=TODAY, regions=("uk",), inferred=("regions",), assumed=("as_of",)), **changes)


def citation(number: int = 1, **changes: Any) -> Citation:
    """A section of a document without a public address."""
    made = Citation(
        number=number,
        chunk_id=f"00000000-0000-5000-8000-{number:012d}",
        doc_id="sample_alcohol_2026-01-15",
        document_id="sample_alcohol",
        policy_source="sample",
        title="Alcohol",
        url=None,
        anchor=None,
        section_path="Alcohol > Countries > United Kingdom",
        rule_number=None,
        page=None,
        regions=("uk",),
        effective_from=date(2026, 1, 15),
        effective_to=None,
        checked_at=CHECKED,
        char_start=100,
        char_end=100 + len(ITEM),
        quote=ITEM,
    )
    return replace(made, **changes)


def statement(*texts: str, citations: tuple[int, ...] = (1,)) -> Statement:
    """A statement of the given lines, each a quote; the last is the rule, those before it its lead-in."""
    quotes = tuple(
        Quote(f"00000000-0000-5000-8000-{citations[0]:012d}", text, 0, len(text), lead_in=index < len(texts) - 1)
        for index, text in enumerate(texts)
    )
    return Statement("\n".join(texts), citations, quotes)


def place_verdict(verdict: Verdict = Verdict.RESTRICTED, region: str | None = "uk", **changes: Any) -> PlaceVerdict:
    """A verdict without conditions on the sample platform."""
    return replace(PlaceVerdict(region, "sample", verdict, (), (1,)), **changes)


def condition(
    kind: ConditionKind = ConditionKind.AGE, text: str = ITEM, citations: tuple[int, ...] = (1,)
) -> Condition:
    return Condition(kind, text, citations)


def answer(**changes: Any) -> Answer:
    """Alcohol in the United Kingdom: restricted, two statements, two sources, a sample."""
    made = Answer(
        scope=scope(),
        statements=(statement(LEAD_IN, ITEM), statement(RULE, citations=(2,))),
        citations=(
            citation(1),
            citation(
                2,
                section_path="Alcohol > Who may advertise",
                regions=("global",),
                rule_number="2.1",
                quote=RULE,
                url="https://ads.example/policies/alcohol",
                anchor="who",
                effective_to=date(2027, 1, 1),
            ),
        ),
        verdicts=(
            place_verdict(
                conditions=(condition(), condition(ConditionKind.LICENCE, RULE, (2,))),
                citations=(1, 2),
            ),
        ),
        warnings=(Notice(WarningCode.SAMPLE),),
    )
    return replace(made, **changes)


def nearest(**changes: Any) -> Nearest:
    """A section that is near to a question that it does not answer."""
    made = Nearest(
        chunk_id="00000000-0000-5000-8000-000000000009",
        doc_id="sample_gambling_2026-01-15",
        policy_source="sample",
        title="Gambling",
        url="https://ads.example/policies/gambling",
        anchor="lotteries",
        section_path="Gambling > Lotteries",
        regions=("de", "fr"),
        effective_from=date(2026, 1, 15),
        effective_to=None,
    )
    return replace(made, **changes)


def refusal(reason: RefusalReason = RefusalReason.NOT_COVERED, **changes: Any) -> Refusal:
    """Raffles in Germany: looked for, not found, one near section."""
    made = Refusal(
        scope=scope(regions=("de",)),
        reason=reason,
        looked_for=("raffles", "church"),
        searched=("sample",),
        nearest=(nearest(),),
        warnings=(Notice(WarningCode.SAMPLE),),
    )
    return replace(made, **changes)


def choice(subject: str = "de", kind: str = "region", **changes: Any) -> Choice:
    """The same question for one place."""
    made = Choice(kind, subject, "can I advertise alcohol", Filters(regions=(subject,)))
    return replace(made, **changes)


def clarification(**changes: Any) -> Clarification:
    """Alcohol, without a place: two to choose from."""
    made = Clarification(scope=scope(regions=(), inferred=()), choices=(choice("de"), choice("uk")))
    return replace(made, **changes)
