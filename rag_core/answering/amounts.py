"""Percentages of a question against those of a rule: "15% ABV and above are prohibited" says nothing of a 4% lager."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache

from rag_core.questions import QueryTerm, Question
from rag_core.understanding.strengths import STRENGTHS

_NUMBER = r"(?P<number>\d{1,3}(?:[.,]\d{1,2})?)\s*(?:%|percent\b|per\s+cent\b)"
_OF = r"(?:\s*(?P<of>abv|apr|alc\w*(?:\s*/?\s*vol)?|alcohol(?:\s+(?:by\s+volume|content))?|vol\w*|cashback|interest))?"
_AMOUNT = re.compile(_NUMBER + _OF, re.IGNORECASE)
_OF_BEFORE = re.compile(r"\b(?P<of>abv|apr|alcohol|interest)\b(?:\s+\w+){0,4}\s+$", re.IGNORECASE)
_AT_LEAST_BEHIND = re.compile(
    r"\s*(?:\)\s*)?(?:and|or)\s+(?:above|over|more|higher|greater|stronger|up)\b", re.IGNORECASE
)
_AT_MOST_BEHIND = re.compile(r"\s*(?:\)\s*)?(?:and|or)\s+(?:below|under|less|lower|weaker)\b", re.IGNORECASE)
_MORE_BEFORE = re.compile(
    r"(?<!not )(?<!no )\b(?:over|above|more\s+than|higher\s+than|greater\s+than|stronger\s+than|exceed\w*)\s+$",
    re.IGNORECASE,
)
_LESS_BEFORE = re.compile(
    r"(?<!not )(?<!no )\b(?:under|below|less\s+than|lower\s+than|weaker\s+than)\s+$", re.IGNORECASE
)
_AT_LEAST_BEFORE = re.compile(r"\b(?:at\s+least|minimum(?:\s+of)?|from|(?:no|not)\s+less\s+than)\s+$", re.IGNORECASE)
_AT_MOST_BEFORE = re.compile(
    r"\b(?:up\s+to|at\s+most|maximum(?:\s+of)?|(?:no|not)\s+(?:more|higher|stronger)\s+than)\s+$", re.IGNORECASE
)
_ALCOHOL, _APR, _ANY = "alcohol", "apr", ""
_BEYOND_IT = re.compile(
    r"\b(?:stronger|higher|larger|greater|more\s+expensive)\s+(?:\w+\s+)?(?:drinks?|beverages?|products?|ones?|rates?|amounts?|interest|loans?)\b",
    re.IGNORECASE,
)
"""Behind a bound: what exceeds it ("Only drinks up to 22%. Stronger drinks are not allowed")."""

_OF_A_PRICE = re.compile(
    r"\b(?:off|discount\w*|sale|bonus\w*|deals?|cheaper|voucher\w*|rebate\w*|commission|interest|margin)\b",
    re.IGNORECASE,
)
_WITHOUT = re.compile(
    r"\b(?:alcohol[\s-]?free|non[\s-]?alcoholic|(?:low|no|zero|reduced)[\s-]alcohol|de-?alcoholi[sz]ed|0[.,]0|abv|proof|light|strength)\b",
    re.IGNORECASE,
)
_PERMITS_ONLY = re.compile(r"\bonly\b", re.IGNORECASE)


class Fit(StrEnum):
    """How an amount asked about stands to the one that a rule is on."""

    INSIDE = "inside"
    OUTSIDE = "outside"


@dataclass(frozen=True, slots=True)
class _Range:
    """Percentages: `above` a bound or `below` it, with or without the bound itself."""

    bound: float
    above: bool
    closed: bool
    of: str

    def has(self, amount: float) -> bool:
        if amount == self.bound:
            return self.closed
        return (amount > self.bound) is self.above


@dataclass(frozen=True, slots=True)
class Amount:
    """A percentage that a question names, and what of (alcohol, a yearly rate, "" where it is not said).

    With `most` it is any from `number` on, which the question does not say: `text` is "" then.
    """

    number: float
    of: str
    text: str
    words: tuple[str, ...]
    most: float | None = None

    @property
    def is_known_only(self) -> bool:
        """Whether it is known of the thing, and not said: what is strict follows from it, what is lax does not."""
        return not self.text


def amount_in(question: str) -> Amount | None:
    """The percentage that a question names, if it names just one."""
    found = list(_AMOUNT.finditer(question))
    if len(found) != 1:
        return None
    match = found[0]
    words = (*re.split(r"[.,]", match["number"]), match["number"], *(match["of"] or "").split())
    return Amount(_value(match), _of(match), match[0].strip(), tuple(word.lower() for word in words))


def of_drinks(amount: Amount | None, question: Question) -> Amount | None:
    """A percentage of nothing in particular is one of alcohol where a drink is asked about: "40% vodka"."""
    if amount is None or amount.of or _OF_A_PRICE.search(question.search_text):
        return amount
    drinks = any(_ALCOHOL in (term.text.lower(), *term.synonyms, *term.broader) for term in question.terms)
    return replace(amount, of=_ALCOHOL) if drinks else amount


def usual_strength(question: Question) -> Amount | None:
    """What is known of the strength of the drink that is asked about, where the question says nothing of it."""
    if "%" in question.search_text or _WITHOUT.search(question.search_text):
        return None
    known = [STRENGTHS[term.text.lower()] for term in question.terms if term.text.lower() in STRENGTHS]
    return Amount(known[0][0], _ALCOHOL, "", (), known[0][1]) if len(known) == 1 else None


def without_amount(terms: Sequence[QueryTerm], amount: Amount | None) -> tuple[QueryTerm, ...]:
    """`terms` without those that only say the amount; all of them, where nothing else is said."""
    left = tuple(each for each in terms if amount is None or each.text.lower() not in amount.words)
    return left or tuple(terms)


def fit(text: str, amount: Amount) -> Fit | None:
    """Whether the amount is one of those that `text` is on; None where it names no such bounds."""
    kinds = (amount.of,) if amount.is_known_only else (amount.of, _ANY)
    ranges = [each for each in _ranges(text) if each.of in kinds or (not amount.of and amount.text)]
    if not ranges:
        return None
    ends = (amount.number,) if amount.most is None else (amount.number, amount.most)
    if all(each.has(end) for each in ranges for end in ends):
        return Fit.INSIDE
    return Fit.OUTSIDE if any(not any(map(each.has, ends)) for each in ranges) else None


def permits_only_others(text: str, amount: Amount, *, cells: bool = False) -> bool:
    """Whether a permission ends before the amount: "only drinks up to 15%", or, of `cells`, a "yes" beside "up to 15%".

    What stands in the first cell says what a row is on: that is no condition of it.
    """
    if cells:
        return fit(" | ".join(text.split(" | ")[1:]), amount) is Fit.OUTSIDE
    return bool(_PERMITS_ONLY.search(text)) and fit(text, amount) is Fit.OUTSIDE


@lru_cache(maxsize=5_000)
def _ranges(text: str) -> tuple[_Range, ...]:
    return tuple(_ranges_in(text))


def _ranges_in(text: str) -> Iterator[_Range]:
    for match in _AMOUNT.finditer(text):
        before, behind = text[: match.start()], text[match.end() :]
        if (
            _AT_MOST_BEHIND.match(behind) or _AT_MOST_BEFORE.search(before) or _LESS_BEFORE.search(before)
        ) and _BEYOND_IT.search(behind):
            yield _Range(_value(match), above=True, closed=bool(_LESS_BEFORE.search(before)), of=_of(match))
        elif _AT_LEAST_BEHIND.match(behind) or _AT_LEAST_BEFORE.search(before):
            yield _Range(_value(match), above=True, closed=True, of=_of(match))
        elif _AT_MOST_BEHIND.match(behind) or _AT_MOST_BEFORE.search(before):
            yield _Range(_value(match), above=False, closed=True, of=_of(match))
        elif _MORE_BEFORE.search(before):
            yield _Range(_value(match), above=True, closed=False, of=_of(match))
        elif _LESS_BEFORE.search(before):
            yield _Range(_value(match), above=False, closed=False, of=_of(match))


def _value(match: re.Match[str]) -> float:
    return float(match["number"].replace(",", "."))


def _of(match: re.Match[str]) -> str:
    before = _OF_BEFORE.search(match.string[: match.start()])
    said = (match["of"] or (before["of"] if before else "")).lower()
    if said.startswith(("abv", "alc", "vol")):
        return _ALCOHOL
    return _APR if said in ("apr", "interest") else _ANY
