"""What a document's contents become: the version that it may be stored as, and its chunks. No I/O."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime

from ingest.chunkers.drafts import PATH_SEPARATOR, ChunkDraft
from ingest.chunkers.factory import chunker_of
from ingest.dates.file_names import date_in_name
from ingest.model.document_types import PARSERS
from ingest.model.facts import DocumentFacts, read_facts
from ingest.model.names import document_id, title_from
from ingest.parsers.parsed import ParseWarning
from ingest.planner import Arrival
from ingest.ports import RawDocument, SourceDefaults
from ingest.reader.contents import Contents, DraftNotes, ReadingTask, page_at
from rag_core.documents import (
    Classification,
    ContentType,
    DocumentVersion,
    PolicyChunk,
    PolicySource,
    VersionStatus,
    chunk_id,
    content_hash,
)

_END = "effective_to"


@dataclass(frozen=True, slots=True)
class Reading:
    """A document as read: its text in normal form, the drafts of its chunks with a note on each, and the version it may
    become.

    `own_source`: the policy source that the document itself names, where it is another than its source's.
    `pages`: where the format has pages, (offset in the text from which on, page number).
    """

    arrival: Arrival
    own_source: PolicySource | None
    text: str
    drafts: tuple[ChunkDraft, ...]
    notes: tuple[DraftNotes, ...]
    content_type: ContentType
    pages: tuple[tuple[int, int], ...] = ()
    warnings: tuple[ParseWarning, ...] = ()


def pipeline_of(defaults: SourceDefaults, raw: RawDocument, max_tokens: int) -> str:
    """Names all that decides how bytes become chunks: parsers, chunker, its size, what the source prescribes, and what
    it says of this document: but not when that ended, which changes nothing but its bounds."""
    facts = sorted((key, str(value)) for key, value in raw.facts.items() if _key(key) != _END)
    own = [raw.url, facts, raw.chunked]
    return f"{_pipeline_of_source(defaults, max_tokens)}/{_digest(own)}"


def says_end(facts: Mapping[str, object]) -> date | None:
    """The end that a source knows of a document. Raises Rejected("front_matter_invalid")."""
    own = {key: value for key, value in facts.items() if _key(key) == _END}
    return read_facts(own, {}).effective_to if own else None


def _key(key: str) -> str:
    return key.strip().lower().replace("-", "_")


def is_read_alike(version: DocumentVersion, defaults: SourceDefaults, max_tokens: int) -> bool:
    """Whether the same bytes would be read as this version was, as far as that can be told without them."""
    return version.pipeline.rpartition("/")[0] == _pipeline_of_source(defaults, max_tokens)


def _pipeline_of_source(defaults: SourceDefaults, max_tokens: int) -> str:
    prescribed = [
        defaults.policy_source.slug,
        defaults.region,
        defaults.content_type,
        defaults.classification,
        sorted(defaults.allowed_groups),
        sorted(defaults.labels.items()),
        defaults.guessed,
    ]
    return f"{PARSERS}/{chunker_of(defaults.chunker).name}/{max_tokens}/{_digest(prescribed)}"


def _digest(facts: Sequence[object]) -> str:
    return hashlib.sha256(json.dumps(facts).encode()).hexdigest()[:8]


def task_of(raw: RawDocument, defaults: SourceDefaults, today: date) -> ReadingTask:
    """What reading `raw` takes; the same task gives the same contents, whatever the source is called."""
    return ReadingTask(
        raw.content,
        raw.mime_type,
        raw.file_name,
        raw.facts,
        raw.chunked,
        defaults.region,
        defaults.chunker,
        today,
    )


def reading_of(
    contents: Contents, raw: RawDocument, name: str, defaults: SourceDefaults, now: datetime, max_tokens: int
) -> Reading:
    """`raw`, whose bytes hold `contents`. `name`: the document's name where it states no id (see
    `naming.document_names`). What `raw` and its source say is taken from them, whatever `contents` says."""
    facts = contents.facts
    own = _own_source(facts, defaults)
    slug = (own or defaults.policy_source).slug
    version = _version(raw, name, facts, slug, contents.title, defaults, now, max_tokens)
    version = replace(version, url=facts.url or contents.url or raw.url, pages=contents.page_count)
    content_type = facts.content_type or defaults.content_type
    arrival = _arrival(version, contents, raw.file_name)
    return Reading(
        arrival, own, contents.text, contents.drafts, contents.notes, content_type, contents.pages, contents.warnings
    )


def _arrival(version: DocumentVersion, contents: Contents, file_name: str) -> Arrival:
    """A day that the document's text states is soft: it is often left as it was when the text changes."""
    facts = contents.facts
    firm = facts.effective_from or date_in_name(file_name)
    soft = contents.found_day if firm is None else None
    return Arrival(version, firm or soft, soft is not None, facts.effective_to, facts.supersedes or ())


