"""One line of a JSON lines file: its fields checked, and a text made of them where it has none."""

import asyncio
import difflib
import hashlib
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Annotated, BinaryIO

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, ValidationInfo, field_validator
from pydantic_core import from_json

from ingest.dates.file_names import date_in_name
from ingest.model.facts import Groups, Labels, PostNumber, Region, in_utc
from ingest.model.names import document_id, slug
from ingest.ports import Discovered, RawDocument, SourceDefaults
from ingest.sources.bbcode import escaped
from ingest.sources.fetches import Fetches
from ingest.sources.folder import open_file
from rag_core.documents import Classification, ContentType
from rag_core.errors import Misconfigured, Rejected, Unavailable

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


LONGEST_LINE = 20 * 1024 * 1024
"""Bytes. The longest policies are below one megabyte."""
_BOM = b"\xef\xbb\xbf"
_LINE = re.compile(r"line:\d+")


@dataclass(frozen=True, slots=True)
class _Line:
    """Where a record stands; `digest` of its bytes. `problem`: why it is no document."""

    number: int
    start: int
    length: int
    digest: str
    name: str
    problem: Rejected | None = None


class JsonLinesSource:
    """`ingest.ports.Source`: a file or the answer of an address, with a JSON object on each line (`Record`).

    Only where each line stands is kept in memory, not what it says; an address's answer is kept until `aclose`.
    A line that is no record is listed too, by its id or else as `line:N`, and fetching it says what is wrong, so that
    it is reported, and what is stored of that id stays: Rejected("record_invalid", "record_field_unknown",
    "record_empty", "record_too_long", "record_id_taken" where an earlier line has the id or one that is written alike),
    all with line. Raises Misconfigured("source_file_missing"), Rejected("source_file_unreadable", "document_no_file",
    "records_none"), Unavailable("source_file_changed") where the file was written to meanwhile, and what the fetcher
    raises.
    """

    def __init__(self, source_id: str, place: Path | str, defaults: SourceDefaults, fetcher: Fetches) -> None:
        self._source_id = source_id
        self._place = str(place)
        self._defaults = defaults
        self._fetcher = fetcher
        self._is_address = re.match(r"https?://", self._place) is not None
        self._answer = b""
        self._lines: dict[str, _Line] = {}

    @property
    def source_id(self) -> str:
        return self._source_id

    @property
    def defaults(self) -> SourceDefaults:
        return self._defaults

    async def discover(self) -> Sequence[Discovered]:
        if self._is_address:
            fetched = await self._fetcher.get(self._place)
            self._answer = fetched.content if fetched is not None else b""
        self._lines = await asyncio.to_thread(self._index)
        return [Discovered(origin, _file_name(line.name), line.digest) for origin, line in self._lines.items()]

    async def fetch(self, item: Discovered, known_revision: str | None = None) -> RawDocument | None:
        line = self._lines.get(item.origin)
        if line is None:
            raise Rejected("document_gone", path=self._place)
        if line.problem is not None:
            raise line.problem
        if known_revision is not None and known_revision == line.digest:
            return None
        content = await asyncio.to_thread(self._read, line)
        record = read_record(content, line.number)
        text = text_of(record, line.number).encode()
        facts = _facts(record, document_id(self._defaults.policy_source.slug, line.name))
        return RawDocument(
            item.origin, item.file_name, text, "text/markdown", None, facts, line.digest, chunked=record.chunk
        )

    async def aclose(self) -> None:
        self._answer = b""

    def _opened(self) -> BinaryIO:
        if self._is_address:
            return io.BytesIO(self._answer)
        try:
            return open_file(Path(self._place))
        except FileNotFoundError as error:
            raise Misconfigured("source_file_missing", source_id=self._source_id, path=self._place) from error
        except OSError as error:
            raise self._unreadable(error) from error

    def _index(self) -> dict[str, _Line]:
        found: dict[str, _Line] = {}
        names: dict[str, int] = {}
        try:
            with self._opened() as file:
                for line in _lines(file):
                    origin, kept = _entry(line, names)
                    found[origin] = kept
        except OSError as error:
            raise self._unreadable(error) from error
        if all(line.problem is not None for line in found.values()):
            first = next((line.problem for line in found.values() if line.problem is not None), None)
            details = first.details if first is not None else {}
            raise Rejected("records_none", **{**details, "path": self._place})
        return found

    def _read(self, line: _Line) -> bytes:
        try:
            with self._opened() as file:
                file.seek(line.start)
                content = file.read(line.length)
        except OSError as error:
            raise self._unreadable(error) from error
        if hashlib.sha256(content).hexdigest() != line.digest:
            raise Unavailable("source_file_changed", path=self._place, line=line.number)
        return content

    def _unreadable(self, error: OSError) -> Rejected:
        problem = error.strerror or str(error)
        return Rejected("source_file_unreadable", source_id=self._source_id, path=self._place, problem=problem)


