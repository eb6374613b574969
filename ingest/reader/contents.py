"""What bytes hold: parsed, cut, and every chunk looked at. All that takes long, or that a hostile text may make long,
and nothing that decides where it belongs: so that it can run in a process with limits that nobody has to trust."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime

from ingest.chunkers.drafts import LETTERS_A_TOKEN, ChunkDraft, TokenCounter
from ingest.chunkers.factory import chunker_of, whole
from ingest.chunkers.marks import has_cross_reference, summary
from ingest.chunkers.references import sections_meant
from ingest.dates.file_names import date_in_name
from ingest.dates.statements import stated_day
from ingest.model.facts import DocumentFacts, read_facts
from ingest.model.names import title_from
from ingest.parsers.parsed import ParsedDocument, ParseWarning
from ingest.places import Places, in_doubt, mentioned, of_title
from rag_core.layout import Block, BlockKind, collapse, read_blocks, write_blocks


def page_starts(text: str, pages: Mapping[int, int]) -> tuple[tuple[int, int], ...]:
    """(offset, page) for each line of `text` (normal form) where a page begins; `pages` by index of its blocks."""
    if not pages:
        return ()
    blocks = enumerate(read_blocks(text))
    return tuple((text.rfind("\n", 0, block.start) + 1, pages[at]) for at, block in blocks if at in pages)


def page_at(starts: Sequence[tuple[int, int]], offset: int) -> int | None:
    """The page of the place `offset`; None in a document without pages."""
    at = bisect_right(starts, offset, key=lambda start: start[0])
    return starts[max(at - 1, 0)][1] if starts else None


_DECIDING = frozenset({"status", "stage", "author", "authors"})
"""Without one of these it is no header of a proposal: web pages have a `type` and a `description` too."""
_NAMES = _DECIDING | frozenset(
    "type category description created date_created creation_date start_date updated last_updated last_call "
    "last_call_deadline requires replaces replaced_by supersedes superseded_by obsoletes obsoleted_by resolution "
    "decision discussions_to implementation tracking_issue version withdrawal_reason owner owners champion champions "
    "editor editors sponsor shepherd reviewer reviewers approver approvers number eip pep rfc bip rfc_pr feature_name "
    "topic layer post_history python_version target_release".split()
)
_CREATED = ("created", "date_created", "creation_date", "start_date")
_LINE = re.compile(r"([A-Za-z][\w/ -]{0,40}?)\s*:\s+(\S.*)")
_LOOKED_AT = 12
"""Blocks at the top among which a header is looked for."""
_MOST_WORDS_ALONE = 4
_LONGEST = 1_000


def key_of(name: str) -> str:
    """`Superseded-By` as its key: `superseded_by`."""
    return re.sub(r"[\s/-]+", "_", name.strip().lower())


def with_header_text(parsed: ParsedDocument) -> ParsedDocument:
    """`parsed` with what its front matter says of a proposal as sentences below the title, one a paragraph."""
    said = {key: text for key, value in parsed.metadata.items() if key_of(key) in _NAMES and (text := _text(value))}
    if not {key_of(key) for key in said} & _DECIDING:
        return parsed
    added = tuple(Block(BlockKind.PARAGRAPH, _sentence(key, text)) for key, text in said.items())
    at = 1 if parsed.blocks[0].kind is BlockKind.HEADING else 0

    def moved(index: int) -> int:
        return index + len(added) if index >= max(at, 1) else index

    return replace(
        parsed,
        blocks=(*parsed.blocks[:at], *added, *parsed.blocks[at:]),
        anchors={moved(index) if at or index else len(added): anchor for index, anchor in parsed.anchors.items()},
        pages={moved(index): page for index, page in parsed.pages.items()},
    )


def _text(value: object) -> str:
    if isinstance(value, (list, tuple)):
        return ", ".join(filter(None, map(_text, value)))
    if isinstance(value, datetime):
        return value.date().isoformat()
    return collapse(str(value))[:_LONGEST] if isinstance(value, (str, int, float, date)) else ""


def _sentence(key: str, text: str) -> str:
    name = key_of(key).replace("_", " ")
    name = name.upper() if name in ("eip", "pep", "rfc", "bip") else name.capitalize()
    return f"{name}: {text}{'' if text.endswith(('.', '!', '?')) else '.'}"


def header_facts(blocks: Sequence[Block]) -> dict[str, object]:
    """What the header that stands in the text says, by key as in front matter; only status, stage, type, author and
    created. Empty where the document begins otherwise."""
    for begin in range(min(_LOOKED_AT, len(blocks))):
        found: dict[str, str] = {}
        for name, value in _pairs(blocks, begin):
            found.setdefault(key_of(name), value)
        known = found.keys() & _NAMES
        if known & _DECIDING and (len(known) > 1 or (begin < 2 and _stands_alone(found))):
            return _meant(found)
    return {}


def _pairs(blocks: Sequence[Block], begin: int) -> Iterator[tuple[str, str]]:
    """Names with their values from the block `begin` on, one after the other."""
    at = begin
    while at < len(blocks):
        block, following = blocks[at], blocks[at + 1] if at + 1 < len(blocks) else None
        if block.kind in (BlockKind.ROW, BlockKind.HEADER_ROW) and len(block.cells) == 2:
            yield block.cells[0].rstrip(":"), block.cells[1]
        elif block.kind in (BlockKind.PARAGRAPH, BlockKind.ITEM) and (match := _LINE.fullmatch(block.text)):
            yield match[1], match[2]
        elif _is_term(block) and following is not None and following.kind is BlockKind.ITEM:
            yield block.text.rstrip(":"), following.text
            at += 1
        else:
            return
        at += 1


def _is_term(block: Block) -> bool:
    return block.kind is BlockKind.PARAGRAPH and key_of(block.text.rstrip(":")) in _NAMES


def _stands_alone(found: Mapping[str, str]) -> bool:
    """A line `Status: Draft` below the title, and nothing else."""
    value = found.get("status", "")
    return len(found) == 1 and 0 < len(value.split()) <= _MOST_WORDS_ALONE


def _meant(found: Mapping[str, str]) -> dict[str, object]:
    created = next((found[key] for key in _CREATED if key in found), None)
    named = {key: found.get(key) for key in ("status", "stage", "type")}
    author = found.get("author") or found.get("authors")
    facts = {**named, "author": author, "created": created}
    return {key: value.rstrip(".") for key, value in facts.items() if value}


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
