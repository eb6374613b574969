"""Passages -> rules: the smallest pieces of text that say something on their own.

A sentence (with the exception that follows it), a list item together with its lead-in, a whole list with its
lead-in, a table row with its header. Every part is a verbatim quote.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache

from rag_core.answering.untrusted import believed_of, speaks_to_machines
from rag_core.answers import Quote
from rag_core.documents import Passage
from rag_core.layout import Block, BlockKind, read_blocks
from rag_core.sentences import sentence_spans

_EXCEPTION = re.compile(
    r"(?:except|however|exceptions?\b|this (?:rule )?does not apply|the only exception|in that case)",
    re.IGNORECASE,
)
_REFERS_BACK = re.compile(
    r"^\W*(?:[\w-]+\s+){0,3}(?:they|it|these|those|this|such)\b|\b(?:in|for|of|to|with)\s+(?:them|it)\b"
    r"|^\W*(?:ads?\s+for\s+)?(?:any\s+)?(?:stronger|higher|larger|greater)\b",
    re.IGNORECASE,
)
"""A sentence with such a word means something only behind the one before it."""

_YES_OR_NO = re.compile(
    r"^\W*(?:yes|no|sure|of\s+course|certainly|absolutely|nope|sorry)(?:[\s,]+(?:you\s+can(?:not|['’]t)?|never"
    r"|sorry))?\W*$",
    re.IGNORECASE,
)
"""An answer to the question in the heading, which the sentence behind it explains."""

EXAMPLES = re.compile(
    r"\W*(?:(?:some|for|further|more)\s+)?(?:examples?\b|e\.g\.|(?:these|this"
    r"|they)\s+(?:may\s+)?includes?\b)[^.]{0,60}:?\W*$",
    re.IGNORECASE,
)
"""A lead-in whose items are examples of what the sentence before it is on."""

_MOST_BEHIND = 4
_TEXT = (BlockKind.PARAGRAPH, BlockKind.ITEM)


class UnitKind(StrEnum):
    SENTENCE = "sentence"
    ITEM = "item"
    LIST = "list"
    ROW = "row"


@dataclass(frozen=True, slots=True)
class Unit:
    """A rule. `lead` gives `body` its meaning (lead-in, parent items, table header); both are verbatim."""

    passage: Passage
    kind: UnitKind
    lead: tuple[Quote, ...]
    body: tuple[Quote, ...]

    @property
    def quotes(self) -> tuple[Quote, ...]:
        return self.lead + self.body

    @property
    def text(self) -> str:
        return " ".join(quote.text for quote in self.quotes)

    @property
    def headings(self) -> str:
        """The document's title and the heading path."""
        return f"{self.passage.version.title} > {self.passage.chunk.policy_path}"


def _believed(blocks: Iterable[Block]) -> Iterator[Block]:
    """Without what speaks to machines."""
    for block in blocks:
        text = believed_of(block)
        if text == block.text:
            yield block
        elif text:
            yield replace(block, text=text)


Parts = tuple[UnitKind, tuple[Quote, ...], tuple[Quote, ...]]


def units_of(passage: Passage) -> list[Unit]:
    """Every rule in a passage, in the order of the text."""
    chunk = passage.chunk
    if speaks_to_machines(chunk.policy_section):
        return []
    return [Unit(passage, *parts) for parts in _parts_of(chunk.chunk_id, chunk.lead_in, chunk.chunk_text)]


def _says_yes_or_no(sentences: list[Quote]) -> bool:
    return len(sentences) == 1 and bool(_YES_OR_NO.match(sentences[0].text))


@lru_cache(maxsize=10_000)
def _parts_of(chunk_id: str, lead_in: str, chunk_text: str) -> tuple[Parts, ...]:
    return tuple(_Reading(chunk_id, lead_in, chunk_text).units())


