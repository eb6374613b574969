"""The day that a document states itself: "Effective 1 July 2026", "Last updated"."""

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from enum import Enum, StrEnum, auto

from ingest.dates.phrases import DOCUMENT, LABEL, MARK, OTHER_VERSIONS, STATEMENT, WRITTEN, WrittenDay, read_day
from rag_core.layout import Block, BlockKind, collapse

_STATEMENT = re.compile(STATEMENT, re.IGNORECASE)
_MARK = re.compile(MARK, re.IGNORECASE)
_LABEL_ALONE = re.compile(rf"(?:\d+(?:\.\d+)*\.?\s+)?{LABEL}\s*:?", re.IGNORECASE)
_DAY_ALONE = re.compile(rf"{WRITTEN}\.?", re.IGNORECASE)
_BREAK = re.compile(r"[\s|;,·•–—\-.()\[\]*_]*")
_LONGEST = 1_000
"""Characters of a line that are looked at: statements stand at the beginning."""
_ANY_DAY = WrittenDay(date.min, date.max)
_OTHER_VERSIONS = re.compile(OTHER_VERSIONS, re.IGNORECASE)
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")


class StatedKind(StrEnum):
    EFFECTIVE = "effective"
    UPDATED = "updated"


class Form(Enum):
    LABELLED = auto()
    SENTENCE = auto()
    BARE = auto()


@dataclass(frozen=True, slots=True)
class Statement:
    """`when`: also what cannot be told, as the day holds for some only. `with_mark`: after a version number."""

    kind: StatedKind
    form: Form
    when: WrittenDay
    with_mark: bool = False

    @property
    def names_itself(self) -> bool:
        """Whether the words alone tell that it is about a document: a rule has an effective date too."""
        if self.with_mark or self.form is Form.SENTENCE:
            return True
        return self.kind is StatedKind.UPDATED and self.form is Form.LABELLED


_GROUPS = {
    "updated": (StatedKind.UPDATED, Form.LABELLED),
    "effective": (StatedKind.EFFECTIVE, Form.LABELLED),
    "updated_elsewhere": (StatedKind.UPDATED, Form.LABELLED),
    "effective_elsewhere": (StatedKind.EFFECTIVE, Form.LABELLED),
    "effective_sentence": (StatedKind.EFFECTIVE, Form.SENTENCE),
    "updated_bare": (StatedKind.UPDATED, Form.BARE),
    "effective_bare": (StatedKind.EFFECTIVE, Form.BARE),
    "updated_bare_elsewhere": (StatedKind.UPDATED, Form.BARE),
    "effective_bare_elsewhere": (StatedKind.EFFECTIVE, Form.BARE),
}
"""Of the groups of `STATEMENT` one matches."""


def is_label(text: str) -> bool:
    """Whether `text` is "Last updated" or the like, whose day stands beside or below it."""
    return _LABEL_ALONE.fullmatch(text) is not None


def labelled(label: str, day: str) -> list[Statement]:
    """The statement that a label and what stands beside or below it make."""
    match = _LABEL_ALONE.fullmatch(label)
    if match is None or _DAY_ALONE.fullmatch(day) is None:
        return []
    words = next(filter(None, match.groups()))
    return statements_in(f"{words}: {day}")


def statements_in(text: str) -> list[Statement]:
    """The statements with which a line begins, as far as the rest of the line leaves them standing."""
    line = collapse(text[:_LONGEST])
    found: list[Statement] = []
    with_mark, sign, at = False, "", _after_break(line, 0)
    while at < len(line):
        mark = _MARK.match(line, at)
        match = mark or _STATEMENT.match(line, at)
        if match is None:
            break
        if mark is None and (statement := _statement(match, with_mark=with_mark)) is not None:
            found.append(statement)
        with_mark = with_mark or mark is not None
        at = _after_break(line, match.end())
        sign = line[match.end() : at]
    kept = (_before(each, sign, line[at:]) for each in found)
    return [each for each in kept if each is not None]


def _after_break(line: str, at: int) -> int:
    match = _BREAK.match(line, at)
    return match.end() if match else at


def _before(each: Statement, sign: str, rest: str) -> Statement | None:
    """`each` with `rest` behind it on its line: "Effective 1 July 2026, ads for ..." is a rule, "Effective date: 1 July
    2026 for new accounts" is not the day for all."""
    if not rest or _OTHER_VERSIONS.fullmatch(rest):
        return each
    is_sentence_end = "." in sign
    if each.form is Form.BARE:
        return each if each.kind is StatedKind.UPDATED and is_sentence_end else None
    if each.kind is StatedKind.UPDATED or (is_sentence_end and not _YEAR.search(rest)):
        return each
    return replace(each, when=_ANY_DAY)


