"""A document's text -> its rules: the smallest pieces that say something, with what gives them their meaning.

A rule is a sentence, a list item under its lead-in, a table row under its header, or the answer below a question. Every
part of it is a span of the version's text, so that whatever is shown of a rule is verbatim.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from rag_core.layout import Block, BlockKind, read_blocks, sentence_spans
from rag_core.vocabulary import pattern

LONG_ITEM = 45
"""Words from which a list item of several sentences is read sentence by sentence."""

_LETTER = re.compile(r"[^\W\d_]")
_CLAUSE = re.compile(r"(?<!\w)\((?:[a-z]|[ivx]{1,4}|\d{1,2})\)\s")
_REFERS_BACK = pattern("rules", "refers_back")
_POINTS_AHEAD = pattern("rules", "points_ahead")

_YES_OR_NO = re.compile(r"^\W*(?:a[:.]\s*)?(?:yes|no|nope|never|sure|sorry)\b", re.IGNORECASE)


class RuleKind(StrEnum):
    """`LIST`: a lead-in with all items below it, for claims that sum a list up; never read as a rule of its own."""

    SENTENCE = "sentence"
    ITEM = "item"
    LIST = "list"
    ROW = "row"


@dataclass(frozen=True, slots=True)
class Span:
    """`text[start:end]` of a version's text."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class RuleSpans:
    """Where a rule stands. `lead`: the spans that give `body` its meaning, in the order of the text (a lead-in, the
    items above it, a table's header, the question it answers). `path`: the headings above, outermost first."""

    kind: RuleKind
    body: Span
    lead: tuple[Span, ...]
    path: tuple[str, ...]


def rules_of(text: str) -> list[RuleSpans]:
    """The rules of a version's text in normal form (see `rag_core.layout`), in the order of the text."""
    return list(_Reader(text).rules())


class _Reader:
    """One pass over the blocks of a document."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._blocks = read_blocks(text)
        self._path: list[tuple[int, str]] = []
        self._last: Span | None = None  # the sentence before, in this section
        self._ahead: tuple[Span, ...] = ()  # what was announced: a lead-in or a question
        self._header: tuple[Span, ...] = ()
        self._parents: list[tuple[int, Span]] = []

    def rules(self) -> Iterator[RuleSpans]:
        previous: Block | None = None
        for at, block in enumerate(self._blocks):
            following = self._blocks[at + 1] if at + 1 < len(self._blocks) else None
            match block.kind:
                case BlockKind.HEADING:
                    self._enter(block)
                case BlockKind.HEADER_ROW:
                    self._header = (Span(block.start, block.end),)
                case BlockKind.ROW:
                    yield self._rule(RuleKind.ROW, Span(block.start, block.end), (*self._ahead, *self._header))
                case BlockKind.ITEM:
                    yield from self._item(block, previous)
                case BlockKind.PARAGRAPH:
                    yield from self._paragraph(block, following)
            if block.kind not in (BlockKind.ROW, BlockKind.HEADER_ROW):
                self._header = ()
            previous = block

    def _enter(self, block: Block) -> None:
        self._path = [*(each for each in self._path if each[0] < block.level), (block.level, block.text)]
        self._last, self._ahead, self._parents = None, (), []

    def _rule(self, kind: RuleKind, body: Span, lead: Sequence[Span]) -> RuleSpans:
        inside = tuple(dict.fromkeys(each for each in lead if each != body))
        return RuleSpans(kind, body, inside, tuple(text for _, text in self._path))

    def _item(self, block: Block, previous: Block | None) -> Iterator[RuleSpans]:
        if previous is None or previous.kind is not BlockKind.ITEM:
            self._parents = []
        self._parents = [each for each in self._parents if each[0] < block.level]
        whole = Span(block.start, block.end)
        lead = (*self._ahead, *(span for _, span in self._parents))
        self._parents.append((block.level, whole))
        sentences = self._sentences(block)
        if len(block.text.split()) < LONG_ITEM or len(sentences) < 2:
            yield from self._clauses(RuleKind.ITEM, whole, lead)
            return
        for sentence in sentences:
            first = () if sentence == sentences[0] else (sentences[0],)
            yield from self._clauses(RuleKind.ITEM, sentence, (*lead, *first))

    def _paragraph(self, block: Block, following: Block | None) -> Iterator[RuleSpans]:
        sentences = self._sentences(block)
        announces = (
            following is not None and following.kind is not BlockKind.HEADING and self._announces(sentences, following)
        )
        lead, self._ahead, self._parents = self._ahead, (), []
        question: tuple[Span, ...] = ()
        for sentence in sentences:
            said = self._said(sentence)
            back = (self._last,) if self._last is not None and _REFERS_BACK.search(said) else ()
            if announces and sentence == sentences[-1]:
                short = (self._last,) if self._last is not None and len(said.split()) < 4 else ()
                self._ahead = tuple(dict.fromkeys((*short, *back, *question, sentence)))
            else:
                yield from self._clauses(RuleKind.SENTENCE, sentence, (*lead, *back, *question))
            question = (sentence,) if said.rstrip().endswith("?") else question
            self._last = sentence

    def _announces(self, sentences: Sequence[Span], following: Block) -> bool:
        """Whether the last of `sentences` gives meaning to the block that follows."""
        if not sentences:
            return False
        said = self._said(sentences[-1]).rstrip()
        match following.kind:
            case BlockKind.ITEM:
                return True
            case BlockKind.ROW | BlockKind.HEADER_ROW:
                return bool(_POINTS_AHEAD.search(said))
            case _:
                return said.endswith((":", "?"))

    def _clauses(self, kind: RuleKind, body: Span, lead: Sequence[Span]) -> Iterator[RuleSpans]:
        """The parts of a sentence that numbers its clauses, "(a) ...; (b) ..."; else the whole of it."""
        said = self._said(body)
        marks = [match.start() for match in _CLAUSE.finditer(said)]
        if len(marks) < 2 or len(said.split()) < LONG_ITEM:
            if _LETTER.search(said):
                yield self._rule(kind, body, lead)
            return
        start = Span(body.start, body.start + len(said[: marks[0]].rstrip()))
        above = (*lead, start) if start.end > start.start else tuple(lead)
        for begin, end in pairwise([*marks, len(said)]):
            part = said[begin:end].rstrip()
            yield self._rule(kind, Span(body.start + begin, body.start + begin + len(part)), above)

    def _sentences(self, block: Block) -> list[Span]:
        """The sentences of a block. One of a word or two ("Fair billing.") names what the next is on and goes with it;
        "No." is the answer to a question and stands alone."""
        spans: list[Span] = []
        for start, end in sentence_spans(block.text):
            span = Span(block.start + start, block.start + end)
            if spans and self._is_title(self._said(spans[-1])):
                spans[-1] = Span(spans[-1].start, span.end)
            else:
                spans.append(span)
        return spans

    def _is_title(self, said: str) -> bool:
        return len(said.split()) < 3 and not said.endswith((":", "?")) and not _YES_OR_NO.match(said)

    def _said(self, span: Span) -> str:
        return self._text[span.start : span.end]
