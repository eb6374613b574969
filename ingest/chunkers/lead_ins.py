"""The words that give a line its meaning where it begins a chunk: the sentence before a list, the header of a table."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from ingest.chunkers.atoms import Line, is_label
from ingest.chunkers.drafts import LETTERS_A_TOKEN, TokenCounter
from ingest.chunkers.parts import clause_spans, word_spans
from ingest.places.mentions import note_mark
from rag_core.layout import BlockKind, sentence_spans

_WHOLE_PARAGRAPH = 70
"""Tokens up to which the paragraph before a table or a list is carried whole, if it does not end with a colon."""


@dataclass(frozen=True, slots=True)
class Placed:
    """Of each line: the first one of the list or table in which it stands, the last one of its table, and the item
    above it in its list; itself, itself and None where there is none."""

    firsts: Sequence[int]
    lasts: Sequence[int]
    parents: Sequence[int | None]


def placed(lines: Sequence[Line]) -> Placed:
    """Where `lines` stand. A header row begins a table."""
    firsts, lasts = list(range(len(lines))), list(range(len(lines)))
    parents: list[int | None] = [None] * len(lines)
    above: list[int] = []
    for at, line in enumerate(lines):
        before = lines[at - 1].block.kind if at else None
        if line.block.kind is BlockKind.ITEM:
            if before is BlockKind.ITEM:
                firsts[at] = firsts[at - 1]
            else:
                above = []
            while above and lines[above[-1]].block.level >= line.block.level:
                above.pop()
            parents[at] = above[-1] if above else None
            above.append(at)
        elif line.block.kind is BlockKind.ROW and before in (BlockKind.HEADER_ROW, BlockKind.ROW):
            firsts[at] = firsts[at - 1]
    for at in range(len(lines) - 2, -1, -1):
        if lines[at].block.kind is lines[at + 1].block.kind is BlockKind.ROW:
            lasts[at] = lasts[at + 1]
    return Placed(firsts, lasts, parents)


def lead_in(text: str, lines: Sequence[Line], where: Placed, at: int, most_tokens: int, count: TokenCounter) -> str:
    """What must be read before line `at`: verbatim lines of `text`, at most `most_tokens` tokens; "" for nothing."""
    kind, first = lines[at].block.kind, where.firsts[at]
    if kind is BlockKind.ITEM:
        parts = [*_announcement(text, lines, first, count), *_parents(text, lines, where, at)]
    elif kind is BlockKind.ROW:
        header = lines[first]
        parts = [*_announcement(text, lines, first, count), *_notes(text, lines, at, where.lasts[at])]
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


def _notes(text: str, lines: Sequence[Line], at: int, last: int) -> list[str]:
    """The notes below the table of row `at` whose marks its rows carry from there to the `last`: `Finland*`."""
    found = []
    for below in range(last + 1, len(lines)):
        line = lines[below]
        mark = note_mark(line.block.text) if line.block.kind is BlockKind.PARAGRAPH else None
        if mark is None:
            break
        if text.find(mark, lines[at].start, lines[last].end) >= 0:
            found.append(text[line.start : line.end].removeprefix("\\"))
    return ["\n".join(found)] if found else []


def _parents(text: str, lines: Sequence[Line], where: Placed, at: int) -> list[str]:
    """The items above a nested item, outermost first."""
    found: list[str] = []
    above = where.parents[at]
    while above is not None:
        found.append(text[lines[above].start : lines[above].end])
        above = where.parents[above]
    return found[::-1]


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
    """The last sentences, clauses or words of `part` that fit; of a very long one, more than fits is not looked at."""
    part = part[-LETTERS_A_TOKEN * (most_tokens + 2) :]
    for spans in (sentence_spans(part), clause_spans(part), word_spans(part)):
        fits = bisect_left(spans, True, key=lambda span: count(part[span[0] :]) <= most_tokens)
        if fits < len(spans):
            return part[spans[fits][0] :]
    return ""