def _own_source(facts: DocumentFacts, defaults: SourceDefaults) -> PolicySource | None:
    if not defaults.guessed or facts.policy_source in (None, defaults.policy_source.slug):
        return None
    return PolicySource(str(facts.policy_source), title_from(str(facts.policy_source)))


def _version(
    raw: RawDocument,
    name: str,
    facts: DocumentFacts,
    policy_source: str,
    title: str,
    defaults: SourceDefaults,
    now: datetime,
    max_tokens: int,
) -> DocumentVersion:
    classification = facts.classification or defaults.classification
    if facts.classification is None and facts.allowed_groups is not None:
        classification = Classification.RESTRICTED
    return DocumentVersion(
        doc_id="",
        document_id=facts.document_id or document_id(policy_source, name),
        policy_source=policy_source,
        title=title,
        url=None,
        mime_type=raw.mime_type,
        sha256=hashlib.sha256(raw.content).hexdigest(),
        size=len(raw.content),
        origin=raw.origin,
        pipeline=pipeline_of(defaults, raw, max_tokens),
        status=VersionStatus.PROCESSING,
        effective_from=date.min,
        effective_to=None,
        seen_at=now,
        checked_at=now,
        classification=classification,
        allowed_groups=defaults.allowed_groups if facts.allowed_groups is None else facts.allowed_groups,
        labels={**defaults.labels, **facts.labels},
        author=facts.author,
        posted_at=facts.posted_at,
        post_number=facts.post_number,
    )


def chunks_of(version: DocumentVersion, reading: Reading) -> tuple[PolicyChunk, ...]:
    """The chunks of `version`, which `reading` became."""
    drafts = zip(reading.drafts, reading.notes, strict=True)
    return tuple(_chunk(version, reading, index, draft, notes) for index, (draft, notes) in enumerate(drafts))


def _chunk(version: DocumentVersion, reading: Reading, index: int, draft: ChunkDraft, notes: DraftNotes) -> PolicyChunk:
    text = reading.text[draft.start : draft.end]
    path = PATH_SEPARATOR.join(draft.path)
    hash_ = content_hash(path, draft.lead_in, text)
    return PolicyChunk(
        chunk_id=chunk_id(version.doc_id, index, hash_),
        doc_id=version.doc_id,
        chunk_index=index,
        chunk_text=text,
        lead_in=draft.lead_in,
        policy_source=version.policy_source,
        policy_section=draft.path[-1],
        policy_section_level=draft.level,
        policy_path=path,
        regions=draft.places.regions,
        content_type=reading.content_type,
        char_start=draft.start,
        char_end=draft.end,
        effective_from=version.effective_from,
        effective_to=version.effective_to,
        content_hash=hash_,
        created_at=version.seen_at,
        regions_excluded=draft.places.excluded,
        regions_mentioned=notes.mentioned,
        region_doubt=draft.places.doubt or notes.doubt,
        rule_number=draft.rule_number,
        page=page_at(reading.pages, draft.start),
        doc_url=version.url,
        anchor=draft.anchor,
        has_cross_reference=notes.cross_reference,
        refers_to=notes.refers_to,
        is_atomic=draft.is_atomic,
        summary=notes.summary,
    )
