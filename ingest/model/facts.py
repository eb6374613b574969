"""What a document says about itself, checked: front matter, `adpolicy:` meta elements."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import UTC, date, datetime, time
from typing import Annotated

from pydantic import AfterValidator, AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from ingest.dates.phrases import read_day
from rag_core.documents import Classification, ContentType
from rag_core.errors import Rejected
from rag_core.regions import normalise


def _values(value: object) -> object:
    """A list, or one value, or values parted by commas (as a meta element has them)."""
    if isinstance(value, str):
        return [part.strip() for part in value.split(",") if part.strip()]
    return value if isinstance(value, (list, tuple)) else [value]


def _region(value: object) -> object:
    if value is False:  # YAML reads `no`, the code of Norway, as a truth value
        value = "no"
    try:
        return normalise(str(value))
    except Rejected as error:
        known = str(error.details["known"])
        raise ValueError(f"unknown region {value!r}; known: {known}") from error


def _labels(value: object) -> object:
    if isinstance(value, str):
        return dict(part.split("=", 1) for part in value.split(",") if "=" in part)
    return value


def _word(value: object) -> object:
    return str(value).strip().lower() if isinstance(value, (str, int, float, bool)) else value


def _short_word(value: object) -> object:
    """A label that a header states; a sentence or a list is none, and stays text only."""
    word = _word(value)
    return word if isinstance(word, str) and 0 < len(word) <= _LONGEST_LABEL else None


def _author(value: object) -> object:
    """One name or several, without their addresses; shortened to whole names where they are too many."""
    if isinstance(value, (list, tuple)):
        value = ", ".join(str(each) for each in value)
    if not isinstance(value, str):
        return value
    names = re.sub(r"\s*(?:<[^<>]*>|[\w.+-]+@[\w-]+\.[\w.-]*\w)", "", value).strip(" ,")
    return names if len(names) <= _LONGEST_AUTHOR else names[:_LONGEST_AUTHOR].rpartition(",")[0] or names


def _moment(value: object) -> object:
    """The day on which something was created, however it is written; None where that is no one day."""
    if isinstance(value, str):
        found = read_day(re.sub(r"T\d\d:.*", "", value.strip()))
        value = found.day if found is not None else None
    if isinstance(value, datetime):
        return value
    return datetime.combine(value, time()) if isinstance(value, date) else None


def in_utc(moment: datetime) -> datetime:
    """`moment`; one without a zone is one of UTC. Raises ValueError where UTC has no such moment: it is stored so."""
    try:
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except OverflowError as error:
        raise ValueError(f"{moment.isoformat()} is before the year 1 or after the year 9999 in UTC") from error


_LONGEST_LABEL = 60
_LONGEST_AUTHOR = 200
_HIGHEST_NUMBER = 2**31 - 1
"""Of a post: what a column of PostgreSQL holds."""

Word = Annotated[str, BeforeValidator(_word)]
Region = Annotated[str, BeforeValidator(_region)]
Slug = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_-]*$", max_length=100)]
Labels = Annotated[dict[Word, Word], BeforeValidator(_labels)]
Groups = Annotated[frozenset[Word], BeforeValidator(_values)]
Name = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_.-]*$", max_length=200)]
Names = Annotated[tuple[Name, ...], BeforeValidator(_values)]
Label = Annotated[str | None, BeforeValidator(_short_word)]
PostNumber = Annotated[int, Field(ge=0, le=_HIGHEST_NUMBER)]
Moment = Annotated[datetime, AfterValidator(in_utc)]
Author = Annotated[str, BeforeValidator(_author), Field(max_length=_LONGEST_AUTHOR)]


class _Stated(BaseModel):
    """The keys that mean something here; others belong to whoever wrote the document."""

    model_config = ConfigDict(extra="ignore", str_strip_whitespace=True)

    title: str | None = Field(None, max_length=300)
    document_id: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_.-]*$", max_length=150)] | None = None
    policy_source: Slug | None = None
    url: Annotated[str, Field(pattern=r"^https?://\S+$", max_length=2_000)] | None = None
    effective_from: date | None = Field(None, validation_alias=AliasChoices("effective_from", "effective_date"))
    regions: Annotated[tuple[Region, ...], BeforeValidator(_values)] | None = Field(
        None, min_length=1, validation_alias=AliasChoices("regions", "region")
    )
    content_type: ContentType | None = None
    classification: Classification | None = None
    allowed_groups: Groups | None = None
    labels: Labels = Field(default_factory=dict)
    author: Author | None = Field(None, validation_alias=AliasChoices("author", "authors"))
    posted_at: Moment | None = None
    post_number: PostNumber | None = None
    effective_to: date | None = None
    supersedes: Names | None = None
    status: Label = None
    stage: Label = None
    type: Label = None
    created: Annotated[Moment | None, BeforeValidator(_moment)] = None

    def facts(self) -> "DocumentFacts":
        """A header's status, stage and type are labels; when a proposal was created is when it was posted."""
        own = {"status": self.status, "stage": self.stage, "type": self.type}
        labels = {**{key: value for key, value in own.items() if value}, **self.labels}
        stated = {each.name: getattr(self, each.name) for each in fields(DocumentFacts)}
        return DocumentFacts(**{**stated, "labels": labels, "posted_at": self.posted_at or self.created})


@dataclass(frozen=True, slots=True)
class DocumentFacts:
    """What is stated; None where the document is silent. `labels` come on top of the source's.

    `effective_to`: the first day on which it holds no more. `supersedes`: the documents (document_id or doc_id) that
    it replaces.
    """

    title: str | None = None
    document_id: str | None = None
    policy_source: str | None = None
    url: str | None = None
    effective_from: date | None = None
    regions: tuple[str, ...] | None = None
    content_type: ContentType | None = None
    classification: Classification | None = None
    allowed_groups: frozenset[str] | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    author: str | None = None
    posted_at: datetime | None = None
    post_number: int | None = None
    effective_to: date | None = None
    supersedes: tuple[str, ...] | None = None

    def over(self, known: "DocumentFacts") -> "DocumentFacts":
        """These facts, and where they are silent those `known` from elsewhere."""
        stated = {each.name: getattr(self, each.name) for each in fields(self)}
        merged = {name: getattr(known, name) if value is None else value for name, value in stated.items()}
        return DocumentFacts(**{**merged, "labels": {**known.labels, **self.labels}})


def read_facts(metadata: Mapping[str, object], lines: Mapping[str, int]) -> DocumentFacts:
    """The facts in a document's metadata. `lines`: where each key stands in the file.

    Raises Rejected("front_matter_invalid", key=..., problem=..., line=...).
    """
    known = {key.strip().lower().replace("-", "_"): value for key, value in metadata.items() if value is not None}
    try:
        facts = _Stated.model_validate(known).facts()
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        key = str(first["loc"][0]) if first["loc"] else ""
        problem = first["msg"].removeprefix("Value error, ")
        raise Rejected("front_matter_invalid", key=key, problem=problem, line=lines.get(key)) from error
    if facts.effective_from and facts.effective_to and facts.effective_to < facts.effective_from:
        problem = f"{facts.effective_to} is before the beginning, {facts.effective_from}"
        raise Rejected("front_matter_invalid", key="effective_to", problem=problem, line=lines.get("effective_to"))
    return facts


def facts_again(stated: Mapping[str, object]) -> DocumentFacts:
    """Facts that come by their fields' names from where they may have been tampered with, checked once more.

    Raises ValueError for what `read_facts` cannot have read.
    """
    return _Stated.model_validate({key: value for key, value in stated.items() if value is not None}).facts()
