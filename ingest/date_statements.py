"""What one line of a document says about the days of the document."""

import re
from dataclasses import dataclass, replace
from datetime import date
from enum import Enum, StrEnum, auto

from ingest.date_phrases import LABEL, MARK, OTHER_VERSIONS, STATEMENT
from ingest.written_days import WRITTEN, WrittenDay, read_day
from rag_core.layout import collapse

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
