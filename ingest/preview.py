"""How one document is read: the tool to use when an answer looks odd."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import pairwise
from pathlib import Path

from ingest.catalogue import read_catalogue
from ingest.catalogue.entries import FolderEntry
from ingest.chunkers.drafts import TokenCounter
from ingest.chunkers.factory import detect
from ingest.chunkers.references import Reference, resolve_references
from ingest.model.document_types import mime_type_of
from ingest.model.names import document_names, slug, title_from, version_id
from ingest.parsers.parsed import ParseWarning
from ingest.parts import DocumentReader
from ingest.ports import RawDocument, SourceDefaults
from ingest.reader.version import Reading, chunks_of, reading_of, task_of
from ingest.rules.listing import ListedRule, listed_rule
from ingest.rules.reading import read_texts
from ingest.sources.folder import read_file
from rag_core.documents import DocumentVersion, Passage, PolicyChunk, PolicySource, search_text
from rag_core.errors import Misconfigured, PolicyBotError, Unavailable
from rag_core.layout import BlockKind, read_blocks
from rag_core.rules.reader import Reader as RuleReader
from rag_core.rules.reader import RuleReading
from rag_core.rules.rule import rules_in, text_hash


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of the document; `chunks`: how many begin under it and not under a later one. Level 0, without text:
    what stands before the first heading."""

    level: int
    text: str
    chunks: int


@dataclass(frozen=True, slots=True)
class PreviewedChunk:
    """`chunk` as it would be stored. `warning`: see `ChunkDraft`."""

    chunk: PolicyChunk
    tokens: int
    warning: str | None
    references: tuple[tuple[str, tuple[int, ...]], ...]
    """The words that refer to another section, and the chunks meant, if that is clear."""
    rules: tuple[ListedRule, ...] = ()


@dataclass(frozen=True, slots=True)
class Preview:
    """`source_id`: the source of the catalogue in whose folder the file is. `detected`: what the chunker `auto` took it
    for. `stated`: whether the document or its name says from which day it holds. `rules_not_read`: why the reader could
    not read its rules."""

    version: DocumentVersion
    source_id: str | None
    stated: bool
    chunker: str
    detected: str | None
    warnings: tuple[ParseWarning, ...]
    outline: tuple[Heading, ...]
    chunks: tuple[PreviewedChunk, ...]
    rules_not_read: PolicyBotError | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """`chunker` and `region`: instead of what the source prescribes; None: that."""

    path: Path
    catalogue: Path
    chunker: str | None = None
    region: str | None = None


@dataclass(frozen=True, slots=True)
class _Prescribed:
    defaults: SourceDefaults
    source_id: str | None
    name: str


async def preview(
    asked: Asked,
    reader: DocumentReader,
    count: TokenCounter,
    max_tokens: int,
    now: datetime,
    rule_reader: RuleReader | None = None,
) -> Preview:
    """The document at `asked.path`, read as it would be stored; its rules by their words alone without `rule_reader`.
    Raises Rejected, and Unavailable for the reader."""
    raw = _raw(asked.path)
    prescribed = _prescribed(asked)
    own = prescribed.defaults
    defaults = replace(own, chunker=asked.chunker or own.chunker, region=asked.region or own.region)
    contents = await reader.read(task_of(raw, defaults, now.date()))
    reading = reading_of(contents, raw, prescribed.name, defaults, now, max_tokens)
    chosen = detect(reading.text) if defaults.chunker == "auto" else None
    version = _version(reading, now)
    chunks = chunks_of(version, reading)
    rules, problem = await _rules(version, chunks, rule_reader)
    previewed = zip(_previewed(reading, chunks, count), rules, strict=True)
    return Preview(
        replace(version, chunk_count=len(chunks)),
        prescribed.source_id,
        reading.arrival.stated is not None,
        defaults.chunker,
        chosen,
        reading.warnings,
        _outline(reading),
        tuple(replace(each, rules=found) for each, found in previewed),
        problem,
    )


async def _rules(
    version: DocumentVersion, chunks: Sequence[PolicyChunk], reader: RuleReader | None
) -> tuple[list[tuple[ListedRule, ...]], PolicyBotError | None]:
    """Of each chunk, and why they were not read."""
    rules = [rules_in(Passage(chunk, version)) for chunk in chunks]
    texts = {text_hash(rule.as_read()): rule.as_read() for of_chunk in rules for rule in of_chunk}
    readings: dict[str, RuleReading] = {}
    problem = None
    try:
        if reader is not None:
            readings = dict(zip(texts, await read_texts(list(texts.values()), reader), strict=True))
    except (Misconfigured, Unavailable) as error:
        problem = error
    listed = [[listed_rule(rule, reading=readings.get(text_hash(rule.as_read()))) for rule in each] for each in rules]
    return [tuple(each) for each in listed], problem


def _raw(path: Path) -> RawDocument:
    return RawDocument(path.name, path.name, read_file(path), mime_type_of(path.name) or "")


def _prescribed(asked: Asked) -> _Prescribed:
    """What the source says whose folder holds the file; else nothing but its folder's name."""
    path = asked.path.resolve()
    try:
        entries = [each for each in read_catalogue(asked.catalogue).sources if isinstance(each, FolderEntry)]
    except Misconfigured:  # a preview needs no catalogue
        entries = []
    for entry in entries:
        folder = (asked.catalogue.parent / entry.path).resolve()
        if path.is_relative_to(folder):
            origin = path.relative_to(folder).as_posix()
            return _Prescribed(entry.defaults(), entry.id, document_names([origin])[origin])
    folder_name = path.parent.name
    source = PolicySource(slug(folder_name) or "documents", title_from(folder_name))
    return _Prescribed(SourceDefaults(source, guessed=True), None, document_names([path.name])[path.name])


def _version(reading: Reading, now: datetime) -> DocumentVersion:
    version, day = reading.arrival.version, reading.arrival.stated or now.date()
    return replace(version, doc_id=version_id(version.document_id, day, 1), effective_from=day)


def _outline(reading: Reading) -> tuple[Heading, ...]:
    blocks = [block for block in read_blocks(reading.text) if block.kind is BlockKind.HEADING]
    lines = [reading.text.rfind("\n", 0, block.start) + 1 for block in blocks]
    bounds = [0, *lines, len(reading.text) + 1]
    counts = [sum(start <= draft.start < end for draft in reading.drafts) for start, end in pairwise(bounds)]
    before = [Heading(0, "", counts[0])] if counts[0] else []
    named = zip(blocks, counts[1:], strict=True)
    return (*before, *(Heading(block.level, block.text, number) for block, number in named))


def _previewed(reading: Reading, chunks: Sequence[PolicyChunk], count: TokenCounter) -> tuple[PreviewedChunk, ...]:
    references: dict[int, list[Reference]] = {}
    for each in resolve_references(reading.text, reading.drafts):
        references.setdefault(each.draft, []).append(each)
    return tuple(
        PreviewedChunk(
            chunk,
            count(search_text(chunk.policy_path, chunk.lead_in, chunk.chunk_text)),
            draft.warning,
            tuple((reading.text[each.start : each.end], each.targets) for each in references.get(at, ())),
        )
        for at, (chunk, draft) in enumerate(zip(chunks, reading.drafts, strict=True))
    )
