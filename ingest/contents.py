"""What bytes hold: parsed, cut, and every chunk looked at. All that takes long, or that a hostile text may make long,
and nothing that decides where it belongs: so that it can run in a process with limits that nobody has to trust."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from ingest.chunkers.drafts import LETTERS_A_TOKEN, ChunkDraft, TokenCounter
from ingest.chunkers.factory import chunker_of, whole
from ingest.chunkers.marks import has_cross_reference, summary
from ingest.chunkers.references import sections_meant
from ingest.facts import DocumentFacts, read_facts
from ingest.headers import header_facts, with_header_text
from ingest.naming import date_in_name, title_from
from ingest.pages import page_starts
from ingest.parsers.parsed import ParsedDocument, ParseWarning
from ingest.places import Places, in_doubt, mentioned, of_title
from ingest.stated_dates import stated_day
from rag_core.layout import Block, BlockKind, write_blocks


@dataclass(frozen=True, slots=True)
class ReadingTask:
    """What reading a document's bytes depends on. `facts`: what its source knows of it, as in `RawDocument`; `region`
    and `chunker`: as in `SourceDefaults`; `today`: days that the text states are not after it."""

    content: bytes
    mime_type: str
    file_name: str
    facts: Mapping[str, object]
    chunked: bool
    region: str
    chunker: str
    today: date


@dataclass(frozen=True, slots=True)
class DraftNotes:
    """What the words of a draft say; the fields are those of PolicyChunk. `doubt`: see `ingest.places.in_doubt`."""

    mentioned: tuple[str, ...]
    doubt: bool
    refers_to: tuple[int, ...]
    cross_reference: bool
    summary: str


@dataclass(frozen=True, slots=True)
class Contents:
    """A document as read. `facts`: what it says of itself, over what its source knows. `url`: the address that its text
    names. `text`: in normal form. `notes`: one a draft. `found_day`: the day that its text states, where nothing firmer
    is known. `pages`: where the format has pages, (offset in the text from which on, page number)."""

    facts: DocumentFacts
    title: str
    url: str | None
    text: str
    drafts: tuple[ChunkDraft, ...]
    notes: tuple[DraftNotes, ...]
    found_day: date | None
    pages: tuple[tuple[int, int], ...]
    page_count: int | None
    warnings: tuple[ParseWarning, ...]


def contents_of(parsed: ParsedDocument, task: ReadingTask, count: TokenCounter, max_tokens: int) -> Contents:
    """`task`, of which `parsed` was made. Raises Rejected, with a code that says why this document cannot be read."""
    known = read_facts(task.facts, {}).over(read_facts(header_facts(parsed.blocks), {}))
    facts = read_facts(parsed.metadata, parsed.metadata_lines).over(known)
    found_day = _found_day(facts, task, parsed.blocks)
    parsed = with_header_text(parsed)
    text = write_blocks(parsed.blocks)
    title = facts.title or parsed.title or title_from(task.file_name)
    cut = chunker_of(task.chunker).cut if task.chunked else whole
    places = _places(facts, task.region, title, parsed.blocks)
    drafts = cut(text, parsed.anchors, title, places, lambda part: _counted(part, count), max_tokens)
    return Contents(
        facts,
        title,
        parsed.url,
        text,
        tuple(drafts),
        _notes(text, drafts),
        found_day,
        page_starts(text, parsed.pages),
        parsed.page_count,
        parsed.warnings,
    )


def _counted(text: str, count: TokenCounter) -> int:
    return max(count(text), len(text) // LETTERS_A_TOKEN)


def _places(facts: DocumentFacts, region: str, title: str, blocks: Sequence[Block]) -> Places:
    if facts.regions:
        return Places(facts.regions)
    headings = [block.text for block in blocks if block.kind is BlockKind.HEADING]
    return of_title(title, headings, Places((region,)))


def _found_day(facts: DocumentFacts, task: ReadingTask, blocks: Sequence[Block]) -> date | None:
    if facts.effective_from or date_in_name(task.file_name):
        return None
    found = stated_day(blocks, task.today, facts.title)
    return found.day if found is not None else None


def _notes(text: str, drafts: Sequence[ChunkDraft]) -> tuple[DraftNotes, ...]:
    meant = sections_meant(text, drafts)
    return tuple(_note(text[draft.start : draft.end], draft, meant.get(at, ())) for at, draft in enumerate(drafts))


def _note(text: str, draft: ChunkDraft, refers_to: tuple[int, ...]) -> DraftNotes:
    read = f"{draft.lead_in}\n{text}"
    return DraftNotes(
        mentioned(read),
        in_doubt(read),
        refers_to,
        bool(refers_to) or has_cross_reference(text),
        summary(draft.path[-1], text),
    )
