"""The facts in a sentence that can be compared exactly: amounts with unit and limit, days, places."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from rag_core.published_places.names import codes_of, named, without
from rag_core.rules.cues import opinion_of
from rag_core.rules.reader import Effect, RuleText
from rag_core.understanding.words import STOP_WORDS, stem, words_of
from rag_core.vocabulary import pattern, regex

_MONTHS = "january february march april may june july august september october november december".split()
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_DAY = re.compile(
    rf"\b(?:(?P<y1>\d{{4}})-(?P<m1>\d{{2}})-(?P<d1>\d{{2}})"
    rf"|(?P<d2>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?(?P<m2>{_MONTH}),?\s+(?P<y2>\d{{4}})"
    rf"|(?P<m3>{_MONTH})\s+(?P<d3>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<y3>\d{{4}})"
    rf"|(?P<m4>{_MONTH}),?\s+(?:of\s+)?(?P<y4>\d{{4}})"
    rf"|(?P<d5>\d{{1,2}})(?:st|nd|rd|th)?\s+(?P<m5>(?-i:{'|'.join(name.capitalize() for name in _MONTHS)}))"
    rf"|(?P<m6>(?-i:{'|'.join(name.capitalize() for name in _MONTHS if name != 'may')})))(?!\w)",
    re.IGNORECASE,
)
_TWO_TO_TWENTY = (
    "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty"
).split()
_NUMBER_WORDS = {word: str(number) for number, word in enumerate(_TWO_TO_TWENTY, 2)} | {
    "twice": "2", "thirty": "30", "forty": "40", "fifty": "50", "sixty": "60", "ninety": "90", "hundred": "100",
}  # fmt: skip
_UNITS = {
    name: names.split()[0]
    for names in """
    seconds second secs sec s|minutes minute mins min|hours hour hrs hr h|days day|weeks week|months month
    quarters quarter|years year yrs yr|times time|millimetres millimetre millimeters millimeter mm
    centimetres centimetre centimeters centimeter cm|metres metre meters meter m
    kilometres kilometre kilometers kilometer km|inches inch|feet foot ft|yards yard|miles mile|milligrams milligram mg
    grams gram g|kilograms kilogram kg|millilitres millilitre milliliters milliliter ml|litres litre liters liter l
    pixels pixel px|bytes byte|kilobytes kilobyte kb|megabytes megabyte mb|gigabytes gigabyte gb|characters character
    words word|frames frame fps|am a.m|pm p.m
    %|percent|€ euros euro eur|$ dollars dollar usd|£ pounds pound gbp|¥ yen jpy
    """.replace("\n", "|").split("|")
    for name in names.split()
} | {"percent": "%", "per cent": "%"}
_AGE = frozenset({"", "years"})
"""An age is said with and without its unit."""

_LARGER, _SMALLER = "more|greater|longer|larger|bigger|higher", "less|fewer|shorter|smaller|lower"
_LEAST = (
    rf"at\s+least|minimum(?:\s+age)?(?:\s+of|\s+is|:)?|(?:no|not)\s+(?:{_SMALLER}|younger|earlier)\s+than"
    rf"|(?<!no\s)(?<!not\s)(?:{_LARGER}|older)\s+than|over|above|exceed(?:s|ing)?"
)
_MOST = (
    rf"at\s+most|maximum(?:\s+of|\s+is|:)?|up\s+to|(?:no|not)\s+(?:{_LARGER}|older|later)\s+than|not\s+exceed(?:ing)?"
    rf"|(?<!no\s)(?<!not\s)(?:{_SMALLER}|younger)\s+than|under|below|within"
)
_AMOUNT = re.compile(
    rf"(?:\b(?:(?P<least>{_LEAST})|(?P<most>{_MOST}))\s+(?:the\s+age\s+of\s+)?)?(?P<currency>[€$£¥]\s?)?(?<![\w.])"
    rf"(?:(?P<clock>\d{{1,2}}:\d{{2}})|(?P<digits>\d+(?:[.,]\d+)*)|\b(?P<word>{'|'.join(_NUMBER_WORDS)})\b)"
    r"(?:[\s-]*(?P<unit>%|[€$£¥]|percent\b|per\s+cent\b|[ap]\.m(?!\w)|(?!(?:or|and)\b)[a-z]+\b(?![-'’]\w)))?"
    rf"(?P<behind_least>\s*\+|\s+(?:old\s+|of\s+age\s+)?(?:or|and)\s+(?:over|older|above|up|{_LARGER})\b)?"
    rf"(?P<behind_most>\s+(?:old\s+|of\s+age\s+)?(?:or|and)\s+(?:under|younger|below|{_SMALLER})\b)?",
    re.IGNORECASE,
)
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_ALL_LEAST, _ALL_MOST = (re.compile(rf"\b{word}\b", re.IGNORECASE) for word in ("minimum", "maximum"))

_WHEN = {
    "before": re.compile(r"\b(?:before|prior\s+to|ahead\s+of|in\s+advance)\b", re.IGNORECASE),
    "after": re.compile(r"\b(?:after|following\s+(?:the|an?)|once|afterwards)\b", re.IGNORECASE),
    "within": re.compile(r"\b(?:within|no\s+later\s+than)\b", re.IGNORECASE),
    "until": re.compile(r"\b(?i:until|till|through|by|to|up\s+to\s+and\s+including)\s+(?=\d|[A-Z][a-z]+\s+\d)"),
    "from": re.compile(
        r"\b(?i:from|since|starting|beginning|effective|as\s+of|on\s+or\s+after)\s+(?i:on\s+|from\s+)?(?=\d|[A-Z][a-z]+\s+\d)"
    ),
}


@dataclass(frozen=True, slots=True)
class Amount:
    """`unit` "" where none is said; `limits`: "least", "most" or none."""

    number: str
    unit: str
    limits: frozenset[str]


@dataclass(frozen=True, slots=True)
class Facts:
    """Of one text. `rest`: the text without them."""

    amounts: tuple[Amount, ...]
    days: tuple[str, ...]
    places: frozenset[str]
    times: frozenset[str]
    rest: str

    @property
    def numbers(self) -> frozenset[str]:
        return frozenset(each.number for each in self.amounts)

    def units_of(self, number: str) -> frozenset[str]:
        return frozenset("" if each.unit in _AGE else each.unit for each in self.amounts if each.number == number)

    def limits_of(self, number: str) -> frozenset[str]:
        return frozenset().union(*(each.limits for each in self.amounts if each.number == number))


@lru_cache(maxsize=8_000)
def facts_of(text: str) -> Facts:
    """The amounts, days, places and words of time in `text`."""
    places = named(text)
    undated = _DAY.sub(" ; ", without(text, places))
    rest = _AMOUNT.sub(_rest, undated)
    days = tuple(_day(match) for match in _DAY.finditer(text))
    times = frozenset(name for name, pattern in _WHEN.items() if pattern.search(text))
    return Facts(tuple(_amounts(undated)), days, frozenset(codes_of(places)), times, rest)


def _amounts(text: str) -> Iterator[Amount]:
    around = {"least"} if _ALL_LEAST.search(text) else {"most"} if _ALL_MOST.search(text) else set()
    for match in _AMOUNT.finditer(text):
        limits = {
            side
            for side, groups in (("least", ("least", "behind_least")), ("most", ("most", "behind_most")))
            if any(match[group] for group in groups)
        }
        yield Amount(_number(match), _unit(match), frozenset(limits or around))


def _number(match: re.Match[str]) -> str:
    if match["word"]:
        return _NUMBER_WORDS[match["word"].lower()]
    if match["clock"]:
        return match["clock"].zfill(5)
    digits = match["digits"]
    return re.sub(r"\.0+$", "", digits.replace(",", "") if _THOUSANDS.fullmatch(digits) else digits)


def _unit(match: re.Match[str]) -> str:
    said = " ".join((match["currency"] or match["unit"] or "").lower().split())
    return _UNITS.get(said, "")


def _rest(match: re.Match[str]) -> str:
    """What is no amount after all: the word behind a number that is no unit."""
    return f" {match['unit']} " if match["unit"] and not _unit(match) else " ; "


def _day(match: re.Match[str]) -> str:
    groups = match.groupdict()
    year, month, day = (
        next((value for name, value in groups.items() if name[0] == kind and value), "") for kind in "ymd"
    )
    return f"{year}-{_month(month):02}-{day.zfill(2)}"


def _month(word: str) -> int:
    if word.isdigit():
        return int(word)
    return next(number for number, name in enumerate(_MONTHS, 1) if name[:3] == word.lower()[:3])


_VERB = regex("claims", "verb")
_BREAK = re.compile(r";\s|,?\s+\b(?:but|while|whereas|yet|however)\b|,\s+(?:which|who)\b|(?<=[.!?])\s+", re.IGNORECASE)
_AND = pattern("claims", "and")
_IF = re.compile(r"\b(?:if|when|where|unless|provided|as\s+long\s+as)\b", re.IGNORECASE)
"""Behind these, what "and" joins is one condition."""
_FIRST_VERB = re.compile(rf"\b{_VERB}\b", re.IGNORECASE)
_NAMES = re.compile(r"\b(?!(?:it|they|these|those|this|such|never|not|also)\b)\w", re.IGNORECASE)
"""A word that can be a subject by itself."""
_ELLIPSIS = re.compile(rf"\b{_VERB}\s+not\W*$", re.IGNORECASE)

_SAYS_NO = pattern("claims", "says_no")
_CANNOT = re.compile(r"\bcan(?:no|['’])t\b", re.IGNORECASE)
ADVISES = re.compile(r"\b(?:should|ought|recommend\w*|advis(?:e|ed|able)|encourag\w+|suggest\w*)\b", re.IGNORECASE)

_FILLER_STEMS = frozenset(
    stem(word)
    for word in """
    ad ads adverts advertise advertisement advertisers advertising promote promotion run running show shown display
    placed appear published allow permitted accepted acceptable ban banned prohibited forbidden restricted limited
    policy rule require required requirement exception following include including least most minimum maximum year
    years old older age aged however additionally also well either given provided case subject long hold holds
    submit send begin start make ensure over under within than more less fewer
    """.split()
)
"""Words with which people say the same in other words; whether the effect is the same is looked at by itself."""

_STOP_WORDS = STOP_WORDS - {"off", "same", "some", "few", "other", "own", "once"}


@lru_cache(maxsize=8_000)
def clauses_of(sentence: str) -> tuple[str, ...]:
    """What a sentence says one thing after another, each with the subject that it shares; the sentence itself where it
    says one thing. "Wine is banned; beer is not" is left whole: what the second half says is in the first."""
    parts = [part for each in _BREAK.split(sentence) for part in ([each] if _IF.search(each) else _AND.split(each))]
    pieces = [part.strip(" ,;") for part in parts if part.strip(" ,;")]
    if len(pieces) < 2 or (says_no(pieces[0]) and any(map(_ELLIPSIS.search, pieces[1:]))):
        return (sentence,)
    found, subject, verb = [], "", ""
    for piece in pieces:
        match = _FIRST_VERB.search(piece)
        if match is not None and _NAMES.search(piece[: match.start()]):
            subject, verb = piece[: match.start()], match[0]
            found.append(piece)
        else:
            found.append(f"{subject} {'' if match else verb} {piece}")
    return tuple(" ".join(each.split()) for each in found)


def says_no(text: str) -> int:
    """How often a text says no; a limit ("no more than 20%") does not."""
    return len(_SAYS_NO.findall(facts_of(text).rest))


def effect_of(text: str, headings: tuple[str, ...] = (), lead: str = "") -> Effect | None:
    """What a text does, read without its limits: "no more than 20%" is no ban."""
    return opinion_of(RuleText(headings, lead, _CANNOT.sub("can not", facts_of(text).rest))).effect


@lru_cache(maxsize=20_000)
def content_of(text: str) -> tuple[str, ...]:
    """The stems of the words that say what a text is on, in order, without amounts, days and places."""
    return tuple(_stems(_SAYS_NO.sub(" ", facts_of(text).rest)))


def _stems(text: str) -> Iterator[str]:
    for word in words_of(text):
        if word.text.lower().replace("’", "'") not in _STOP_WORDS and (found := _plain(word.stem)) not in _FILLER_STEMS:
            yield found


def _plain(stem_: str) -> str:
    """The same for the British and the American spelling of "licence"."""
    return f"{stem_[:-1]}s" if stem_.endswith("nc") else stem_


def words_in_row(text: str) -> tuple[str, ...]:
    """The stems of all words in order, but for the function words."""
    return tuple(word.stem for word in words_of(text) if word.text.lower() not in STOP_WORDS)
