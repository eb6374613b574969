"""Replies as answering makes them, ready to be shown: each builder takes what the test is about, the rest is given."""

from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

from rag_core.answers import (
    Answer,
    ChangedRule,
    Changes,
    Choice,
    Citation,
    Clarification,
    ClarificationReason,
    Comparison,
    ComparisonRow,
    Condition,
    ConditionKind,
    DocumentList,
    ListedDocument,
    ListedVersion,
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
from rag_core.policy_changes import Direction, RuleChangeKind
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


def comparison_row(**changes: Any) -> ComparisonRow:
    """The United Kingdom on the sample platform: restricted, two conditions."""
    conditions = (condition(), condition(ConditionKind.LICENCE, RULE, (2,)))
    return replace(ComparisonRow("uk", "sample", Verdict.RESTRICTED, conditions, (), (1, 2)), **changes)


def comparison(**changes: Any) -> Answer:
    """The United Kingdom and Germany; of Germany a word is not stated, of France there is nothing."""
    rows = (
        comparison_row(),
        comparison_row(region="de", verdict=None, conditions=(), not_stated=("podcasts",), citations=(2,)),
        comparison_row(region="fr", policy_source=None, verdict=None, conditions=(), citations=()),
    )
    fields: dict[str, Any] = {
        "scope": scope(regions=("uk", "de", "fr")),
        "comparison": Comparison(rows, 2),
        "warnings": (
            Notice(WarningCode.SPECIFIC_FIRST, ("uk",)),
            Notice(WarningCode.CONFLICT, ("Alcohol", "2026-01-15", "Spirits", "2025-03-01")),
        ),
    }
    return answer(**(fields | changes))


def changed_rule(**changes: Any) -> ChangedRule:
    """The age limit rose on 15 January 2026."""
    made = ChangedRule(
        kind=RuleChangeKind.CHANGED,
        changed_on=date(2026, 1, 15),
        policy_source="sample",
        document_id="sample_alcohol",
        title="Alcohol",
        section_path="Alcohol > Countries > United Kingdom",
        before="Adverts are shown only to people aged 16 or older.",
        after=ITEM,
        before_citation=1,
        after_citation=2,
        lead_in=LEAD_IN,
        direction=Direction.STRICTER,
    )
    return replace(made, **changes)


def changed(**changes: Any) -> Answer:
    """A rule changed, one came, one went, one moved and a document is new; three more are left out."""
    rules = (
        changed_rule(),
        changed_rule(kind=RuleChangeKind.ADDED, before="", before_citation=None, lead_in="", direction=None),
        changed_rule(
            kind=RuleChangeKind.REMOVED, after="", after_citation=None, lead_in="", direction=Direction.LOOSER
        ),
        changed_rule(kind=RuleChangeKind.MOVED, before=ITEM, moved_from="Alcohol > General", direction=None),
        changed_rule(
            kind=RuleChangeKind.ADDED,
            before="",
            before_citation=None,
            lead_in="",
            direction=None,
            whole_document=True,
            section_path="",
        ),
    )
    fields: dict[str, Any] = {
        "scope": scope(since=date(2026, 1, 1)),
        "verdicts": (),
        "changes": Changes(date(2026, 1, 1), TODAY, rules, 3),
    }
    return answer(**(fields | changes))


def unchanged(**changes: Any) -> Answer:
    """Nothing changed since March; the rules as they are are quoted."""
    fields: dict[str, Any] = {
        "scope": scope(since=date(2026, 3, 1), policy_sources=("sample",)),
        "verdicts": (),
        "changes": Changes(date(2026, 3, 1), TODAY, last_before=date(2026, 1, 15), looked_for=("alcohol",)),
    }
    return answer(**(fields | changes))


def documents(**changes: Any) -> Answer:
    """Two documents, one with a version before, and four more."""
    versions = (
        ListedVersion("sample_alcohol_2026-01-15", date(2026, 1, 15), None),
        ListedVersion("sample_alcohol_2025-03-01", date(2025, 3, 1), date(2026, 1, 15)),
    )
    listed = (
        ListedDocument(
            "sample_alcohol", "sample", "Alcohol", "https://ads.example/policies/alcohol", versions, CHECKED
        ),
        ListedDocument("sample_weapons", "sample", "Weapons", None, versions[:1], CHECKED, 7),
    )
    fields: dict[str, Any] = {
        "scope": scope(regions=(), inferred=()),
        "statements": (),
        "citations": (),
        "verdicts": (),
        "documents": DocumentList(listed, 4),
    }
    return answer(**(fields | changes))


def helps(**changes: Any) -> Clarification:
    """What can be asked."""
    made = Clarification(
        scope(regions=(), inferred=()),
        (choice("Alcohol", "topic", question="Alcohol"), choice("Weapons", "topic", question="Weapons")),
        reason=ClarificationReason.HELP,
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


WIDER = answer(verdicts=(place_verdict(Verdict.PROHIBITED, conditions=()),), not_stated=("gummies",))
"""A ban on the wider thing, as far as the lenience goes."""

TABLES: dict[str, Answer | Clarification] = {
    "comparison": comparison(),
    "changes": changed(),
    "unchanged": unchanged(),
    "documents": documents(),
    "help": helps(),
    "help_without_documents": helps(choices=()),
}
"""Answers with something side by side, and help: every rendering has a golden file of each."""