@dataclass(frozen=True, slots=True)
class _Piece:
    """A line of the file without its end; `content` is cut where it is too long."""

    number: int
    start: int
    content: bytes
    is_too_long: bool


def _lines(file: BinaryIO) -> Iterator[_Piece]:
    """The lines that are not blank. Never more than one of them in memory."""
    number = start = 0
    while piece := file.readline(LONGEST_LINE + 1):
        number += 1
        length, is_too_long = len(piece), len(piece) > LONGEST_LINE
        rest = piece
        while not rest.endswith(b"\n") and (rest := file.readline(1 << 16)):
            length += len(rest)
        skipped = len(_BOM) if start == 0 and piece.startswith(_BOM) else 0
        content = piece[skipped:].rstrip(b"\r\n")
        if content.strip():
            yield _Piece(number, start + skipped, content, is_too_long)
        start += length


def _entry(piece: _Piece, names: dict[str, int]) -> tuple[str, _Line]:
    """The origin of a line and what is kept of it. `names`: those of earlier lines, each with its line."""
    digest = hashlib.sha256(piece.content).hexdigest()
    number, length = piece.number, len(piece.content)
    origin, problem = _id_of(piece)
    name = _name(origin)
    if problem is None and (taken := names.setdefault(name, number)) != number:
        problem = Rejected("record_id_taken", line=number, id=origin, first_line=taken)
        origin = f"line:{number}"
    return origin, _Line(number, piece.start, length, digest, name, problem)


def _id_of(piece: _Piece) -> tuple[str, Rejected | None]:
    unknown = f"line:{piece.number}"
    if piece.is_too_long:
        return unknown, Rejected("record_too_long", line=piece.number, most=LONGEST_LINE)
    try:
        value = from_json(piece.content)
    except ValueError as error:
        return unknown, Rejected("record_invalid", line=piece.number, key="", problem=str(error))
    if not isinstance(value, dict):
        return unknown, Rejected("record_invalid", line=piece.number, key="", problem="no object")
    given = value.get("id")
    id_ = str(given).strip() if isinstance(given, str | int) and not isinstance(given, bool) else ""
    if not id_ or len(id_) > LONGEST_ID or _LINE.fullmatch(id_):
        problem = "missing, or no text or number" if not id_ else f"longer than {LONGEST_ID} characters, or line:N"
        return unknown, Rejected("record_invalid", line=piece.number, key="id", problem=problem)
    return id_, None


def _name(origin: str) -> str:
    """Part of the document's id."""
    name = slug(origin)
    return name if name and len(name) <= 100 else f"record_{hashlib.sha256(origin.encode()).hexdigest()[:12]}"


def _file_name(name: str) -> str:
    """Never with a date: an id that looks like one is none."""
    return "record.md" if date_in_name(f"{name}.md") is not None else f"{name}.md"


def _facts(record: Record, document: str) -> dict[str, object]:
    labels = dict(record.labels)
    if record.parent_id is not None:
        labels.setdefault("parent", record.parent_id.lower())
    facts: dict[str, object | None] = {
        "document_id": document,
        "title": record.title,
        "url": record.url,
        "regions": list(record.regions) if record.regions else None,
        "content_type": record.content_type.value if record.content_type else None,
        "effective_from": record.effective_from.isoformat() if record.effective_from else None,
        "effective_to": record.effective_to.isoformat() if record.effective_to else None,
        "author": record.author,
        "posted_at": in_utc(record.posted_at).isoformat() if record.posted_at else None,
        "post_number": record.post_number,
        "labels": dict(sorted(labels.items())) or None,
        "classification": record.classification.value if record.classification else None,
        "allowed_groups": sorted(record.allowed_groups) if record.allowed_groups is not None else None,
    }
    return {key: value for key, value in facts.items() if value is not None}
