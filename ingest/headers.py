"""What the header of a proposal says of it: `Status: Rejected`, `Author: ...`, `Requires: 20`.

It stands as front matter, as lines at the top, or as a table of two columns. What front matter says becomes sentences
of the text, so that searches and quotes find it; what the text says already becomes facts.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime

from ingest.parsers.parsed import ParsedDocument
from rag_core.layout import Block, BlockKind, collapse

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
