"""Cross references within a document: "see section 4.2", "as set out in Alcohol above", "(#alcohol)"."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from ingest.chunkers.drafts import ChunkDraft

ReferenceKind = Literal["number", "title", "anchor", "near"]

_POINTS = r"(?:\((?:[a-z]|[ivx]{2,4})\))*"
_ANY = rf"\d{{1,3}}(?:\.\d{{1,3}})*{_POINTS}(?!\d|\s*%)"
_DOTTED = rf"\d{{1,3}}(?:\.\d{{1,3}})+{_POINTS}(?!\d|\s*%)"
_AND = r"(?:\s*,\s*(?:(?:and|or)\s+)?|\s+(?:and|or|to|through)\s+)"
_NUMBER = re.compile(
    rf"(?=[srcapu§])\b(?:(?:sections|rules|clauses|articles|paragraphs|points|§§)\s*{_ANY}(?:{_AND}{_ANY})*"
    rf"|(?:(?:section|rule|clause|article|paragraph|point)\s+|§\s*){_ANY}(?:{_AND}{_DOTTED})*"
    rf"|(?:see(?:\s+also)?|under)\s+{_DOTTED}(?:{_AND}{_DOTTED})*)",
    re.IGNORECASE,
)
_OF_ANOTHER_TEXT = re.compile(
    r"\s+of\s+(?!this\b|these\b|our\b|the\s+(?:polic|agreement|terms|code|guideline|document|rules))", re.IGNORECASE
)
_THIS = re.compile(r"\bthis\s+$", re.IGNORECASE)
_ONE_NUMBER = re.compile(r"\d{1,3}(?:\.\d{1,3})*(?:\([a-z]+\))*")
_ANCHOR = re.compile(r"(?<![\w&])#([A-Za-z][\w.-]*)")
_LEADS_TO_TITLE = re.compile(
    r"(?=[sradlocufm])\b(?:see(?:\s+also)?|refer\s+to|according\s+to|subject\s+to|described\s+(?:in|under)|set\s+out\s+(?:in|under)|"
    r"listed\s+(?:in|under)|outlined\s+in|comply\s+with|under|follow|meet)\s+(?:(?:our|the)\s+)?",
    re.IGNORECASE,
)
_NEAR = re.compile(r"\b(?:the\s+)?(?:section|rules?|list|table|requirements?)\s+(above|below)\b", re.IGNORECASE)
_AFTER_TITLE = re.compile(
    r"(?:[”\"'’)]|\s+(?:polic(?:y|ies)|section|rules?|requirements?|above|below)\b|[.,;:)]|\s*$)", re.I
)
_SIDE = re.compile(r"[”\"'’)]*(?:\s+(?:polic(?:y|ies)|section|rules?|requirements?))?\s+(above|below)\b", re.IGNORECASE)
_NUMBERING = re.compile(r"^(?:(?:rule|section|part|annex|§)\s*)?\d+(?:\.\d+)*[.):]?\s+", re.IGNORECASE)
_GENERIC = frozenset({"policy", "policies", "section", "overview", "introduction", "examples", "requirements", "rules"})
_LONGEST_TITLE = 80


@dataclass(frozen=True, slots=True)
class Reference:
    """`text[start:end]`, in draft number `draft`, sends the reader elsewhere; `targets` are the numbers of the drafts
    meant, in order: () where the document has no such section, or where it is not clear which one is meant."""

    draft: int
    start: int
    end: int
    kind: ReferenceKind
    targets: tuple[int, ...] = ()


def resolve_references(text: str, drafts: Sequence[ChunkDraft]) -> tuple[Reference, ...]:
    """The cross references in the chunks of a document, in order. `drafts`: all of them, as the chunker gave them.

    A number is looked for among the rule numbers ("4.2" also stands for all below it: 4.2.1, 4.2(a)), a title among the
    headings, an anchor among the anchors. A title that several sections bear means the one on the side that "above" or
    "below" names, else none. A section never refers to itself.
    """
    book = _book(text, drafts)
    found: list[Reference] = []
    for at, draft in enumerate(drafts):
        taken: list[tuple[int, int]] = []
        for reference in _in_draft(book, at, draft):
            if not any(reference.start < end and start < reference.end for start, end in taken):
                taken.append((reference.start, reference.end))
                found.append(reference)
    return tuple(sorted(found, key=lambda each: (each.draft, each.start)))


def sections_meant(text: str, drafts: Sequence[ChunkDraft]) -> dict[int, tuple[int, ...]]:
    """Of each draft that refers to others, by its number: the first draft of each section meant, in order."""
    found: dict[int, set[int]] = {}
    for reference in resolve_references(text, drafts):
        found.setdefault(reference.draft, set()).update(reference.targets)
    return {at: firsts for at, targets in found.items() if (firsts := _first_of_each(drafts, targets))}


def _first_of_each(drafts: Sequence[ChunkDraft], targets: Iterable[int]) -> tuple[int, ...]:
    sections: dict[tuple[tuple[str, ...], str | None], int] = {}
    for target in sorted(targets):
        sections.setdefault((drafts[target].path, drafts[target].rule_number), target)
    return tuple(sections.values())


@dataclass(frozen=True, slots=True)
class _Book:
    """`titles`: of its headings, as `_plain` makes them, the longest first. The others: the drafts of each anchor, of
    each rule number with those below it, of each title of a section, and of each title of one above it."""

    text: str
    drafts: Sequence[ChunkDraft]
    titles: Sequence[str]
    anchors: Mapping[str, Sequence[int]]
    numbers: Mapping[str, Sequence[int]]
    sections: Mapping[str, Sequence[int]]
    around: Mapping[str, Sequence[int]]

    def others(self, at: int, found: Sequence[int]) -> tuple[int, ...]:
        """Of the drafts `found`, those that are not of the section of `at`."""
        own = self.drafts[at]
        return tuple(
            each
            for each in found
            if (self.drafts[each].path, self.drafts[each].rule_number) != (own.path, own.rule_number)
        )


def _book(text: str, drafts: Sequence[ChunkDraft]) -> _Book:
    anchors, numbers, sections, around = (defaultdict[str, list[int]](list) for _ in range(4))
    for at, draft in enumerate(drafts):
        if draft.anchor is not None:
            anchors[draft.anchor].append(at)
        for number in _with_those_above(draft.rule_number or ""):
            numbers[number].append(at)
        sections[_plain(draft.path[-1])].append(at)
        for title in {_plain(heading) for heading in draft.path[1:]}:
            around[title].append(at)
    return _Book(text, drafts, _titles_of(drafts), anchors, numbers, sections, around)


def _with_those_above(number: str) -> list[str]:
    """A rule number and those of the rules in which it stands: 4.2(a), 4.2, 4."""
    return [number[:end] for end in range(1, len(number) + 1) if end == len(number) or number[end] in ".("]


def _in_draft(book: _Book, at: int, draft: ChunkDraft) -> Iterator[Reference]:
    body = book.text[draft.start : draft.end]
    for match in _NUMBER.finditer(body):
        if not _THIS.search(body, max(0, match.start() - 8), match.start()):
            yield from _numbers(book, at, draft.start, match, elsewhere=bool(_OF_ANOTHER_TEXT.match(body, match.end())))
    for match in _ANCHOR.finditer(body) if "#" in body else ():
        targets = book.others(at, book.anchors.get(match[1], ()))
        if targets:
            yield Reference(at, draft.start + match.start(), draft.start + match.end(), "anchor", targets)
    for start, end, titled in _titles(book, body):
        side = _side(body[end : end + 40])
        targets = _of_title(book, at, titled, side)
        yield Reference(at, draft.start + start, draft.start + end, "title", targets)
    for match in _NEAR.finditer(body):
        targets = _neighbour(book, at, match[1].lower())
        yield Reference(at, draft.start + match.start(), draft.start + match.end(), "near", targets)


def _numbers(book: _Book, at: int, offset: int, match: re.Match[str], *, elsewhere: bool) -> Iterator[Reference]:
    """`elsewhere`: "Article 5 of the Regulation" is no article of this document."""
    for one in _ONE_NUMBER.finditer(match[0]):
        start = offset + match.start() + one.start()
        targets = () if elsewhere else _of_number(book, at, one[0])
        yield Reference(at, start, start + len(one[0]), "number", targets)


def _of_number(book: _Book, at: int, number: str) -> tuple[int, ...]:
    """The rule of this number, else those below it, else the rule of which it is a point: 4 for 4(c)."""
    targets = book.others(at, book.numbers.get(number, ()))
    exact = tuple(each for each in targets if book.drafts[each].rule_number == number)
    whole, point, _ = number.rpartition("(")
    return exact or targets or (_of_number(book, at, whole) if point else ())


def _titles(book: _Book, body: str) -> Iterator[tuple[int, int, str]]:
    """(start, end, title) where words that send on are followed by the title of a section."""
    for match in _LEADS_TO_TITLE.finditer(body):
        start = match.end() + len(body[match.end() :]) - len(body[match.end() :].lstrip("“\"'‘("))
        rest = body[start : start + _LONGEST_TITLE + 1]
        if not rest[:1].isupper():
            continue
        begins = rest.casefold()
        for title in book.titles:
            if begins.startswith(title) and _AFTER_TITLE.match(rest[len(title) :]):
                yield start, start + len(title), title
                break


def _titles_of(drafts: Sequence[ChunkDraft]) -> Sequence[str]:
    known = {_plain(heading) for heading in {heading for draft in drafts for heading in draft.path}}
    return sorted((title for title in known if title and title not in _GENERIC), key=lambda each: (-len(each), each))


def _of_title(book: _Book, at: int, title: str, side: str | None) -> tuple[int, ...]:
    targets = book.others(at, book.sections.get(title, ()))
    if not targets:
        targets = book.others(at, book.around.get(title, ()))
        depths = {_depth(book.drafts[each], title) for each in targets}
        return targets if len(depths) == 1 else ()
    if side is not None:
        targets = tuple(each for each in targets if (each < at) == (side == "above"))
    paths = {book.drafts[each].path for each in targets}
    return targets if len(paths) == 1 else ()


def _depth(draft: ChunkDraft, title: str) -> tuple[str, ...]:
    """The path down to the heading `title`."""
    plain = [_plain(heading) for heading in draft.path]
    return draft.path[: plain.index(title) + 1]


def _neighbour(book: _Book, at: int, side: str) -> tuple[int, ...]:
    """The section beside this one, under the same heading."""
    own = book.drafts[at].path
    around = range(at - 1, -1, -1) if side == "above" else range(at + 1, len(book.drafts))
    for each in around:
        path = book.drafts[each].path
        if path != own:
            return (each,) if path[:-1] == own[:-1] or path[: len(own)] == own else ()
    return ()


def _side(after: str) -> str | None:
    match = _SIDE.match(after)
    return match[1].lower() if match else None


@lru_cache(maxsize=5_000)
def _plain(heading: str) -> str:
    return _NUMBERING.sub("", heading).strip(" .:*").casefold()
