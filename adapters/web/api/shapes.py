"""The REST shape of a reply, field by field: what `bot.render.json` writes, and what the OpenAPI document says of it.

A field of `NotRequired` is there only where there is something to say; one that may be null is always there. Tests hold
the renderer to it.
"""

from datetime import date, datetime
from typing import Annotated, Literal, NotRequired

from pydantic import ConfigDict, Field, with_config
from typing_extensions import TypedDict

from rag_core.answers import ConditionKind, QuoteType, RefusalReason, Verdict, WarningCode
from rag_core.documents import ContentType
from rag_core.policy_changes import Direction, RuleChangeKind
from rag_core.questions import NoteKind

whole = with_config(ConfigDict(extra="forbid"))
"""Nothing is there beside the fields that are named."""

Count = Annotated[int, Field(ge=0)]
Share = Annotated[float, Field(ge=0, le=1)]
Number = Annotated[int, Field(ge=1, description="The `number` of a citation.")]
Place = Annotated[str, Field(description="`global`, `eu`, ISO 3166-1 alpha-2 in small letters (`uk`), or ISO 3166-2.")]


@whole
class StatementShape(TypedDict):
    text: str
    citations: list[Number]


@whole
class ConditionShape(TypedDict):
    kind: ConditionKind
    text: str
    citations: list[Number]


@whole
class VerdictShape(TypedDict):
    """For one place (null: none was asked about) on one platform."""

    region: Place | None
    policy_source: str
    verdict: Verdict
    conditions: list[ConditionShape]
    citations: list[Number]


@whole
class SectionShape(TypedDict):
    """A section near to a question that it does not answer."""

    chunk_id: str
    doc_id: str
    policy_source: str
    title: str
    url: str
    section_path: str
    regions: list[Place]
    effective_from: date
    effective_to: date | None
    date_stated: bool


@whole
class CitationShape(SectionShape):
    """Where statements come from. Offsets are those of `quote` in the version's text."""

    number: Number
    document_id: str
    rule_number: str | None
    page: int | None
    author: NotRequired[str]
    posted_at: NotRequired[datetime]
    post_number: NotRequired[int]
    checked_at: datetime
    char_start: Count
    char_end: Count
    quote: str
    quote_type: QuoteType
    confidence: Share


@whole
class ScopeNoteShape(TypedDict):
    """A word of the question that was read as something else."""

    kind: NoteKind
    said: str
    meant: list[str]
    text: str


@whole
class ScopeShape(TypedDict):
    """How the question was read. `inferred`: fields that no filter set."""

    policy_sources: list[str]
    regions: list[Place]
    content_type: ContentType | list[ContentType] | None
    as_of: date
    since: NotRequired[date]
    labels: dict[str, list[str]]
    inferred: list[str]
    notes: NotRequired[list[ScopeNoteShape]]


@whole
class ChosenFiltersShape(TypedDict, total=False):
    """In the form in which `POST /api/v1/ask` takes them."""

    policy_source: list[str]
    region: list[Place]
    content_type: list[str]
    policy_section: list[str]
    labels: dict[str, list[str]]


@whole
class ChoiceShape(TypedDict):
    """A question to go on with."""

    label: str
    question: str
    filters: ChosenFiltersShape


@whole
class RefusalShape(TypedDict):
    reason: RefusalReason
    nearest: list[SectionShape]


@whole
class WarningShape(TypedDict):
    code: WarningCode
    text: str
    subjects: list[str]


@whole
class ComparisonRowShape(TypedDict):
    region: Place | None
    policy_source: str | None
    verdict: Verdict | None
    conditions: list[ConditionShape]
    not_stated: list[str]
    citations: list[Number]


@whole
class ComparisonShape(TypedDict):
    """Places and platforms side by side; `left_out`: pairs that had no room."""

    rows: list[ComparisonRowShape]
    left_out: Count


@whole
class ChangedRuleShape(TypedDict):
    """A rule as it was and as it is, verbatim; `before` is empty of an added one, `after` of a removed one."""

    kind: RuleChangeKind
    direction: Direction | None
    changed_on: date
    policy_source: str
    document_id: str
    title: str
    section_path: str
    moved_from: str
    whole_document: bool
    lead_in: str
    before: str
    after: str
    before_citation: Number | None
    after_citation: Number | None


@whole
class ChangesShape(TypedDict):
    """What changed in these days, newest first; `left_out`: how many more rules did."""

    since: date | None
    until: date
    rules: list[ChangedRuleShape]
    left_out: Count
    last_before: date | None
    looked_for: list[str]


@whole
class ListedVersionShape(TypedDict):
    doc_id: str
    effective_from: date
    effective_to: date | None
    date_stated: bool


@whole
class ListedDocumentShape(TypedDict):
    """With its versions, newest first; `more_versions`: older ones that are not listed."""

    document_id: str
    policy_source: str
    title: str
    url: str
    versions: list[ListedVersionShape]
    more_versions: Count
    checked_at: datetime


@whole
class DocumentListShape(TypedDict):
    documents: list[ListedDocumentShape]
    left_out: Count


@whole
class ApprovedShape(TypedDict):
    """A person answered this question: who approved the answer, and when. The statements are his words."""

    by: str
    on: date


@whole
class ReplyShape(TypedDict):
    """An answer, a refusal or a clarification. `verdict` is set only where all `verdicts` agree; `text` is Markdown."""

    answer_id: str
    kind: Literal["answer", "refusal", "clarification"]
    verdict: Verdict | None
    verdicts: list[VerdictShape]
    text: str
    statements: list[StatementShape]
    citations: list[CitationShape]
    scope: ScopeShape
    rewritten_question: NotRequired[str]
    choices: NotRequired[list[ChoiceShape]]
    not_stated: NotRequired[list[str]]
    refusal: NotRequired[RefusalShape]
    approved: NotRequired[ApprovedShape]
    comparison: NotRequired[ComparisonShape]
    changes: NotRequired[ChangesShape]
    documents: NotRequired[DocumentListShape]
    warnings: list[WarningShape]
    degraded: list[str]
    timings_ms: dict[str, float]
