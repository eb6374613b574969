"""One line of a JSON lines file: its fields checked, and a text made of them where it has none."""

import difflib
from collections.abc import Iterator, Mapping
from datetime import date, datetime
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, ValidationInfo, field_validator

from ingest.facts import Groups, Labels, PostNumber, Region, in_utc
from ingest.sources.bbcode import escaped
from rag_core.documents import Classification, ContentType
from rag_core.errors import Rejected

LONGEST_ID = 150
_NOT_SHOWN = frozenset({"id", "title", "text", "parent_id", "classification", "allowed_groups", "chunk", "extra"}) | {
    "effective_to"
}
"""Fields that are no part of what a record says: that it ends later, or sooner, is no other text."""
Regions = Annotated[
    tuple[Region, ...], BeforeValidator(lambda value: [value] if isinstance(value, str) else value), Field(min_length=1)
]


class Record(BaseModel):
    """A document as another system hands it over. `text` is Markdown. `chunk` False: it stays one chunk.

    It holds from the day `effective_from` until before `effective_to`; without the first from when it is first seen. A
    time `posted_at` without a zone is one of UTC.
    `parent_id`: the record that this one answers or belongs to; kept as the label `parent`. `extra`: whatever else
    is known of it; shown where there is no text.
    """

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True, coerce_numbers_to_str=True, frozen=True)

    id: Annotated[str, Field(min_length=1, max_length=LONGEST_ID)]
    title: Annotated[str, Field(max_length=300)] | None = None
    text: str | None = None
    url: Annotated[str, Field(pattern=r"^https?://\S+$", max_length=2_000)] | None = None
    regions: Regions | None = None
    content_type: ContentType | None = None
    effective_from: date | None = None
    effective_to: date | None = None
    author: Annotated[str, Field(max_length=200)] | None = None
    posted_at: datetime | None = None
    post_number: PostNumber | None = None
    parent_id: Annotated[str, Field(min_length=1, max_length=LONGEST_ID)] | None = None
    labels: Labels = Field(default_factory=dict)
    classification: Classification | None = None
    allowed_groups: Groups | None = None
    chunk: bool = True
    extra: dict[str, object] = Field(default_factory=dict)

    @field_validator("posted_at")
    @classmethod
    def _is_a_moment_of_utc(cls, at: datetime | None) -> datetime | None:
        if at is not None:
            in_utc(at)
        return at

    @field_validator("effective_to")
    @classmethod
    def _is_after_the_beginning(cls, day: date | None, info: ValidationInfo) -> date | None:
        begins = info.data.get("effective_from")
        if day is not None and begins is not None and day < begins:
            raise ValueError(f"{day} is before the beginning, {begins}")
        return day


def read_record(line: bytes, number: int) -> Record:
    """The record in `line`, which is the `number`-th.

    Raises Rejected, with line: "record_invalid" (key, problem), "record_field_unknown" (key, near: a field that may
    have been meant, or None).
    """
    try:
        return Record.model_validate_json(line)
    except ValidationError as error:
        raise _refused(error, number) from error


def _refused(error: ValidationError, number: int) -> Rejected:
    problems = error.errors(include_url=False, include_context=False, include_input=False)
    for problem in problems:
        if problem["type"] == "extra_forbidden":
            key = str(problem["loc"][0])
            near = difflib.get_close_matches(key, Record.model_fields, n=1)
            return Rejected("record_field_unknown", line=number, key=key, near=near[0] if near else None)
    first = problems[0]
    key = ".".join(str(part) for part in first["loc"])
    return Rejected("record_invalid", line=number, key=key, problem=first["msg"].removeprefix("Value error, "))


def text_of(record: Record, number: int) -> str:
    """Markdown. Of a record without text: its title and a line "Field: value" for each field.

    Raises Rejected("record_empty", line).
    """
    if record.text:
        # Text that begins with `---` would speak as front matter: what the record's own fields say holds.
        return f"\n{record.text}" if record.text.startswith("---") else record.text
    lines = [f"{escaped(_words(name))}: {escaped(value)}" for name, value in _shown(record) if value]
    if not lines and not record.title:
        raise Rejected("record_empty", line=number)
    heading = f"# {escaped(' '.join(record.title.split()))}\n\n" if record.title else ""
    return heading + "  \n".join(lines)


def _shown(record: Record) -> Iterator[tuple[str, str]]:
    for name in Record.model_fields:
        if name not in _NOT_SHOWN and name in record.model_fields_set:
            value = getattr(record, name)
            fields = value.items() if name == "labels" else [(name, value)]
            yield from ((str(key), _value(each)) for key, each in fields)
    yield from ((key, _value(value)) for key, value in record.extra.items())


def _words(name: str) -> str:
    """ "ad_format" -> "Ad format"."""
    words = " ".join(name.replace("_", " ").replace(":", " ").split())
    return words[:1].upper() + words[1:]


def _value(value: object) -> str:
    """On one line."""
    match value:
        case None:
            return ""
        case bool():
            return "yes" if value else "no"
        case date():
            return value.isoformat()
        case Mapping():
            return "; ".join(f"{key}: {_value(each)}" for key, each in value.items())
        case list() | tuple() | frozenset():
            return ", ".join(_value(each) for each in value)
        case _:
            return " ".join(str(value).split())
