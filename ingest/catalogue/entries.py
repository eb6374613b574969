"""What the catalogue may say, type by type."""

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import date, timedelta
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, IPvAnyNetwork, model_validator

from ingest.catalogue.schedules import Schedule, read_jitter, read_schedule
from ingest.catalogue.selecting import Selection, check_selector
from ingest.chunkers.factory import ChunkerKind
from ingest.model.facts import Groups, Region, Slug
from ingest.model.labels import GROUP_NAME, LabelWords, group_member, label_word, read_label_words
from ingest.ports import SourceDefaults
from rag_core.documents import Classification, ContentType, PolicySource


def _labels(value: object) -> object:
    if not isinstance(value, Mapping):
        raise ValueError("write labels as {name: value}")
    read: dict[str, str | LabelWords] = {}
    for name, given in value.items():
        key = label_word(name)
        read[key] = read_label_words(key, given) if isinstance(given, Mapping) else label_word(given)
    return read


def _declared(value: object) -> object:
    labels = _labels(value)
    if isinstance(labels, dict):
        for key, given in labels.items():
            if not isinstance(given, LabelWords):
                raise ValueError(
                    f"{key} needs its values and the words that name them; a plain value belongs to a source"
                )
    return labels


SourceLabels = Annotated[dict[str, str | LabelWords], BeforeValidator(_labels)]
DeclaredLabels = Annotated[dict[str, LabelWords], BeforeValidator(_declared)]


def _one_or_more(value: object) -> object:
    return [value] if isinstance(value, str) else value


def _listed(value: object) -> object:
    return value if isinstance(value, (list, tuple)) else [value]


def _allowed_path(value: str) -> str:
    """What `ingest.sources.web_addresses.WebScope` understands."""
    if not value.startswith(("/", "^", "http://", "https://")):
        raise ValueError(f"{value!r} is neither a path (/policies/) nor an address nor a ^regular expression")
    try:
        re.compile(value if value.startswith("^") else "")
    except re.error as error:
        raise ValueError(f"{value!r} is no regular expression: {error}") from error
    return value


def _repository(value: str) -> str:
    if not value.startswith("https://") and re.match(r"[a-z][a-z0-9+.-]*:|-", value, re.IGNORECASE):
        raise ValueError(f"{value!r} is no repository; write an https address, or the path of one on this machine")
    return value


def _schedule(value: object) -> object:
    return read_schedule(value) if isinstance(value, str) else value


def _jitter(value: object) -> object:
    return read_jitter(value) if isinstance(value, str) else value


Names = Annotated[tuple[str, ...], BeforeValidator(_one_or_more)]
Address = Annotated[str, Field(pattern=r"^https?://\S+$", max_length=2_000)]
Addresses = Annotated[tuple[Address, ...], BeforeValidator(_one_or_more)]
Member = Annotated[str, BeforeValidator(lambda value: group_member(str(value)))]
Every = Annotated[Schedule, BeforeValidator(_schedule)]
Category = Annotated[str, BeforeValidator(lambda value: str(value) if isinstance(value, int) else value)]
Selector = Annotated[str, Field(min_length=1), AfterValidator(check_selector)]
AllowedPath = Annotated[str, AfterValidator(_allowed_path)]
Jitter = Annotated[timedelta, BeforeValidator(_jitter)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True, frozen=True, arbitrary_types_allowed=True)


class _Source(_Strict):
    """What every source says.

    `suspicious_shrink`: the share of its text that a new version may lose; one that loses more is held for review.
    `misses`: how often in a row a document must be missing before it is retired.
    """

    id: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_.-]*$", max_length=100)]
    policy_source: Slug
    display_name: Annotated[str, Field(min_length=1, max_length=100)]
    aliases: Names = ()
    region: Region = "global"
    content_type: ContentType = ContentType.GENERAL
    classification: Classification = Classification.PUBLIC
    allowed_groups: Groups = frozenset()
    labels: SourceLabels = Field(default_factory=dict)
    chunker: ChunkerKind = "sections"
    schedule: Every | None = None
    jitter: Jitter = timedelta(minutes=5)
    suspicious_shrink: Annotated[float, Field(gt=0, le=1)] = 0.8
    misses: Annotated[int, Field(ge=1, le=100)] = 1

    def defaults(self) -> SourceDefaults:
        """A label with variants stands at its default, if it has one."""
        given = {key: value.default if isinstance(value, LabelWords) else value for key, value in self.labels.items()}
        return SourceDefaults(
            PolicySource(self.policy_source, self.display_name, self.aliases),
            self.region,
            self.content_type,
            self._classified(),
            self.allowed_groups,
            {key: value for key, value in given.items() if value is not None},
            misses=self.misses,
            chunker=self.chunker,
            suspicious_shrink=self.suspicious_shrink,
        )

    def _classified(self) -> Classification:
        """Whoever names groups, and no classification, means these groups and nobody else."""
        is_said = "classification" in self.model_fields_set
        return Classification.RESTRICTED if self.allowed_groups and not is_said else self.classification


