"""A word of a rule turned into its opposite: "on" into "off", "and" into "or", "before" into "after"."""

import re
from collections.abc import Iterable
from functools import lru_cache

from rag_core.answering import facts
from rag_core.answering.halves import about_the_same, content_of, side_by_side, without_places
from rag_core.answering.strength import CONDITION
from rag_core.understanding.words import stem

_JOINS = re.compile(r"\b(?P<join>and/or|and|or)\b", re.IGNORECASE)


def changes_a_join(claim: str, source: str) -> bool:
    """Whether two things joined by "and" are joined by "or" in the source, or the other way round.

    Under a "not" both say the same.
    """
    if facts.negates(claim) and facts.negates(source):
        return False
    theirs, ours = _joined(source), _joined(claim)
    if any(theirs.get(pair, joins) != joins for pair, joins in ours.items()):
        return True
    together = {each for first, second in side_by_side(source) for each in ((first, second), (second, first))}
    return any("or" in joins and pair in together for pair, joins in ours.items())


@lru_cache(maxsize=2_000)
def _joined(text: str) -> dict[tuple[str, str], frozenset[str]]:
    """The words next to each "and" and "or", with it."""
    found: dict[tuple[str, str], frozenset[str]] = {}
    for match in _JOINS.finditer(text):
        before, behind = content_of(text[: match.start()]), content_of(text[match.end() :])
        if before and behind:
            pair = (before[-1], behind[0])
            found[pair] = found.get(pair, frozenset()) | {match["join"].lower()}
    return found


_OPPOSITES = [
    (re.compile(rf"\b(?:{one})\b", re.IGNORECASE), re.compile(rf"\b(?:{other})\b", re.IGNORECASE))
    for one, other in (
        (r"on(?=\s+by\b|\W*$|[.,;])", "off"),
        ("include[sd]?|including|inclusive", "exclude[sd]?|excluding|exclusive of|without|net of"),
        ("with", "without|free of"),
        ("more|over|above|exceeds?|exceeding", "less|fewer|under|below"),
        ("minimum|at least", "maximum|at most"),
        ("larger|bigger|longer|older|higher|greater", "smaller|shorter|younger|lower"),
        ("first", "last"),
        ("same|identical", "different"),
        ("public|publicly", "private|privately"),
        ("inside|indoors?", "outside|outdoors?"),
        ("increase[sd]?|raise[sd]?", "decrease[sd]?|reduce[sd]?|lower(?:s|ed)"),
        ("accept(?:s|ed)?|approved?", "reject(?:s|ed)?|refused?"),
        ("enabled?", "disabled?"),
        ("top", "bottom"),
        ("weekdays?", "weekends?"),
        ("online", "offline"),
        ("verified", "unverified"),
        ("licen[cs]ed", "unlicen[cs]ed"),
        ("paid", "unpaid"),
        ("earlier", "later"),
        ("opt(?:s|ed)? in|opt-in", "opt(?:s|ed)? out|opt-out"),
    )
]


_THAN = re.compile(r"\b(?:more|less|fewer|\w+er)\s+(?:[\w-]+\s+){0,2}?than\b(?!\s*[^\s\w]?\d)", re.IGNORECASE)


def compares_anew(claim: str, source: str) -> bool:
    """Whether something becomes "larger than" another thing of which the source says no such thing."""
    return bool(_THAN.search(claim)) and not re.search(r"\bthan\b", source, re.IGNORECASE)


def says_the_opposite(claim: str, source: str) -> bool:
    """Whether one of two opposites stands in the claim, and only the other one in what the source says of the same.

    Limits to a number ("no more than", "or older") are looked at with their numbers.
    """
    source = about_the_same(claim, source)
    ours, theirs = (_WITH_NUMBER.sub(" ", text) for text in (claim, source))
    for pair in _OPPOSITES:
        for one, other in (pair, pair[::-1]):
            if one.search(ours) and not other.search(ours) and other.search(theirs) and not one.search(theirs):
                return not facts.negates(claim) or facts.negates(source)
    return False


