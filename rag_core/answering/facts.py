"""What a sentence commits itself to: numbers, days, places, negations, demands. A claim may have none that its source
lacks, and none turned round."""

import re
from collections.abc import Iterable
from functools import lru_cache

from rag_core.answering.measures import is_unit
from rag_core.regions import find_regions
from rag_core.understanding.words import is_filler, stem, words_of

_MONTHS = "january february march april may june july august september october november december".split()
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_DAY = re.compile(
    rf"\b(?:(?P<y1>\d{{4}})-(?P<m1>\d{{2}})-(?P<d1>\d{{2}})"
    rf"|(?P<d2>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?(?P<m2>{_MONTH}),?\s+(?P<y2>\d{{4}})"
    rf"|(?P<m3>{_MONTH})\s+(?P<d3>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<y3>\d{{4}})"
    rf"|(?P<m4>{_MONTH}),?\s+(?:of\s+)?(?P<y4>\d{{4}}))(?!\w)",
    re.IGNORECASE,
)
_LONE_MONTH = re.compile(rf"\b(?:{'|'.join(name.capitalize() for name in _MONTHS if name != 'may')})\b")
_NUMBER_WORDS = {
    word: str(number)
    for number, word in enumerate(
        "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
        "eighteen nineteen twenty".split(),
        start=2,
    )
} | {"thirty": "30", "forty": "40", "fifty": "50", "sixty": "60", "ninety": "90", "hundred": "100"}
_NUMBER = re.compile(
    r"(?<![\w.])(?P<currency>[€$£¥]\s?)?(?P<digits>\d+(?:[.,]\d+)*)(?P<percent>\s?(?:%|percent\b|per\s+cent\b))?"
    r"(?P<money>\s?(?:[€$£¥]|euros?\b|EUR\b|US\s?dollars?\b|dollars?\b|USD\b|pounds?\b|GBP\b))?"
    rf"|\b(?P<word>{'|'.join(_NUMBER_WORDS)})\b(?P<word_percent>\s+(?:percent|per\s+cent)\b)?",
    re.IGNORECASE,
)
_MONEY = {"eu": "€", "us": "$", "do": "$", "po": "£", "gb": "£"}
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")

_AT_LEAST_BEFORE = re.compile(
    r"\b(?:at\s+least|minimum(?:\s+age)?(?:\s+of|\s+is)?|(?:no|not)\s+(?:less|fewer|younger|shorter|smaller|lower|earlier)\s+than"
    r"|(?<!no\s)(?<!not\s)(?:more|older|greater|longer|larger|bigger|higher)\s+than|over|above|exceed(?:s|ing)?)\s+(?:the\s+age\s+of\s+)?$",
    re.IGNORECASE,
)
_AT_MOST_BEFORE = re.compile(
    r"\b(?:at\s+most|maximum(?:\s+of|\s+is)?|up\s+to|(?:no|not)\s+(?:more|older|greater|longer|larger|bigger|higher|later)\s+than|not\s+exceed(?:ing)?"
    r"|(?<!no\s)(?<!not\s)(?:less|fewer|younger|shorter|smaller|lower)\s+than|under|below|within)\s+(?:the\s+age\s+of\s+)?$",
    re.IGNORECASE,
)
_AT_LEAST_BEHIND = re.compile(
    r"^\s*(?:\+|(?:[a-z]+\s+)?(?:old\s+|of\s+age\s+)?(?:or|and)\s+(?:over|older|above|more|up|longer|larger|bigger|higher)\b)",
    re.IGNORECASE,
)
_AT_MOST_BEHIND = re.compile(
    r"^\s*(?:[a-z]+\s+)?(?:old\s+|of\s+age\s+)?(?:or|and)\s+(?:under|younger|below|less|fewer|shorter|smaller|lower)\b",
    re.IGNORECASE,
)

_NOT = re.compile(
    r"\b(?:not|no|never|none|nor|neither|nobody|nothing|cannot|without)\b|n['’]t\b"
    r"|\b(?:prohibit|forbid|disallow)\w*|\b(?:ban|bans|banned|unacceptable|ineligible|illegal|off[- ]limits|rejected"
    r"|refused)\b",
    re.IGNORECASE,
)
_COMPARES = re.compile(
    r"\b(?:no|not)\s+(?:more|less|fewer|longer|shorter|larger|bigger|smaller|higher|lower|older|younger|later|earlier"
    r"|greater)\s+than\b",
    re.IGNORECASE,
)
_NO_BAN = re.compile(
    r"\b(?:not|never|no\s+longer)\s+(?:\w+\s+){0,2}?(?:prohibited|banned|forbidden|disallowed|restricted|limited)\b"
    r"|\bno\s+(?:ban|prohibition|restriction|limit|condition)s?\b",
    re.IGNORECASE,
)
_DEMAND = re.compile(
    r"\b(?:must|shall|required?|requires|requirement|mandatory|obliged|needs?\s+(?:to|a|an|the|prior)|ha(?:s|ve)\s+to)\b",
    re.IGNORECASE,
)
_DEMANDS_TOO = re.compile(
    r"\b(?:must|shall|requir\w*|mandatory|obliged|needs?|ha(?:s|ve)\s+to|only|unless|subject\s+to|provided|if|not|no"
    r"|never|without|can(?:no|['’])t|prohibited|restricted)\b",
    re.IGNORECASE,
)
_ONLY = re.compile(r"\b(?:only|solely|exclusively)\b", re.IGNORECASE)
_ONLY_TOO = re.compile(
    r"\b(?:only|solely|exclusively|limited\s+to|restricted\s+to|unless|except|other\s+than|not|no|if|provided)\b",
    re.IGNORECASE,
)
_WIDE = re.compile(
    r"\b(?:everywhere|anywhere|worldwide|globally|always|freely|unconditional(?:ly)?|all\s+(?:countries|markets|places)"
    r"|(?:any|every)\s+(?:country|market|place)|no\s+(?:\w+\s+)?(?:restrictions?|conditions?|limits?|exceptions?)"
    r"|without\s+(?:any\s+)?(?:restrictions?|conditions?|limits?|approval|exceptions?))\b",
    re.IGNORECASE,
)
_PART = re.compile(r"[;()]|,(?!\d{3})|\b(?:and|or|but|while|whereas|if)\b", re.IGNORECASE)


