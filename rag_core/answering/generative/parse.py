"""A model's output -> drafts. What is broken or cut is saved statement by statement: nothing here raises."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from rag_core.answering.generative.drafts import Draft, DraftCitation, Judgement

_ANSWERS = re.compile(r'"answers"\s*:\s*"(yes|partly|no)"')
_MISSING = re.compile(r'"missing"\s*:\s*(\[[^\[\]]*\])')
_STATEMENT = re.compile(r'\{\s*"(?:text|citations)"\s*:')
_LABELS = re.compile(r"\[?\s*(doc\d+)\s*\]?", re.IGNORECASE)
_MARKED = re.compile(
    r"(?P<text>[^\[\]]*?)(?P<labels>(?:\s*\[\s*doc\d+(?:\s*,\s*doc\d+)*\s*\])+)[ \t]*[.!?]?", re.IGNORECASE
)
_MORE_LABELS = re.compile(r"[\s.!?]*(?:\[[^\]]*)?")
"""What may be the beginning of another label."""

_ENDINGS = ("}", "]}", "}]}")
"""What can be missing where no text and no quote was cut."""

LONGEST_OUTPUT = 50_000
"""Characters that are read at all."""


@dataclass(slots=True)
class StatementScanner:
    """Finds the statements of a growing JSON text as they are closed. `feed` gives those that a piece completed."""

    _text: str = ""
    _position: int = 0
    _open: list[tuple[str, int]] = field(default_factory=list)
    _in_string: bool = False
    _escaped: bool = False
    _found: int = 0

    def feed(self, piece: str) -> list[Draft]:
        self._text = (self._text + piece)[:LONGEST_OUTPUT]
        drafts = []
        while self._position < len(self._text):
            start = self._step(self._text[self._position])
            self._position += 1
            if start is not None and (draft := _draft(_loaded(self._text[start : self._position]))) is not None:
                drafts.append(draft)
        self._found += len(drafts)
        return drafts

    def rest(self) -> list[Draft]:
        """Where the text has ended: a statement that lacks only brackets; all that can be read, if nothing was yet."""
        if not self._found:
            return list(_anywhere(self._text))
        start = next(
            (place for bracket, place in self._open if bracket == "{" and place > 0 and self._is_statement(place)), None
        )
        if start is None or self._in_string:
            return []
        draft = _closed(self._text[start:])
        return [draft] if draft is not None else []

    @property
    def judgement(self) -> Judgement | None:
        match = _ANSWERS.search(self._text)
        return Judgement(match[1]) if match else None

    @property
    def missing(self) -> tuple[str, ...]:
        match = _MISSING.search(self._text)
        words = _loaded(match[1]) if match else None
        return tuple(word for word in words if isinstance(word, str)) if isinstance(words, list) else ()

    def _step(self, letter: str) -> int | None:
        """Where the statement began that `letter` closes."""
        if self._in_string:
            if self._escaped:
                self._escaped = False
            elif letter == "\\":
                self._escaped = True
            elif letter == '"':
                self._in_string = False
            return None
        if letter == '"':
            self._in_string = bool(self._open)
        elif letter in "{[":
            self._open.append((letter, self._position))
        elif letter in "}]" and self._open:
            bracket, place = self._open.pop()
            return place if bracket == "{" and self._is_statement(place) else None
        return None

    def _is_statement(self, place: int) -> bool:
        return _STATEMENT.match(self._text, place) is not None


def read_statements(text: str) -> list[Draft]:
    """Every statement that can be read out of `text`, whole or cut."""
    scanner = StatementScanner()
    return [*scanner.feed(text), *scanner.rest()]


def read_citations(text: str) -> tuple[DraftCitation, ...]:
    """The citations of one sentence, out of `{"citations": [...]}`; none if nothing can be read."""
    start = text.find("{")
    found = _loaded(text[start:]) if start >= 0 else None
    if isinstance(found, dict):
        return _citations(found.get("citations"))
    objects = (_loaded(match[0]) for match in re.finditer(r"\{[^{}]*\}", text[:LONGEST_OUTPUT]))
    return _citations([each for each in objects if each is not None])


@dataclass(slots=True)
class SentenceScanner:
    """Finds the sentences of a growing text with labels behind them ("... [doc1]")."""

    _text: str = ""

    def feed(self, piece: str) -> list[Draft]:
        self._text = (self._text + piece)[-LONGEST_OUTPUT:]
        drafts, end = [], 0
        for match in _MARKED.finditer(self._text):
            if _MORE_LABELS.fullmatch(self._text, match.end()):
                break
            drafts.append(_marked(match))
            end = match.end()
        self._text = self._text[end:]
        return [draft for draft in drafts if draft.text]

    def rest(self) -> list[Draft]:
        """Where the text has ended. What has no label behind it is a draft without citation."""
        drafts, end = [], 0
        for match in _MARKED.finditer(self._text):
            drafts.append(_marked(match))
            end = match.end()
        lines = [line.strip() for line in self._text[end:].splitlines()]
        return [draft for draft in (*drafts, *(Draft(line) for line in lines)) if draft.text]


def _marked(match: re.Match[str]) -> Draft:
    labels = dict.fromkeys(each.lower() for each in _LABELS.findall(match["labels"]))
    return Draft(match["text"].strip(" \n\t-•"), tuple(DraftCitation(each) for each in labels))


def _anywhere(text: str) -> Iterator[Draft]:
    """Statements in a text that is no JSON as a whole: each is read from where it begins."""
    starts = [match.start() for match in _STATEMENT.finditer(text)]
    for start, end in pairwise([*starts, len(text)]):
        part = text[start:end].rstrip(" \n\t,")
        draft = _draft(_first(part)) or _closed(part)
        if draft is not None:
            yield draft


def _closed(part: str) -> Draft | None:
    """A statement that was cut after a text or quote had ended."""
    part = part.rstrip(" \n\t,")
    return next((draft for ending in _ENDINGS if (draft := _draft(_loaded(part + ending))) is not None), None)


def _first(part: str) -> object:
    try:
        return json.JSONDecoder().raw_decode(part)[0]
    except (ValueError, RecursionError):
        return None


def _loaded(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _draft(found: object) -> Draft | None:
    if not isinstance(found, dict) or not isinstance(found.get("text"), str):
        return None
    return Draft(found["text"], _citations(found.get("citations")))


def _citations(found: object) -> tuple[DraftCitation, ...]:
    each = found if isinstance(found, list) else []
    read = (_citation(one) for one in each)
    return tuple(dict.fromkeys(citation for citation in read if citation is not None))


def _citation(found: object) -> DraftCitation | None:
    if not isinstance(found, dict) or not isinstance(found.get("doc"), str):
        return None
    quote = found.get("quote")
    quote = quote if isinstance(quote, str) and quote.strip() else None
    match = _LABELS.fullmatch(found["doc"].strip())
    return DraftCitation((match[1] if match else found["doc"]).lower(), quote)
