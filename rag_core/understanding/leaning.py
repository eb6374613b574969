"""Does a question lean on what was said before it, and how?"""

import re
from dataclasses import dataclass
from enum import Enum, auto

from rag_core.questions import Intent
from rag_core.understanding.reading import Reading
from rag_core.understanding.terms import TermMention
from rag_core.understanding.topics import is_aspect

_LEADING = r"(?:(?:ok(?:ay)?|so|and|but|also|then|hm+|right|well|now|oh|ah|yes|no|thanks)[\s,.]+)*"
_MARK = re.compile(
    rf"^\W*{_LEADING}(?:what\s+about|how\s+about|what\s+if\s+it(?:'s|\s+is)|and|but|or|also|plus|then|for"
    r"|(?:the\s+)?same\s+(?:thing\s+|question\s+|rules?\s+)?(?:for|in|on|with|if)"
    r"|(?:is|was|are)\s+(?:it|that|this|the\s+(?:answer|rule))\s+(?:also\s+)?(?:the\s+same|true|different)"
    r"|(?:does|do|would|will|did)\s+(?:that|this|it|the\s+same|those|these|they)\s+(?:rules?\s+)?(?:also\s+)?"
    r"(?:apply|go|hold|count)(?:\s+also)?(?:\s+(?:to|for|in|on))?)\b[\s,:]*",
    re.IGNORECASE,
)
_WHY = re.compile(
    rf"^\W*{_LEADING}(?:why(?:\s+(?:is|was|are)\s+(?:that|this|it|they))?(?:\s+(?:so|not|though|allowed|banned|prohibited"
    r"|restricted))?|how\s+come|what(?:'s|\s+is)\s+the\s+reason(?:\s+for\s+(?:that|this|it))?|says\s+who|really"
    r"|are\s+you\s+sure)\W*$",
    re.IGNORECASE,
)
_ADDS = re.compile(
    r"^\W*(?:and\s+)?(?:with|without|(?:what\s+)?if|when|even\s+if|unless|only|using|targeting|aimed\s+at|by|during)\b",
    re.IGNORECASE,
)
_EXPLETIVE = re.compile(
    r"\bit(?:'s|’s|\s+is|\s+was|\s+be)?\s+(?:\w+\s+)?(?:allowed|ok|okay|possible|legal|permitted|fine|true|necessary|required"
    r"|enough|alright|mandatory|better|best|important|safe|worth|hard|easy|good|bad|common|illegal|wrong|right)\s+"
    r"(?:to|that|for|if|when)\b|\b(?:is|are|was|were|be)\s+there\b|\bthere(?:'s|’s|\s+(?:is|are|was|were|any|a|an|no|be))\b"
    r"|\bhow\s+long\s+does\s+it\s+take\b|\bwhat\s+time\s+is\s+it\b",
    re.IGNORECASE,
)
POINTS_BACK = re.compile(
    r"\b(?:(?P<place>over\s+there|there)"
    r"|(?P<owner>their|its|his|her(?=\s+\w))"
    r"|(?P<kind>(?:that|this|these|those|such)(?=\s+(?:ads?|rules?|polic\w+|products?|campaigns?|restrictions?|things?|kinds?"
    r"|creatives?|services?|ones?|types?)\b))"
    r"|(?P<thing>it(?!['’]s\s+own)|they|them|he|she|him|her"
    r"|(?:that|this|these|those)(?=\s*(?:[?.!,;]|$|(?:is|are|was|were|also|too|apply|applies|include|includes|count|counts|mean"
    r"|means|work|works|allowed|ok|okay|possible|need|needs|have|has|require|requires|for|in|on|affect|affects|happen|cost"
    r"|costs|cover|covers|be|then|take|differ|with|to|from|as|at|or|and|before|after)\b))"
    r"|(?<=\w\s)ones?(?=\s*(?:[?.!,;]|$|(?:in|on|for|there|with|from|is|are)\b))))(?![\w'’-])",
    re.IGNORECASE,
)
_PEOPLE = re.compile(
    r"teen(?:ager)?s?|minors?|kids?|child(?:ren)?|adults?|adolescents?|youth|young|under|seniors?|students?|parents?|women|men|girls|boys"
    r"|(?:under|over)[\s-]?\d+s?|\d\d(?:\+|-\d\d)?|year[\s-]olds?|elderly|families|pregnant",
    re.IGNORECASE,
)
"""Who sees an ad: asked about beside a topic, not instead of it."""
_CLAUSE = re.compile(
    r"^\W*(?:can|could|may|do|does|did|is|are|was|were|will|would|should|must|am|have|has|what|which|who|how|when|where|why"
    r"|whose|whom)\b",
    re.IGNORECASE,
)
_MOST_WORDS = 7
"""Of a question that asks for an aspect alone: "do I need a licence for it" said shortly."""

