"""Chunks by rule, for books of numbered rules such as `9.12`, `Rule 4`, `4.2(a)`.

Each rule is a chunk with its number; only one that the embedder cannot read whole is cut further. A rule below another
one (`4.2.1` below `4.2`) carries the other's first line as its lead-in. Text between headings that belongs to no rule
is cut as `sections` does.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache

from ingest.chunkers.atoms import Line, lines_of
from ingest.chunkers.cutting import Cutter
from ingest.chunkers.drafts import ChunkDraft, TokenCounter
from ingest.chunkers.fitting import fitted_drafts
from ingest.chunkers.lead_ins import end_of
from ingest.chunkers.outline import Section, sections
from ingest.chunkers.rule_numbers import Rule, parent_lines, reach, rules_in
from ingest.chunkers.sections import even_parts
from ingest.places import Places
from rag_core.layout import Block, read_blocks

CHUNKER = "rules-2"


@dataclass(frozen=True, slots=True)
class _Book:
    """The rules of a text: the rule of each line by the line's offset, the first line of a rule by its number."""

    text: str
    rules: Mapping[int, Rule]
    first_lines: Mapping[str, Block]


def rule_chunks(
    text: str, anchors: Mapping[int, str], title: str, places: Places, count: TokenCounter, max_tokens: int
) -> list[ChunkDraft]:
    """As `sections.section_chunks`."""
    counted = cache(count)
    blocks = read_blocks(text)
    rules = rules_in(blocks)
    by_offset = {blocks[at].start: rule for at, rule in reach(blocks, rules).items()}
    book = _Book(text, by_offset, parent_lines(blocks, rules))
    found = sections(blocks, anchors, title, places)
    return [draft for section in found for draft in _chunks(book, section, counted, max_tokens)]


def _chunks(book: _Book, section: Section, count: TokenCounter, max_tokens: int) -> list[ChunkDraft]:
    lines = [_numbered(book, line) for line in lines_of(section, book.text)]
    most = max_tokens // 3
    above = {at: _parent(book, line, most // 2, count) for at, line in enumerate(lines)}
    cutter = Cutter(book.text, lines, count, most, above)
    return fitted_drafts(cutter, section, max_tokens, even_parts)


def _numbered(book: _Book, line: Line) -> Line:
    rule = book.rules.get(line.block.start)
    return replace(line, scope=(line.scope[0], rule.number if rule else None))


def _parent(book: _Book, line: Line, most_tokens: int, count: TokenCounter) -> str:
    """The first line of the rule above the one in which `line` stands; its end, where it is long."""
    rule = book.rules.get(line.block.start)
    parent = book.first_lines.get(rule.parent) if rule and rule.parent else None
    if parent is None:
        return ""
    words = book.text[parent.start : parent.end]
    return words if count(words) <= most_tokens else end_of(words, most_tokens, count)