class FolderEntry(_Source):
    """Markdown, HTML, PDF and DOCX files in a folder, relative to the catalogue's own."""

    type: Literal["folder"]
    path: Annotated[str, Field(min_length=1)]
    default_url: Address | None = None


class Selectors(_Strict):
    """CSS: what of a page is its text, and what in it is dropped."""

    content: Selector | None = None
    drop: Annotated[tuple[Selector, ...], BeforeValidator(_one_or_more)] = ()

    def selection(self) -> Selection:
        return Selection(self.content, self.drop)


class _OnNetwork(_Source):
    """`private_networks`: address ranges (10.20.0.0/16) that are no part of the open Internet, and may be read from."""

    private_networks: Annotated[tuple[IPvAnyNetwork, ...], BeforeValidator(_listed)] = ()


class WebsiteEntry(_OnNetwork):
    """Pages of a site: see `ingest.sources.website`. `allowed_paths`: beginnings of paths or addresses, or `^regex`."""

    type: Literal["website"]
    start_urls: Annotated[Addresses, Field(min_length=1)]
    allowed_paths: Annotated[tuple[AllowedPath, ...], BeforeValidator(_one_or_more)] = ()
    sitemap: bool | Addresses = True
    follow_links: bool = True
    most_pages: Annotated[int, Field(ge=1, le=100_000)] = 500
    trust_lastmod: bool = False
    selectors: Selectors | None = None
    misses: Annotated[int, Field(ge=1, le=100)] = 3

    def defaults(self) -> SourceDefaults:
        return replace(super().defaults(), same_pages_once=True)


class GitEntry(_OnNetwork):
    """Dated versions of files: see `ingest.sources.git`. `repository`: an https address, or a path here."""

    type: Literal["git"]
    repository: Annotated[str, Field(min_length=1), AfterValidator(_repository)]
    branch: Annotated[str, Field(min_length=1)] = "HEAD"
    paths: Names = ()
    since: date | None = None


class DiscourseEntry(_OnNetwork):
    """Posts of a forum: see `ingest.sources.discourse`. `categories`: numbers, or slug and number (policies/5)."""

    type: Literal["discourse"]
    address: Address
    categories: Annotated[tuple[Category, ...], BeforeValidator(_listed)] = ()
    topics: tuple[Annotated[int, Field(ge=1)], ...] = ()
    misses: Annotated[int, Field(ge=1, le=100)] = 3

    @model_validator(mode="after")
    def _names_something(self) -> Self:
        if not self.categories and not self.topics:
            raise ValueError("name categories or topics to read")
        return self


class JsonLinesEntry(_OnNetwork):
    """Documents that another system hands over: see `ingest.sources.json_lines`. A file, or what an address answers."""

    type: Literal["jsonl"]
    path: Annotated[str, Field(min_length=1)] | None = None
    address: Address | None = None

    @model_validator(mode="after")
    def _names_one_place(self) -> Self:
        if (self.path is None) == (self.address is None):
            raise ValueError("name either path or address")
        return self


SourceEntry = Annotated[
    FolderEntry | WebsiteEntry | GitEntry | DiscourseEntry | JsonLinesEntry, Field(discriminator="type")
]
ENTRY_TYPES: Mapping[str, type[_Source]] = {
    "folder": FolderEntry,
    "website": WebsiteEntry,
    "git": GitEntry,
    "discourse": DiscourseEntry,
    "jsonl": JsonLinesEntry,
}


class Catalogue(_Strict):
    """The whole file. `groups`: the platforms' ids of those who belong to each group that sources name."""

    sources: Annotated[tuple[SourceEntry, ...], Field(min_length=1)]
    groups: dict[Annotated[str, Field(pattern=GROUP_NAME)], tuple[Member, ...]] = Field(default_factory=dict)
    labels: DeclaredLabels = Field(default_factory=dict)

    def label_words(self) -> tuple[LabelWords, ...]:
        """Every label with variants, by name; those of the sources among them."""
        found = dict(self.labels)
        for entry in self.sources:
            found.update({key: value for key, value in entry.labels.items() if isinstance(value, LabelWords)})
        return tuple(found[key] for key in sorted(found))
