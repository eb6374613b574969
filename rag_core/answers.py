"""What comes back from a question: an answer, a refusal or a clarification; values and codes, never prose."""

from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum
from typing import Any

from rag_core.policy_changes import Direction, RuleChangeKind
from rag_core.questions import Filters, Question, Scope


@dataclass(frozen=True, slots=True)
class ChangedRule:
    """A rule that came, went, changed or moved on `changed_on`, quoted verbatim as it was and as it is.

    `before` is "" of what was added, `after` of what was removed, and the citation beside it None. `lead_in`: the line
    that gives it its meaning ("The following is not allowed:"), verbatim too, or "". `whole_document`: ADDED is the
    first version on file, REMOVED the last; then the texts are the beginning of it. `direction` where the wording
    tells it. `moved_from`: the headings under which it stood before.
    """

    kind: RuleChangeKind
    changed_on: date
    policy_source: str
    document_id: str
    title: str
    section_path: str
    before: str
    after: str
    before_citation: int | None
    after_citation: int | None
    lead_in: str = ""
    direction: Direction | None = None
    whole_document: bool = False
    moved_from: str = ""

    @property
    def citations(self) -> tuple[int, ...]:
        """The numbers cited: the old version, then the new one."""
        return tuple(each for each in (self.before_citation, self.after_citation) if each is not None)


@dataclass(frozen=True, slots=True)
class Changes:
    """What changed in [`since`, `until`], newest first; `since` None: as far back as there are versions.

    `left_out`: how many more rules changed in those days. Without `rules` nothing did; then `last_before` is the day
    of the change before them, where there is one. `looked_for`: the words of the question; none: every rule.
    """

    since: date | None
    until: date
    rules: tuple[ChangedRule, ...] = ()
    left_out: int = 0
    last_before: date | None = None
    looked_for: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ListedVersion:
    """A version and the days it holds: from `effective_from` until, not including, `effective_to`."""

    doc_id: str
    effective_from: date
    effective_to: date | None
    date_stated: bool = True


@dataclass(frozen=True, slots=True)
class ListedDocument:
    """A document that is there, with its versions, newest first; `more_versions`: older ones that are not listed."""

    document_id: str
    policy_source: str
    title: str
    url: str | None
    versions: tuple[ListedVersion, ...]
    checked_at: datetime
    more_versions: int = 0


@dataclass(frozen=True, slots=True)
class DocumentList:
    """Documents by platform and title; `left_out`: how many more there are."""

    documents: tuple[ListedDocument, ...]
    left_out: int = 0


class Verdict(StrEnum):
    PROHIBITED = "prohibited"
    RESTRICTED = "restricted"
    ALLOWED = "allowed"


class QuoteType(StrEnum):
    QUOTE = "quote"
    PARAPHRASE = "paraphrase"
    INFERENCE = "inference"


class ConditionKind(StrEnum):
    """What a restricted thing needs."""

    AGE = "age"
    LICENCE = "licence"
    CERTIFICATION = "certification"
    APPROVAL = "approval"
    LABELLING = "labelling"
    TARGETING = "targeting"
    OTHER = "other"


class RefusalReason(StrEnum):
    OFF_TOPIC = "off_topic"
    NOT_COVERED = "not_covered"
    OTHER_DAY = "other_day"
    LIST_MISSING = "list_missing"
    UNSUPPORTED_LANGUAGE = "unsupported_language"
    NOT_PERMITTED = "not_permitted"


class WarningCode(StrEnum):
    """What a reader has to know beside the statements."""

    SAMPLE = "sample"
    NO_RULE_FOR_PLACE = "no_rule_for_place"
    CONFLICT = "conflict"
    PLACES_DIFFER = "places_differ"
    PAST_DAY = "past_day"
    DATE_NOT_STATED = "date_not_stated"
    FUTURE_DAY = "future_day"
    NOTHING_FOUND = "nothing_found"
    SPECIFIC_FIRST = "specific_first"
    LEFT_OUT = "left_out"
    NO_DOCUMENTS = "no_documents"
    DEFAULT_IGNORED = "default_ignored"


@dataclass(frozen=True, slots=True)
class Notice:
    """A warning with its facts: regions, document ids, a day, as strings."""

    code: WarningCode
    subjects: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Quote:
    """Verbatim text of a chunk (`lead_in` False: `chunk_text[start:end]`) or of its lead-in (True)."""

    chunk_id: str
    text: str
    start: int
    end: int
    lead_in: bool = False


@dataclass(frozen=True, slots=True)
class Citation:
    """Where statements come from: one section of one version. Offsets are those of `quote` in the version's text.

    `date_stated`: see `DocumentVersion`.
    """

    number: int
    chunk_id: str
    doc_id: str
    document_id: str
    policy_source: str
    title: str
    url: str | None
    anchor: str | None
    section_path: str
    rule_number: str | None
    page: int | None
    regions: tuple[str, ...]
    effective_from: date
    effective_to: date | None
    checked_at: datetime
    char_start: int
    char_end: int
    quote: str
    quote_type: QuoteType = QuoteType.QUOTE
    confidence: float = 1.0
    author: str | None = None
    posted_at: datetime | None = None
    post_number: int | None = None
    date_stated: bool = True


