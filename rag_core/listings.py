"""What an answer lists beside rules: what changed in them, and which documents there are. Values, never prose."""

from dataclasses import dataclass
from datetime import date, datetime

from rag_core.policy_changes import Direction, RuleChangeKind


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
