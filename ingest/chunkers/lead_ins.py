"""The words that give a line its meaning where it begins a chunk: the sentence before a list, the header of a table."""

from collections.abc import Sequence

from ingest.chunkers.atoms import Line, is_label
from ingest.chunkers.drafts import TokenCounter
from ingest.chunkers.parts import clause_spans, word_spans
from ingest.places.mentions import note_mark
from rag_core.layout import BlockKind
from rag_core.sentences import sentence_spans

_WHOLE_PARAGRAPH = 70
"""Tokens up to which the paragraph before a table or a list is carried whole, if it does not end with a colon."""


def lead_in(text: str, lines: Sequence[Line], at: int, most_tokens: int, count: TokenCounter) -> str:
    """What must be read before line `at`: verbatim lines of `text`, at most `most_tokens` tokens; "" for nothing."""
    kind = lines[at].block.kind
    if kind is BlockKind.ITEM:
        parts = [*_announcement(text, lines, _first_of(lines, at), count), *_parents(text, lines, at)]
    elif kind is BlockKind.ROW:
        first = _first_of(lines, at)
        header = lines[first]
        parts = [*_announcement(text, lines, first, count), *_notes(text, lines, at)]
        if header.block.kind is BlockKind.HEADER_ROW:
            parts.append(text[header.start : header.end])
    elif kind is BlockKind.PARAGRAPH and is_label(lines[at].block.text):
        parts = _announcement(text, lines, at, count)
    else:
        parts = []
    return "\n".join(_fitted(parts, most_tokens, count))


def lead_start(text: str, line: Line, count: TokenCounter) -> int:
    """Where the words begin that lead from the paragraph `line` into the list or table after it."""
    body = text[line.start : line.end]
    sentences = sentence_spans(body)
    if not sentences or (not body.endswith(":") and count(body) <= _WHOLE_PARAGRAPH):
        return line.start
    at = len(sentences) - 1
    while at and len(body[sentences[at][0] :].split()) <= 4:
        at -= 1
    return line.start + sentences[at][0]


def _first_of(lines: Sequence[Line], at: int) -> int:
    """The first line of the list or table in which line `at` stands."""
    kinds = (BlockKind.ITEM,) if lines[at].block.kind is BlockKind.ITEM else (BlockKind.HEADER_ROW, BlockKind.ROW)
    while at and lines[at].block.kind is not BlockKind.HEADER_ROW and lines[at - 1].block.kind in kinds:
        at -= 1
    return at


def _announcement(text: str, lines: Sequence[Line], at: int, count: TokenCounter) -> list[str]:
    """The end of the paragraph before line `at`; with the sentence before it, if it only says "Examples:"."""
    if not at or lines[at - 1].block.kind is not BlockKind.PARAGRAPH:
        return []
    before = lines[at - 1]
    if before.scope[0] != lines[at].scope[0] and not before.block.text.endswith(":"):
        return []
    words = text[lead_start(text, before, count) : before.end].removeprefix("\\")
    more = _announcement(text, lines, at - 1, count) if is_label(words) else []
    return [*more, words]


def _notes(text: str, lines: Sequence[Line], at: int) -> list[str]:
    """The notes below the table of row `at` whose marks its rows carry from there on: `Finland*`."""
    end = at
    while end < len(lines) and lines[end].block.kind is BlockKind.ROW:
        end += 1
    rows = text[lines[at].start : lines[end - 1].end]
    found = []
    for line in lines[end:]:
        mark = note_mark(line.block.text) if line.block.kind is BlockKind.PARAGRAPH else None
        if mark is None:
            break
        if mark in rows:
            found.append(text[line.start : line.end].removeprefix("\\"))
    return ["\n".join(found)] if found else []


def _parents(text: str, lines: Sequence[Line], at: int) -> list[str]:
    """The items above a nested item, outermost first."""
    found: list[str] = []
    level = lines[at].block.level
    for line in reversed(lines[_first_of(lines, at) : at]):
        if line.block.level < level:
            found.insert(0, text[line.start : line.end])
            level = line.block.level
    return found


def _fitted(parts: list[str], most_tokens: int, count: TokenCounter) -> list[str]:
    """`parts` within `most_tokens`: what stands between the outermost and the innermost goes first."""
    while len(parts) > 2 and count("\n".join(parts)) > most_tokens:
        parts = [parts[0], *parts[2:]]
    if len(parts) == 2 and count("\n".join(parts)) > most_tokens:
        left = most_tokens - count(parts[1])
        parts = [end_of(parts[0], left, count), parts[1]] if left > most_tokens // 4 else [parts[1]]
    if len(parts) == 1 and count(parts[0]) > most_tokens:
        parts = [] if "\n" in parts[0] else [end_of(parts[0], most_tokens, count)]
    return [part for part in parts if part]


def end_of(part: str, most_tokens: int, count: TokenCounter) -> str:
    """The last sentences, clauses or words of `part` that fit."""
    for spans in (sentence_spans(part), clause_spans(part), word_spans(part)):
        for start, _ in spans:
            if count(part[start:]) <= most_tokens:
                return part[start:]
    return ""