def negates(text: str) -> bool:
    """Whether `text` says no to anything; a limit ("no more than 20%") does not."""
    return bool(_NOT.search(_COMPARES.sub(" ", text)))


def lifts_a_ban(text: str) -> bool:
    """Whether it says that something is not banned, which is no ban although it has the words of one."""
    return bool(_NO_BAN.search(text))


def adds_a_demand(claim: str, source: str) -> bool:
    return bool(_DEMAND.search(claim)) and not _DEMANDS_TOO.search(source)


def adds_only(claim: str, source: str) -> bool:
    return bool(_ONLY.search(claim)) and not _ONLY_TOO.search(source)


def widens(claim: str, source: str) -> bool:
    """Whether it says "everywhere" or "without conditions" where its source does not."""
    said = {" ".join(match[0].lower().split()) for match in _WIDE.finditer(source)}
    return any(" ".join(match[0].lower().split()) not in said for match in _WIDE.finditer(claim))


def places_in(text: str) -> frozenset[str]:
    """Codes of the places that `text` names."""
    return frozenset(mention.code for mention in find_regions(text))


@lru_cache(maxsize=2_000)
def days_in(text: str) -> frozenset[str]:
    """Days, months and years of dates, as "2026-07-01", "2026-07" or "7" for a month alone."""
    found = {_day(match) for match in _DAY.finditer(text)}
    alone = {str(_month(match[0])) for match in _LONE_MONTH.finditer(_DAY.sub(" ", text))}
    return frozenset(found | alone)


def _day(match: re.Match[str]) -> str:
    groups = match.groupdict()
    year = next(groups[name] for name in ("y1", "y2", "y3", "y4") if groups[name])
    month = next(groups[name] for name in ("m1", "m2", "m3", "m4") if groups[name])
    day = next((groups[name] for name in ("d1", "d2", "d3") if groups[name]), None)
    return f"{year}-{_month(month):02}" + (f"-{int(day):02}" if day else "")


def _month(word: str) -> int:
    if word.isdigit():
        return int(word)
    return next((number for number, name in enumerate(_MONTHS, 1) if name[:3] == word.lower()[:3]), 0)


@lru_cache(maxsize=2_000)
def numbers_in(text: str) -> frozenset[str]:
    """Numbers outside dates, in digits, with their percent or currency sign."""
    return frozenset(_value(match) for match in _NUMBER.finditer(_DAY.sub(" ", text)))


def _value(match: re.Match[str]) -> str:
    if match["word"]:
        return _NUMBER_WORDS[match["word"].lower()] + ("%" if match["word_percent"] else "")
    digits = match["digits"]
    digits = digits.replace(",", "") if _THOUSANDS.fullmatch(digits) else digits
    digits = re.sub(r"\.0+$", "", digits)
    money = (match["currency"] or match["money"] or "").strip()
    return f"{_MONEY.get(money[:2].lower(), money)}{digits}{'%' if match['percent'] else ''}"


def turns_a_limit(claim: str, source: str) -> bool:
    """Whether a "18 or over" of the claim is no such limit in the source ("under 18", or just "18")."""
    theirs = _limits(source)
    return any(not sides <= theirs.get(number, frozenset()) for number, sides in _limits(claim).items())


@lru_cache(maxsize=2_000)
def _limits(text: str) -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    text = _DAY.sub(" ", text)
    for match in _NUMBER.finditer(text):
        before, behind = text[: match.start()], text[match.end() :]
        sides = set()
        if _AT_LEAST_BEFORE.search(before) or _AT_LEAST_BEHIND.search(behind):
            sides.add("least")
        if _AT_MOST_BEFORE.search(before) or _AT_MOST_BEHIND.search(behind):
            sides.add("most")
        value = _value(match)
        found[value] = found.get(value, frozenset()) | sides
    return found


def swaps_numbers(claim: str, source: str) -> bool:
    """Whether a number of the claim stands beside what another number of the source stands beside.

    "Men 21, women 18" has the numbers of "men 18, women 21", and says something else.
    """
    theirs = [(numbers_in(part), _things(part)) for part in _PART.split(source)]
    for part in _PART.split(claim):
        for number in numbers_in(part):
            things = _things(part)
            beside = max((len(things & each) for numbers, each in theirs if number in numbers), default=0)
            other = max(
                (len(things & each) for numbers, each in theirs if numbers and number not in numbers), default=0
            )
            if other > beside:
                return True
    return False


def _things(text: str) -> frozenset[str]:
    """What a part of a sentence is on: stems of its content words, and its places."""
    return frozenset(stems_without(text, ())) | places_in(text)


def stems_without(text: str, left_out: Iterable[str]) -> tuple[str, ...]:
    """The stems of the content words of `text`, without numbers."""
    without = frozenset(left_out)
    return tuple(
        stem(word.text)
        for word in words_of(text)
        if not (is_filler(word.text) or word.text[0].isdigit() or is_unit(word.text) or stem(word.text) in without)
    )