_ALONE = frozenset({Intent.SMALL_TALK, Intent.HELP, Intent.LIST_SOURCES, Intent.OUT_OF_SCOPE})


class Lean(Enum):
    """`WHY`: the reason for what was said. `POINTS`: a pronoun stands for the topic. `ASPECT`: asks something more of
    the topic. `TOPIC`: the same of another topic. `CLAUSE`: a question of its own, for the same place and platform.
    `SLOTS`: the same for another place, platform, day or material. `ADDS`: the same under one more condition.
    `AUDIENCE`: the same for certain people."""

    WHY = auto()
    POINTS = auto()
    ASPECT = auto()
    TOPIC = auto()
    CLAUSE = auto()
    SLOTS = auto()
    ADDS = auto()
    AUDIENCE = auto()


@dataclass(frozen=True, slots=True)
class Leaning:
    """How a question leans; `body_at`: where its words begin after "and", "what about"."""

    how: Lean
    body_at: int = 0


def leaning_of(reading: Reading) -> Leaning | None:
    """How the question leans on earlier ones; None for one that stands alone."""
    if _WHY.match(reading.text):
        return Leaning(Lean.WHY)
    if reading.question.intent in _ALONE or (reading.rule is not None and not reading.places):
        return None
    mark = _MARK.match(reading.text)
    topics = [each for each in reading.subject if not is_aspect(each)]
    points = _points_back(reading, topics) and not (mark and _is_same(mark))
    if points and (topics or not all(match["place"] for match in pointers(reading.text))):
        return Leaning(Lean.POINTS, mark.end() if mark else 0)
    return _with_mark(reading, mark, topics, is_marked=points or mark is not None)


def _with_mark(
    reading: Reading, mark: re.Match[str] | None, topics: list[TermMention], *, is_marked: bool
) -> Leaning | None:
    text, at = reading.text, mark.end() if mark else 0
    is_short = len(text[at:].split()) <= _MOST_WORDS
    if _ADDS.match(text) and is_short and (reading.terms or not _has_slot(reading)):
        return Leaning(Lean.ADDS)
    if not topics:
        return _without_topic(reading, at, is_marked=is_marked)
    if mark is not None and all(_PEOPLE.fullmatch(each.term.text) for each in topics):
        return Leaning(Lean.AUDIENCE, at)
    if mark is None or not (is_short or any(each.is_of_the_trade for each in topics)):
        return None
    return Leaning(Lean.CLAUSE if _CLAUSE.match(text[at:]) else Lean.TOPIC, at)


def _without_topic(reading: Reading, at: int, *, is_marked: bool) -> Leaning | None:
    aspects = reading.subject
    if aspects and (is_marked or (not reading.materials and len(reading.text.split()) <= _MOST_WORDS)):
        return Leaning(Lean.ASPECT, at)
    if aspects:
        return None
    if reading.materials and not is_marked and len(reading.text.split()) > 3:
        return None
    return Leaning(Lean.SLOTS, at)


def _is_same(mark: re.Match[str]) -> bool:
    """Whether the pronoun is in the opening itself: "does that apply to", "is it the same in"."""
    return POINTS_BACK.search(mark[0]) is not None


def _points_back(reading: Reading, topics: list[TermMention]) -> bool:
    """Whether a pronoun stands for something that was said before; "is it ok to" and "are there" point nowhere."""
    masked = _EXPLETIVE.sub(lambda match: "|" * len(match[0]), reading.text)
    found = list(POINTS_BACK.finditer(masked))
    if not found:
        return False
    if any(match["place"] for match in found) and not reading.places:
        return True
    if any(each.is_of_the_trade for each in topics):
        return False
    # "did the pandemic end before it ..." : what the pronoun stands for is in the question itself
    first = min((each.start for each in topics), default=len(reading.text))
    return any(match.start() < first and (match["thing"] or match["owner"] or match["kind"]) for match in found)


def _has_slot(reading: Reading) -> bool:
    return bool(reading.places or reading.platforms or reading.day or reading.labels)


def pointers(text: str) -> list[re.Match[str]]:
    """The words that point back, in order."""
    masked = _EXPLETIVE.sub(lambda match: "|" * len(match[0]), text)
    return list(POINTS_BACK.finditer(masked))