class _Reading:
    """One pass over the blocks of a chunk, behind those of its lead-in."""

    def __init__(self, chunk_id: str, lead_in: str, chunk_text: str) -> None:
        self._chunk_id = chunk_id
        self._spoken: list[Quote] = []  # sentences since the last list
        carried = [(block, True) for block in _believed(read_blocks(lead_in))]
        own = [(block, False) for block in _believed(read_blocks(chunk_text))]
        self._blocks = [each for each in carried + own if each[0].kind is not BlockKind.HEADING]

    def units(self) -> Iterator[Parts]:
        position = 0
        header: tuple[Quote, ...] = ()
        while position < len(self._blocks):
            block, carried = self._blocks[position]
            match block.kind:
                case BlockKind.HEADER_ROW:
                    header = (self._whole(block, carried),)
                case BlockKind.ROW:
                    yield UnitKind.ROW, header, (self._whole(block, carried),)
                case BlockKind.ITEM:
                    yield from self._list((), position, self._list_end(position))
                case _:
                    yield from self._paragraph(block, carried, position)
            position = max(position + 1, self._list_end(position + 1)) if block.kind in _TEXT else position + 1

    def _paragraph(self, block: Block, carried: bool, position: int) -> Iterator[Parts]:
        """The sentences of a paragraph; the last one leads the list that follows, if one does."""
        sentences = self._sentences(block, carried)
        end = self._list_end(position + 1)
        if end == position + 1 or not sentences:
            yield from self._sentence_units(sentences, carried)
            self._spoken += sentences
            return
        *before, lead = sentences
        yield from self._sentence_units(before, carried)
        self._spoken += before
        yield from self._list((*self._behind(lead), lead), position + 1, end)
        self._spoken = []

    def _behind(self, lead: Quote) -> list[Quote]:
        """What a lead-in means something behind: of "Examples:" every sentence since the last list, because it may be
        examples of any of them."""
        if EXAMPLES.match(lead.text):
            return self._spoken[-_MOST_BEHIND:]
        return self._spoken[-1:] if _REFERS_BACK.search(lead.text) else []

    def _list_end(self, position: int) -> int:
        while position < len(self._blocks) and self._blocks[position][0].kind is BlockKind.ITEM:
            position += 1
        return position

    def _list(self, lead: tuple[Quote, ...], start: int, end: int) -> Iterator[Parts]:
        items = self._blocks[start:end]
        body = tuple(self._whole(block, carried) for block, carried in items)
        if lead and len(items) > 1:
            yield UnitKind.LIST, lead, body
        parents: list[tuple[int, Quote]] = []
        for (block, carried), quote in zip(items, body, strict=True):
            parents = [parent for parent in parents if parent[0] < block.level]
            if not carried:
                yield UnitKind.ITEM, lead + tuple(each for _, each in parents), (quote,)
            parents.append((block.level, quote))

    def _sentence_units(self, sentences: list[Quote], carried: bool) -> Iterator[Parts]:
        if carried:  # a lead-in says nothing without what it leads to
            return
        lead: tuple[Quote, ...] = ()
        together: list[Quote] = []
        for sentence in sentences:
            if together and not _EXCEPTION.match(sentence.text) and not _says_yes_or_no(together):
                yield UnitKind.SENTENCE, lead, tuple(together)
                lead = (*lead, *together)[-2:] if _REFERS_BACK.search(sentence.text) else ()
                together = []
            together.append(sentence)
        if together:
            yield UnitKind.SENTENCE, lead, tuple(together)

    def _sentences(self, block: Block, carried: bool) -> list[Quote]:
        return [
            self._quote(block.text[start:end], block.start + start, carried)
            for start, end in sentence_spans(block.text)
        ]

    def _whole(self, block: Block, carried: bool) -> Quote:
        return self._quote(block.text, block.start, carried)

    def _quote(self, text: str, start: int, carried: bool) -> Quote:
        return Quote(self._chunk_id, text, start, start + len(text), lead_in=carried)