@dataclass(frozen=True, slots=True)
class Statement:
    """A rule as shown: `text` is its quotes in order, a list item behind its lead-in. `citations` are numbers."""

    text: str
    citations: tuple[int, ...]
    quotes: tuple[Quote, ...]


@dataclass(frozen=True, slots=True)
class Condition:
    kind: ConditionKind
    text: str
    citations: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class PlaceVerdict:
    """The verdict for one place (None: no place asked) on one platform, read from the cited quotes."""

    region: str | None
    policy_source: str
    verdict: Verdict
    conditions: tuple[Condition, ...]
    citations: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ComparisonRow:
    """One place (None: none asked) on one platform (None: no platform had a rule for the place).

    Without `citations` no rule was found for it. `not_stated`: words of the question that its rules do not cover; a
    verdict beside them is that of a rule on the wider thing, and never "allowed".
    """

    region: str | None
    policy_source: str | None
    verdict: Verdict | None
    conditions: tuple[Condition, ...] = ()
    not_stated: tuple[str, ...] = ()
    citations: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Comparison:
    """Places and platforms side by side, as they were asked; `left_out`: pairs that had no room."""

    rows: tuple[ComparisonRow, ...]
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class Choice:
    """A next question to click: `subject` is the place (region code), platform slug or section it is about."""

    kind: str
    subject: str
    question: str
    filters: Filters


@dataclass(frozen=True, slots=True)
class Nearest:
    """A section near to a question that it does not answer."""

    chunk_id: str
    doc_id: str
    policy_source: str
    title: str
    url: str | None
    anchor: str | None
    section_path: str
    regions: tuple[str, ...]
    effective_from: date
    effective_to: date | None
    date_stated: bool = True


@dataclass(frozen=True, slots=True)
class Approved:
    """That a person answered, and who approved it when: the statements are then his words, which the citations support.

    `curated_id`, `revision`: which of the approved answers it is.
    """

    by: str
    on: date
    curated_id: str
    revision: int


@dataclass(frozen=True, slots=True)
class Answer:
    """Verified statements. `not_stated`: words of the question that no quote covers; readers must be told of them and
    of a verdict at once.

    `comparison`: where several places or platforms were asked about. `changes`: where it was asked what changed; the
    statements are then the rules as they are now. `documents`: where it was asked which there are. `approved`: it is a
    person's answer to this question, not one that was composed for it.
    """

    scope: Scope
    statements: tuple[Statement, ...]
    citations: tuple[Citation, ...]
    verdicts: tuple[PlaceVerdict, ...] = ()
    not_stated: tuple[str, ...] = ()
    warnings: tuple[Notice, ...] = ()
    choices: tuple[Choice, ...] = ()
    degraded: tuple[str, ...] = ()
    rewritten_question: str | None = None
    comparison: Comparison | None = None
    changes: Changes | None = None
    documents: DocumentList | None = None
    approved: Approved | None = None

    @property
    def verdict(self) -> Verdict | None:
        """The one verdict, if all verdicts agree."""
        found = {each.verdict for each in self.verdicts}
        return found.pop() if len(found) == 1 else None

    @property
    def loose_statements(self) -> tuple[Statement, ...]:
        """Those that are shown by themselves: changed rules are shown with what they were before."""
        return () if self.changes is not None and self.changes.rules else self.statements


@dataclass(frozen=True, slots=True)
class Refusal:
    """The policies do not say. `searched`: slugs of the sources that were looked through."""

    scope: Scope
    reason: RefusalReason
    looked_for: tuple[str, ...] = ()
    searched: tuple[str, ...] = ()
    nearest: tuple[Nearest, ...] = ()
    warnings: tuple[Notice, ...] = ()
    choices: tuple[Choice, ...] = ()
    degraded: tuple[str, ...] = ()
    rewritten_question: str | None = None


class ClarificationReason(StrEnum):
    """Why there is nothing but choices: the question is too broad, or asks what can be asked."""

    TOO_BROAD = "too_broad"
    HELP = "help"


@dataclass(frozen=True, slots=True)
class Clarification:
    """The question is too broad to answer, or none: two to five choices to go on with (of help, none to five)."""

    scope: Scope
    choices: tuple[Choice, ...]
    warnings: tuple[Notice, ...] = ()
    degraded: tuple[str, ...] = ()
    rewritten_question: str | None = None
    reason: ClarificationReason = ClarificationReason.TOO_BROAD


Reply = Answer | Refusal | Clarification


@dataclass(frozen=True, slots=True)
class Candidate:
    """One retrieved chunk in a trace: its scores, and what became of it ("cited", "unused", "rejected:...")."""

    chunk_id: str
    doc_id: str
    content_hash: str
    score: float
    cosine: float | None
    fate: str


@dataclass(frozen=True, slots=True)
class AskTrace:
    """How a reply came about: for the record, the inspector and evaluation. `is_nearest`: the answer only quotes the
    nearest rules, and none of them decides the question."""

    question: Question
    candidates: tuple[Candidate, ...] = ()
    dropped: tuple[str, ...] = ()
    notes: dict[str, Any] = field(default_factory=dict)
    timings_ms: dict[str, float] = field(default_factory=dict)
    is_nearest: bool = False
