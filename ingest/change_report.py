"""What changed, to be read: as text, as Markdown, as JSON. The newest day first, like release notes."""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, takewhile

from ingest import wording
from rag_core.changes import (
    PolicyChange,
    RuleChange,
    RuleChangeKind,
    SectionChange,
    change_json,
    headline,
)

FORMATS = ("text", "json", "markdown")

_MARKUP = re.compile(r"([\\`*_{}\[\]()<>#+!|~&$:@^=\"'-])|(?<=\d)(\.)")
_PATH = " > "
_LEAD_WORDS = 20


def change_report(changes: Sequence[PolicyChange], form: str) -> str:
    """The changes in one of FORMATS; text of documents is escaped for it."""
    newest = sorted(
        changes, key=lambda each: (-each.changed_on.toordinal(), each.policy_source, each.title, each.doc_id)
    )
    if form == "json":
        return json.dumps({"changes": [change_json(each) for each in newest]}, ensure_ascii=False, indent=2)
    if not newest:
        return wording.NO_CHANGES
    marks = _MARKDOWN if form == "markdown" else _TEXT
    return "\n".join(_lines(newest, marks))


@dataclass(frozen=True, slots=True)
class _Marks:
    """How one format writes a day, a document, a section, a rule (indentation, then text) and its words. `sign` keeps
    the sign before a rule from being read as mark-up; `edit`: words taken out, words put in."""

    day: str
    document: str
    section: str
    rule: str
    sign: str
    word: Callable[[str], str]
    edit: str


def _printable(text: str) -> str:
    """Without control characters: a document cannot steer the terminal."""
    return "".join(each if each.isprintable() else " " for each in text)


def _escaped(text: str) -> str:
    return _MARKUP.sub(lambda match: "\\" + match[0], _printable(text))


_TEXT = _Marks("{}", "\n  {}", "\n    {}", "      {}{}", "", _printable, "[-{}-]|{{+{}+}}")
_MARKDOWN = _Marks("## {}", "\n### {}\n", "\n**{}**\n", "{}- {}", "\\", _escaped, "~~{}~~|**{}**")


def _lines(changes: Sequence[PolicyChange], marks: _Marks) -> Iterator[str]:
    for day, of_day in groupby(changes, key=lambda each: each.changed_on):
        yield marks.day.format(day.isoformat())
        for change in of_day:
            yield from _document(change, marks)
        yield ""


def _document(change: PolicyChange, marks: _Marks) -> Iterator[str]:
    title = marks.word(change.title or change.document_id)
    summary = marks.word(headline(change.sections))
    many = sum(1 for section in change.sections if section.rules)
    said = wording.changed_document(title, marks.word(change.doc_id), change.kind, summary, many)
    yield marks.document.format(said)
    for section in change.sections:
        if section.rules:
            yield from _section(section, marks)
    if formatting := sum(section.formatting for section in change.sections):
        yield marks.section.format(wording.formatting_changes(formatting))


def _section(section: SectionChange, marks: _Marks) -> Iterator[str]:
    yield marks.section.format(marks.word(_PATH.join(section.path)) or wording.WHOLE_DOCUMENT)
    shown: list[str] = []
    for rule in section.rules:
        under = [*rule.around, rule.lead_in] if rule.lead_in else []
        known = _shared(shown, under)
        for depth, lead_in in list(enumerate(under))[known:]:
            yield marks.rule.format("  " * depth, wording.under_lead_in(marks.word(_shortened(lead_in))))
        origin = marks.word(_PATH.join(_apart(rule.moved_from, section.path)))
        said = wording.changed_rule(rule.kind, rule.direction, origin, _words(rule, marks))
        yield marks.rule.format("  " * len(under), marks.sign + said)
        shown = [*under, rule.after or rule.before]


def _shared(one: Sequence[str], other: Sequence[str]) -> int:
    """With how many equal parts both begin."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _apart(path: Sequence[str], section: Sequence[str]) -> Sequence[str]:
    """The headings that `section` does not have; all of them where it has all."""
    return path[_shared(path, section) :] or path


def _shortened(lead_in: str) -> str:
    """The end of a long lead-in: that is what leads on."""
    words = lead_in.split()
    return lead_in if len(words) <= _LEAD_WORDS else "... " + " ".join(words[-_LEAD_WORDS:])


def _words(rule: RuleChange, marks: _Marks) -> str:
    """The rule; of a changed one the new text with what was taken out and put in marked."""
    if rule.kind is not RuleChangeKind.CHANGED:
        return marks.word(rule.after or rule.before)
    deleted, inserted = marks.edit.split("|")
    said, at = "", 0
    for edit in rule.edits:
        said += marks.word(rule.after[at : edit.after_start])
        old, new = rule.before[edit.before_start : edit.before_end], rule.after[edit.after_start : edit.after_end]
        pieces = [deleted.format(marks.word(old))] if old else []
        pieces += [inserted.format(marks.word(new))] if new else []
        said = _spaced(said, " ".join(pieces)) if old else said + pieces[0]
        at = edit.after_end
        said += " " if not new and rule.after[at : at + 1].strip() else ""
    return said + marks.word(rule.after[at:])


def _spaced(text: str, more: str) -> str:
    return f"{text} {more}" if text[-1:].isalnum() or text[-1:] in (".", ",", ";", ":") else text + more