_LEAVES_OUT = re.compile(
    r"\b(?:excluding|without|except(?:\s+for)?|other\s+than|apart\s+from|not\s+including|exclusive\s+of)\s+(?P<what>[^,;.]+)",
    re.IGNORECASE,
)


def takes_in_what_is_left_out(claim: str, source: str) -> bool:
    """Whether the source says "excluding heating", and the claim speaks of heating without any such word."""
    if _LEAVES_OUT.search(claim) or facts.negates(claim) or CONDITION.search(claim):
        return False
    ours = set(content_of(claim))
    left_out = {
        word for match in _LEAVES_OUT.finditer(source) for word in content_of(without_places(match["what"]))[:1]
    }
    return bool(left_out & ours - set(content_of(_LEAVES_OUT.sub(" ", source))))


_WITH_NUMBER = re.compile(
    r"\b(?:no|not)?\s*(?:more|less|fewer|longer|shorter|older|younger|larger|smaller|bigger|higher|lower|greater|earlier|later)"
    r"\s+than\s+\S*\d\S*|\b(?:over|under|above|below|at\s+least|at\s+most|minimum|maximum|exceed\w*)\s+(?:of\s+)?\S*\d\S*"
    r"|\bor\s+(?:more|less|fewer|longer|shorter|older|younger|larger|smaller|over|under|above|below|higher|lower)\b",
    re.IGNORECASE,
)
_WHEN = {
    "before": re.compile(r"\b(?:before|prior|ahead\s+of|in\s+advance)\b", re.IGNORECASE),
    "after": re.compile(r"\b(?:after|following\s+(?:the|an?)|once|afterwards)\b", re.IGNORECASE),
    "within": re.compile(r"\b(?:within|no\s+later\s+than)\b", re.IGNORECASE),
    "until": re.compile(r"\b(?i:until|till|up\s+to\s+and\s+including|through|by)\s+(?=\d|[A-Z])"),
    "from": re.compile(
        r"\b(?i:from|since|starting|beginning|effective|as\s+of|on\s+or\s+after)\s+(?i:on\s+|from\s+)?(?=\d|[A-Z])"
    ),
}


def turns_time(claim: str, source: str) -> bool:
    """Whether what is before something becomes after it, or a first day a last one."""
    theirs = {name for name, pattern in _WHEN.items() if pattern.search(source)}
    ours = {name for name, pattern in _WHEN.items() if pattern.search(claim)}
    if "before" in ours and "from" in theirs and not ours & {"from"}:
        return True
    return bool(theirs) and bool(ours - theirs)


_CLOCK = re.compile(r"\b\d{1,2}(?::\d{2}|(?=\s?[ap]\.?m\b))(?:\s?[ap]\.?m\b)?", re.IGNORECASE)


def turns_hours(claim: str, source: str) -> bool:
    """Whether the hours of a claim stand in another order than in the source: from 20:00 to 06:00 is the night."""
    ours, theirs = ([match[0].lower() for match in _CLOCK.finditer(text)] for text in (claim, source))
    if len(ours) < 2:
        return False
    places = [theirs.index(each) for each in ours if each in theirs]
    return places != sorted(places)


def substitutes(claim: str, source: str, missing: Iterable[str]) -> bool:
    """Whether a word that the source lacks stands where it has another one: "the police authority" for "the health
    authority"."""
    ours, theirs = content_of(claim), content_of(source)
    strange = {stem(word) for text in missing for word in text.split()}
    for position, each in enumerate(ours):
        if each not in strange:
            continue
        for side in (-1, 1):
            if not 0 <= position + side < len(ours):
                continue
            anchor = ours[position + side]
            others = [
                theirs[at - side] for at, one in enumerate(theirs) if one == anchor and 0 <= at - side < len(theirs)
            ]
            if any(other not in ours for other in others):
                return True
    return False
