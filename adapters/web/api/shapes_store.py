"""What the REST API gives out of the store, and what else it says: see `shapes`."""

from datetime import date, datetime
from typing import Annotated, Literal, NotRequired

from pydantic import ConfigDict, Field, with_config
from typing_extensions import TypedDict

from adapters.web.api.shapes import Count, Place, Share, whole
from bot.answers.feedback import FeedbackReason, Rating
from rag_core.answers import QuoteType
from rag_core.claims.doubts import Doubt
from rag_core.claims.support import SupportVerdict
from rag_core.documents import Classification, ContentType, VersionStatus
from rag_core.policy_changes import ChangeKind, Direction, RuleChangeKind


@whole
class VersionShape(TypedDict):
    """A version of a document: it holds from `effective_from` until, not including, `effective_to`."""

    doc_id: str
    document_id: str
    policy_source: str
    title: str
    url: str | None
    mime_type: str
    sha256: str
    size: Count
    pages: int | None
    chunks: Count
    status: VersionStatus
    supersedes: str | None
    effective_from: date
    effective_to: date | None
    date_stated: bool
    in_force: bool
    seen_at: datetime
    checked_at: datetime
    classification: Classification
    labels: dict[str, str]


@whole
class PassageShape(TypedDict):
    """A chunk with what is needed to show and cite it."""

    chunk_id: str
    doc_id: str
    document_id: str
    chunk_index: Count
    policy_source: str
    title: str
    url: str
    policy_section: str
    policy_section_level: int
    policy_path: str
    chunk_text: str
    lead_in: str
    regions: list[Place]
    regions_excluded: list[Place]
    regions_mentioned: list[Place]
    content_type: ContentType
    rule_number: str | None
    page: int | None
    char_start: Count
    char_end: Count
    effective_from: date
    effective_to: date | None
    content_hash: str


@whole
class ChunkShape(PassageShape):
    version: VersionShape


@whole
class FoundShape(PassageShape):
    score: Share


@whole
class SearchShape(TypedDict):
    """Best first. `degraded`: parts of the search that did not answer."""

    results: list[FoundShape]
    degraded: NotRequired[list[str]]


@whole
class DocumentShape(TypedDict):
    """Titled by the version in force today (`doc_id`), else by the last; `versions`: how many there are."""

    document_id: str
    policy_source: str
    title: str
    url: str | None
    labels: dict[str, str]
    doc_id: str | None
    effective_from: date
    effective_to: date | None
    versions: Annotated[int, Field(ge=1)]


@whole
class DocumentsShape(TypedDict):
    """`cursor`, given again, asks for what follows; `has_more`: there is something."""

    documents: list[DocumentShape]
    cursor: str
    has_more: bool


@whole
class VersionsShape(TypedDict):
    """Oldest first."""

    document_id: str
    versions: list[VersionShape]
    cursor: str
    has_more: bool


@whole
class EditShape(TypedDict):
    """Words replaced: from start until, not including, end, in the text before and in the text after."""

    before_start: Count
    before_end: Count
    after_start: Count
    after_end: Count


@whole
class RuleChangeShape(TypedDict):
    kind: RuleChangeKind
    before: str
    after: str
    edits: list[EditShape]
    lead_in: str
    around: list[str]
    moved_from: list[str]
    direction: Direction | None


@whole
class SectionChangeShape(TypedDict):
    path: list[str]
    summary: str
    formatting: Count
    rules: list[RuleChangeShape]


@whole
class PolicyChangeShape(TypedDict):
    """A version that came, or the last one that went."""

    change_id: Count
    kind: ChangeKind
    changed_on: date
    policy_source: str
    document_id: str
    title: str
    doc_id: str
    previous_doc_id: str | None
    sections: list[SectionChangeShape]


@whole
class ChangeFeedShape(TypedDict):
    """In the order in which they were recorded."""

    changes: list[PolicyChangeShape]
    cursor: Annotated[str, Field(pattern=r"^\d+$")]
    has_more: bool


@whole
class SpanShape(TypedDict):
    """The nearest rule. `char_...` count in the version's text, `chunk_...` in the chunk's."""

    chunk_id: str
    doc_id: str
    policy_path: str
    text: str
    chunk_start: Count
    chunk_end: Count
    char_start: Count
    char_end: Count
    rule: list[str]


@whole
class SupportShape(TypedDict):
    """Whether the place says it; `reasons`: what speaks against it."""

    verdict: SupportVerdict
    type: QuoteType | None
    confidence: Share
    reasons: list[Doubt]
    span: SpanShape | None


@whole
class OpinionShape(TypedDict):
    """Feedback as it is kept."""

    answer_id: str
    rating: Rating
    reasons: list[FeedbackReason]
    comment: str | None
    given_at: datetime


@whole
class HealthShape(TypedDict):
    status: Literal["ok"]


@whole
class CheckShape(TypedDict):
    status: Literal["ok", "degraded", "down"]
    reason: str


@whole
class ReadinessShape(TypedDict):
    """`degraded` names what is not as it should be. Who may not read the figures learns the status only."""

    status: Literal["ready", "not_ready"]
    checks: NotRequired[dict[str, CheckShape]]
    degraded: NotRequired[list[str]]


@whole
class ProgressShape(TypedDict):
    """Event `status` of a stream. `replaced`: the statements sent so far do not hold, others follow."""

    state: Literal["searching", "replaced"]


@whole
class FieldErrorShape(TypedDict):
    field: str
    code: str
    detail: str


@with_config(ConfigDict(extra="allow"))
class ProblemShape(TypedDict):
    """Problem details (RFC 9457). `code` is for programs and stays; `title` and `detail` are for people. `errors`: each
    field that does not fit; `id`: what to tell your administrator. Some codes have further members."""

    type: Annotated[str, Field(pattern="^urn:adpolicy:problem:")]
    title: str
    status: Annotated[int, Field(ge=400, le=599)]
    detail: str
    code: str
    errors: NotRequired[list[FieldErrorShape]]
    id: NotRequired[str]
