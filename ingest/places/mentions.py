"""Every place that a text names, and whether its words leave a doubt about where it holds."""

import re

from ingest.places.headings import EXCEPT
from rag_core.place_names import ADJECTIVES
from rag_core.published_places.names import named

_BEFORE_LANGUAGE = re.compile(r"\b(?:in|into|to|and|or|than)\s+$|[,/]\s*$", re.IGNORECASE)
_AFTER_LANGUAGE = re.compile(r"\s*[.,;:)]|\s*$|[-\s]+(?:language|translation|text|or|and)\b", re.IGNORECASE)
_EXCEPTING = ("except", "excluding", "excl.", "other than", "outside", "apart from", "but")
"""One of these is in all that `EXCEPT` finds: most texts have none, and are done with sooner."""
_MOST_MEMBERS = 8
"""Members up to which the name of a group names each of them: the EEA, but not a continent."""
_LONGEST_EXCEPTION = 60
_MARK = re.compile(r"(?<=\w)\s?(\*{1,3}|[†‡§¹²³⁴⁵⁶⁷⁸⁹]|\[\d{1,2}\])")
_NOTE = re.compile(r"^[\s\\(-]*(\*{1,3}|[†‡§¹²³⁴⁵⁶⁷⁸⁹]|\[\d{1,2}\])\s*\S", re.MULTILINE)


def mentioned(text: str) -> tuple[str, ...]:
    """Every place named in `text`, sorted; a language ("in Spanish") is none."""
    found = (each for each in named(text) if not _is_language(text, each.start, each.end))
    return tuple(sorted({code for each in found if len(each.codes) <= _MOST_MEMBERS for code in each.codes}))


def in_doubt(text: str) -> bool:
    """Whether the words leave a doubt where `text` holds: it excepts places, or marks one for a note it lacks."""
    return _excepts_places(text) or _lacks_note(text)


def _excepts_places(text: str) -> bool:
    lowered = text.lower()
    if not any(word in lowered for word in _EXCEPTING):
        return False
    reaches = [(match.end(), match.end() + _reach(text[match.end() :])) for match in EXCEPT.finditer(text)]
    return bool(reaches) and any(
        start <= each.start < end and not _is_language(text, each.start, each.end)
        for each in named(text)
        for start, end in reaches
    )


def _reach(rest: str) -> int:
    """How far an exception reaches: to the end of its clause."""
    stop = re.search(r"[.;\n]", rest[:_LONGEST_EXCEPTION])
    return stop.start() if stop else _LONGEST_EXCEPTION


def _lacks_note(text: str) -> bool:
    """Whether a place in `text` has a note's mark (`Finland*`) whose note is not there."""
    notes = {match[1] for match in _NOTE.finditer(text)}
    return any((mark := _MARK.match(text, each.end)) is not None and mark[1] not in notes for each in named(text))


def note_mark(line: str) -> str | None:
    """The mark with which `line` begins, if it is a note: "* Only the state's lottery"."""
    match = _NOTE.match(line)
    return match[1] if match else None


def _is_language(text: str, start: int, end: int) -> bool:
    if text[start:end].lower() not in ADJECTIVES:
        return False
    return (
        _BEFORE_LANGUAGE.search(text[max(0, start - 8) : start]) is not None
        and _AFTER_LANGUAGE.match(text[end : end + 16]) is not None
    )
