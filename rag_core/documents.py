"""What is known: documents, their versions, and the chunks of a version."""

import hashlib
import json
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import date, datetime
from enum import StrEnum


class ContentType(StrEnum):
    """What kind of material a rule speaks about."""

    AD_TEXT = "ad_text"
    IMAGE = "image"
    VIDEO = "video"
    LANDING_PAGE = "landing_page"
    GENERAL = "general"


class Classification(StrEnum):
    """Who may see a document: everybody, or only members of its `allowed_groups` (none = nobody)."""

    PUBLIC = "public"
    RESTRICTED = "restricted"


class VersionStatus(StrEnum):
    PROCESSING = "processing"
    LIVE = "live"
    HELD = "held"
    FAILED = "failed"
    RETIRED = "retired"


SHOWN_STATUSES = frozenset({VersionStatus.LIVE, VersionStatus.RETIRED})
"""A retired version answers for the days it held; what was replaced outright holds for no day at all."""

SAMPLE_LABEL = ("stage", "sample")
"""The label that marks invented documents: every answer made from them says so."""


@dataclass(frozen=True, slots=True)
class PolicySource:
    """Who publishes policies: `slug` ("google"), the name people read, other names people type. `documents`: how many
    there are; `labels`: the names of those that one of them has at least."""

    slug: str
    display_name: str
    aliases: tuple[str, ...] = ()
    documents: int = 0
    labels: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class DocumentVersion:
    """One version of a document: it holds from `effective_from` until, not including, `effective_to`.

    `sha256` is of the raw bytes, `size` in bytes. `origin` is the key under which the source knows it,
    `pipeline` the parser and chunker that read it: both unchanged with the same bytes means nothing to do.
    `supersedes`: the doc_id of the version before it; or of those of other documents that it says it replaces, parted
    by spaces. `date_stated`: whether the document, its name or its source says from when it holds; else
    `effective_from` is the day on which it was first read. `open_start`: it holds for earlier days too, as the first
    version of a document that does not say since when it holds.
    """

    doc_id: str
    document_id: str
    policy_source: str
    title: str
    url: str | None
    mime_type: str
    sha256: str
    size: int
    origin: str
    pipeline: str
    status: VersionStatus
    effective_from: date
    effective_to: date | None
    seen_at: datetime
    checked_at: datetime
    chunk_count: int = 0
    pages: int | None = None
    supersedes: str | None = None
    classification: Classification = Classification.PUBLIC
    allowed_groups: frozenset[str] = frozenset()
    labels: Mapping[str, str] = field(default_factory=dict)
    author: str | None = None
    posted_at: datetime | None = None
    post_number: int | None = None
    date_stated: bool = True
    open_start: bool = False

    def holds_on(self, day: date) -> bool:
        """Whether this version is the one in force on `day`."""
        ends = self.effective_to
        begun = self.effective_from <= day or (self.open_start and (ends is None or self.effective_from < ends))
        return begun and (ends is None or day < ends)

    def is_older_than_read(self, day: date) -> bool:
        """Whether nothing but the silence of the document lets it hold on `day`: it was first read later."""
        return not self.date_stated and day < self.effective_from

    def may_see(self, groups: frozenset[str]) -> bool:
        """Whether somebody in `groups` may see it."""
        return self.classification is Classification.PUBLIC or bool(self.allowed_groups & groups)


@dataclass(frozen=True, slots=True)
class PolicyChunk:
    """A piece of one version, in the normal form of `rag_core.layout`.

    `chunk_text` is `text[char_start:char_end]` of the version's text. `lead_in` is the line that gives the
    first lines their meaning where chunking had to cut between them: the sentence before a list, a table's
    header row (as `layout` writes it); it is verbatim text of the same version, "" where nothing was cut.
    `policy_path` holds the headings, outermost first, joined by " > ". `refers_to`: the `chunk_index` of the chunks of
    this version to which its text sends the reader, the first one of each section, in order.
    """

    chunk_id: str
    doc_id: str
    chunk_index: int
    chunk_text: str
    lead_in: str
    policy_source: str
    policy_section: str
    policy_section_level: int
    policy_path: str
    regions: tuple[str, ...]
    content_type: ContentType
    char_start: int
    char_end: int
    effective_from: date
    effective_to: date | None
    content_hash: str
    created_at: datetime
    regions_excluded: tuple[str, ...] = ()
    regions_mentioned: tuple[str, ...] = ()
    region_doubt: bool = False
    rule_number: str | None = None
    page: int | None = None
    doc_url: str | None = None
    anchor: str | None = None
    has_cross_reference: bool = False
    refers_to: tuple[int, ...] = ()
    is_atomic: bool = False
    summary: str = ""

    @property
    def search_text(self) -> str:
        """What is embedded and searched: heading path, lead-in, text."""
        return search_text(self.policy_path, self.lead_in, self.chunk_text)


@dataclass(frozen=True, slots=True)
class Passage:
    """A chunk with the version it belongs to, as the store returns it.

    `checksum` is the one that was stored with the chunk; None where it comes from no store. Passages that differ in
    nothing else are equal.
    """

    chunk: PolicyChunk
    version: DocumentVersion
    checksum: str | None = field(default=None, compare=False)

    @property
    def is_intact(self) -> bool:
        """Whether the chunk is as it was when it was stored."""
        return self.checksum in (None, chunk_checksum(self.chunk))


def unlinked(passage: Passage) -> Passage:
    """`passage` without the versions that its own supersedes: whoever may see the one may not know of the others."""
    version = passage.version
    return replace(passage, version=replace(version, supersedes=None)) if version.supersedes else passage


def search_text(policy_path: str, lead_in: str, chunk_text: str) -> str:
    """Heading path, lead-in and text as one text."""
    return "\n".join(part for part in (policy_path, lead_in, chunk_text) if part)


def content_hash(policy_path: str, lead_in: str, chunk_text: str) -> str:
    """SHA-256 (hex) of all that is embedded: equal hashes share an embedding."""
    return hashlib.sha256(search_text(policy_path, lead_in, chunk_text).encode()).hexdigest()


_CHECKED = tuple(each.name for each in fields(PolicyChunk) if each.name != "created_at")


def chunk_checksum(chunk: PolicyChunk) -> str:
    """SHA-256 (hex) of all that an answer may rest on: every field but `created_at`. It finds what was changed in the
    store past this code; it keeps out nobody who can compute it, too."""
    return values_checksum([getattr(chunk, name) for name in _CHECKED])


def values_checksum(values: Sequence[object]) -> str:
    """SHA-256 (hex) of values that are stored together, in this order."""
    return text_checksum(json.dumps(values, ensure_ascii=False, default=str))


def text_checksum(text: str) -> str:
    """SHA-256 (hex) of the text of a version."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def chunk_id(doc_id: str, chunk_index: int, hash_: str) -> str:
    """UUID5 of the version, the place in it and the content: the same input gives the same id everywhere."""
    return str(uuid.uuid5(uuid.NAMESPACE_URL, f"adpolicy:{doc_id}:{chunk_index}:{hash_}"))