def _statement(match: re.Match[str], *, with_mark: bool) -> Statement | None:
    name = next(name for name in _GROUPS if match[name])
    when = read_day(match["written"], is_day_first=name.endswith("_elsewhere"))
    if when is None:
        return None
    kind, form = _GROUPS[name]
    return Statement(kind, Form.LABELLED if match["colon"] else form, when, with_mark)


_OPENING = 15
"""Blocks; a list or table is one: many documents begin with a summary or a table of contents."""
_END = 5
_LONGEST_TITLE = 200
_FOOTER = 2
"""Blocks in which a labelled day is likely the document's even if it is none of an update; never one to come: a rule's,
taken for the document's, would keep all of it from being in force."""
_FIRST_YEAR = 1995
_MOST_YEARS_AHEAD = 3
_TITLE_BREAK = re.compile(r"\s*(?:[(,:|]|\s[-–—]\s)\s*")
_NAMES_DOCUMENT = re.compile(rf"\b{DOCUMENT}\b", re.IGNORECASE)
_IS_DOCUMENT = re.compile(
    rf"(?!.*\b(?:this|these|our|the|your|to|of|in|on|with|what|how)\b)(?:\d+(?:\.\d+)*[.)]?\s+)?(?:[\w&'’-]+\s+){{0,5}}{DOCUMENT}",
    re.IGNORECASE,
)
"""A heading that names a document of its own: "Gambling policy", not "Changes to this policy"."""
_ON_VERSIONS = re.compile(
    r"(?:\d+(?:\.\d+)*\.?\s+)?(?:the\s+)?(?:(?:date\s+of\s+)?(?:last|latest)\s+(?:update|revision|change|modification)"
    r"|effective\s+date|version|document\s+(?:information|control|details)|about\s+this\s+(?:policy|document|page))",
    re.IGNORECASE,
)
_ON_CHANGES = re.compile(
    r"\b(?:updates|changes|change\s?log|what['’]s\s+new|release\s+notes|announcements?|upcoming|history|archives?)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class StatedDay:
    """`day`: from when the wording at hand holds, as far as the document says; EFFECTIVE may be in the future."""

    day: date
    kind: StatedKind


class _Trust(Enum):
    """SURE: of the document. LIKELY: so, if no statement elsewhere disagrees. NO: of a section or a rule."""

    SURE = auto()
    LIKELY = auto()
    NO = auto()


@dataclass(frozen=True, slots=True)
class _Placed:
    statement: Statement
    trust: _Trust


def stated_day(blocks: Sequence[Block], seen: date, title: str | None = None) -> StatedDay | None:
    """The day that the document of `blocks` states for itself; None if it states none, or none that is certain.

    `title`: what the document is called elsewhere than in its headings, as in front matter. `seen`: when it was read;
    an update after that is nonsense. A month alone is its first day for "effective", as people mean it, and nothing
    for "updated": that day would be up to a month too early. Of both kinds EFFECTIVE counts, unless the wording was
    changed after it: then UPDATED.
    """
    found = _Document(blocks, seen, title).statements()
    effective = _settled([each for each in found if each.statement.kind is StatedKind.EFFECTIVE])
    updated = _settled([each for each in found if each.statement.kind is StatedKind.UPDATED])
    if updated is not None and updated.earliest > seen:
        updated = None
    if effective is not None:
        holds_from = effective.earliest if effective.is_month else effective.day
        if holds_from is None or updated is None or updated.latest <= holds_from:
            return _usable(holds_from, StatedKind.EFFECTIVE, seen)
    return _usable(updated.day, StatedKind.UPDATED, seen) if updated is not None else None


def _usable(day: date | None, kind: StatedKind, seen: date) -> StatedDay | None:
    if day is None or day.year < _FIRST_YEAR:
        return None
    years = _MOST_YEARS_AHEAD if kind is StatedKind.EFFECTIVE else 0
    is_too_late = (day.year, day.month, day.day) > (seen.year + years, seen.month, seen.day)
    return None if is_too_late else StatedDay(day, kind)


def _settled(found: Sequence[_Placed]) -> WrittenDay | None:
    """What the statements of one kind say of the document: no single day where they disagree; None if nothing."""
    sure = [each for each in found if each.trust is _Trust.SURE]
    if not sure and not any(each.trust is _Trust.LIKELY for each in found):
        return None
    days = {each.statement.when for each in sure or found}
    if len(days) == 1:
        return days.pop()
    return WrittenDay(min(day.earliest for day in days), max(day.latest for day in days))


@dataclass(frozen=True, slots=True)
class _Document:
    blocks: Sequence[Block]
    seen: date
    title: str | None

    def statements(self) -> list[_Placed]:
        """All of them, each with how far it speaks of the whole document."""
        lines = [self._on_line(at) for at in range(len(self.blocks))]
        headings = [at for at, line in enumerate(lines) if not line and self._is_heading(at)]
        opening = self._opening()
        found = [
            _Placed(each, self._trust(each, at, headings, is_opening=at < opening))
            for at, line in enumerate(lines)
            for each in line
        ]
        return found + self._in_title(headings)

    def _is_heading(self, at: int) -> bool:
        block = self.blocks[at]
        return block.kind is BlockKind.HEADING and not is_label(block.text)

    def _opening(self) -> int:
        """The index of the first block after the opening."""
        listed = (BlockKind.ITEM, BlockKind.ROW, BlockKind.HEADER_ROW)
        count = 0
        for at, block in enumerate(self.blocks):
            continues = at and block.kind in listed and self.blocks[at - 1].kind in listed
            count += 0 if continues else 1
            if count > _OPENING:
                return at
        return len(self.blocks)

    def _on_line(self, at: int) -> list[Statement]:
        block = self.blocks[at]
        if block.kind in (BlockKind.ROW, BlockKind.HEADER_ROW):
            return labelled(*block.cells) if len(block.cells) == 2 else []
        below_label = labelled(self.blocks[at - 1].text, block.text) if at else []
        return below_label or statements_in(block.text)

    def _in_title(self, headings: Sequence[int]) -> list[_Placed]:
        """ "Advertising policy (effective 1 July 2026)", where that is the title of all that follows."""
        if not headings or headings[0] != 0 or self._siblings(headings):
            return []
        text = self.blocks[0].text[:_LONGEST_TITLE]
        for part in _TITLE_BREAK.finditer(text):
            rest = text[part.end() :]
            if found := statements_in(rest):
                return [_Placed(each, _Trust.SURE) for each in found]
        return []

    def _siblings(self, headings: Sequence[int]) -> list[Block]:
        """The headings that stand beside the first one, if it is no title of them all."""
        first = self.blocks[headings[0]]
        return [self.blocks[at] for at in headings[1:] if self.blocks[at].level <= first.level]

    def _trust(self, each: Statement, at: int, headings: Sequence[int], *, is_opening: bool) -> _Trust:
        is_end = at >= len(self.blocks) - _END
        is_listed = self.blocks[at].kind is BlockKind.ITEM and each.form is not Form.LABELLED
        above = headings[: bisect_left(headings, at)]
        if not (is_opening or is_end) or is_listed or self._is_of_changes(each, above):
            return _Trust.NO
        if not above:
            return _Trust.SURE if is_opening and each.form is not Form.SENTENCE else _Trust.LIKELY
        if len(above) == 1 and (is_opening or len(headings) == 1):
            return self._below_first(each, headings)
        return self._below_section(each, at, above[-1], is_opening=is_opening)

    def _below_section(self, each: Statement, at: int, above: int, *, is_opening: bool) -> _Trust:
        heading = self.blocks[above].text
        if is_opening and each.form is Form.LABELLED and self.title and _alike(heading, self.title):
            return _Trust.SURE
        if _ON_VERSIONS.fullmatch(heading):
            return _Trust.LIKELY
        if above == at - 1:
            return _Trust.NO
        is_footer = at >= len(self.blocks) - _FOOTER and each.form is Form.LABELLED and each.when.latest <= self.seen
        return _Trust.LIKELY if each.names_itself or is_footer else _Trust.NO

    def _is_of_changes(self, each: Statement, above: Sequence[int]) -> bool:
        """Pages about changes to policies state the days of those, not their own."""
        titles = [self.title or "", *(self.blocks[at].text for at in (*above[:1], *above[-1:]))]
        return each.kind is StatedKind.EFFECTIVE and any(_ON_CHANGES.search(text[:_LONGEST_TITLE]) for text in titles)

    def _below_first(self, each: Statement, headings: Sequence[int]) -> _Trust:
        """Below a first heading, which is the document's title or that of its first section."""
        beside = self._siblings(headings)
        heading = self.blocks[headings[0]].text
        if each.form is Form.SENTENCE:
            return _Trust.LIKELY
        if not beside:
            return _Trust.SURE
        if _NAMES_DOCUMENT.search(heading) and not any(_IS_DOCUMENT.fullmatch(other.text) for other in beside):
            return _Trust.SURE
        if self.title and _alike(heading, self.title) and _NAMES_DOCUMENT.search(heading):
            return _Trust.LIKELY if each.form is not Form.BARE else _Trust.NO
        return _Trust.LIKELY if each.names_itself else _Trust.NO


def _alike(heading: str, title: str) -> bool:
    """Whether the heading says the title again, perhaps shortened."""
    words, known = ({*re.findall(r"\w+", text.lower())} - {"the"} for text in (heading, title))
    return words == known or (len(words) > 1 and words < known and _NAMES_DOCUMENT.search(heading) is not None)
