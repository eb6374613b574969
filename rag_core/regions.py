"""Places: codes, which rules a place sees, and the names people and documents use for them.

Codes: `global`, `eu`, lower-case ISO 3166-1 alpha-2 with `uk` for the United Kingdom, ISO 3166-2 (`us-tx`).
Names come from CLDR (babel) and ISO 3166-2 (pycountry), adjectives and everyday names from `place_names`.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from unicodedata import combining, normalize

import pycountry
from babel import Locale

from rag_core.errors import Rejected
from rag_core.place_names import ADJECTIVES, CASE_MATTERS, EU_MEMBERS, OTHER_NAMES, WORDS_THAT_ARE_CODES, longest_of

GLOBAL = "global"
EU = "eu"
UK = "uk"

_STATES_NAMED_FOR = ("US", "CA", "AU")
"""Countries whose states are recognised by name alone; elsewhere a state needs its ISO 3166-2 code."""

_STATE_NAMES_SHARED = frozenset({"georgia", "victoria", "northern territory"})
"""Also a country's, a person's or a common name: not taken for the state without its code."""


@dataclass(frozen=True, slots=True)
class RegionMention:
    """A place named in a text, with the offsets of the words that name it."""

    code: str
    start: int
    end: int


def normalise(code: str) -> str:
    """The code in this project's form: stripped, lower-case, `gb` as `uk`.

    Raises Rejected("unknown_region", value=..., known=...) for what is no place.
    """
    cleaned = code.strip().lower().replace("_", "-")
    if cleaned == "gb" or cleaned.startswith("gb-"):
        cleaned = UK + cleaned[2:]
    if cleaned in _countries() or cleaned in (GLOBAL, EU):
        return cleaned
    if "-" in cleaned and _subdivision(cleaned) is not None:
        return cleaned
    raise Rejected("unknown_region", value=code, known="global, eu, uk, us, us-tx, de, fr, in, au ... (ISO 3166)")


def seen_from(code: str) -> frozenset[str]:
    """The regions whose rules hold in a place: itself, what contains it, and `global`; never a neighbour's."""
    country = country_of(code)
    wider = {EU} if country in EU_MEMBERS else set()
    return frozenset({code, country, GLOBAL} | wider)


def country_of(code: str) -> str:
    """The country of a state; any other code is itself."""
    return code.split("-", 1)[0]


def specificity(code: str) -> int:
    """0 for global, 1 for the EU, 2 for a country, 3 for a state."""
    if code == GLOBAL:
        return 0
    if code == EU:
        return 1
    return 3 if "-" in code else 2


def display_name(code: str) -> str:
    """The English name of a place: "United Kingdom", "Texas (United States)"."""
    if code == GLOBAL:
        return "Global"
    if code == EU:
        return "European Union"
    if "-" in code:
        return f"{_subdivision(code) or code} ({display_name(country_of(code))})"
    return _countries().get(code, code)


_SPOKEN = {
    UK: "the UK",
    "us": "the US",
    EU: "the EU",
    "ae": "the UAE",
    "us-dc": "Washington, DC",
    "us-ga": "the state of Georgia",
    "au-vic": "the state of Victoria",
    "au-nt": "the Northern Territory of Australia",
}
_WITH_ARTICLE = re.compile(
    r"(?:Netherlands|Philippines|Bahamas|Maldives|Gambia|Republic|Islands|Emirates|Kingdom|States)$"
)


def spoken_name(code: str) -> str:
    """A place as one writes it in a sentence, which `find_regions` reads back: "the UK", "Texas"."""
    if code in _SPOKEN:
        return _SPOKEN[code]
    name = (_subdivision(code) or code) if "-" in code else display_name(code)
    return f"the {name}" if _WITH_ARTICLE.search(name) else name


def region_named(text: str) -> str | None:
    """The place whose name, adjective or code `text` is as a whole ("the United Kingdom", "German"), or None."""
    cleaned = " ".join(text.split()).strip(" .,:;*_")
    if cleaned.lower().startswith("the "):
        cleaned = cleaned[4:]
    if (known := _names().get(cleaned.lower())) is not None:
        return known
    is_code = len(cleaned) == 2 and cleaned.isupper()
    code = cleaned.lower().replace("gb", UK) if is_code else ""
    return code if code in _countries() or code == EU else None


@lru_cache(maxsize=20_000)
def find_regions(text: str) -> tuple[RegionMention, ...]:
    """Every place named in `text`, in order; overlapping names count once, the longest first.

    Two-letter codes count in capitals, or in small letters after "in" or "for" where they are no English word.
    """
    mentions = [
        RegionMention(code, match.start(), match.end())
        for match in _name_pattern().finditer(text)
        if (code := _names().get(match[0].lower())) is not None
        and _is_meant(match[0], text)
        and not (match[0].lower().startswith("america") and _OTHER_AMERICA.search(text, 0, match.start()))
    ]
    for match in _CODE.finditer(text):
        group = next(name for name, found in match.groupdict().items() if found)
        code = match[group].lower()
        code = UK if code == "gb" else code
        if code in _countries() and _code_is_meant(match, text):
            mentions.append(RegionMention(code, match.start(group), match.end(group)))
    return _without_overlaps(mentions)


def find_written_names(text: str) -> tuple[RegionMention, ...]:
    """The places of `find_regions` whose names begin with a capital, after "the" perhaps, as published texts write
    them; without two-letter codes of countries, and sooner."""
    found = (
        (code, match)
        for match in _written_pattern().finditer(text)
        if (code := _names().get(match[0].lower())) is not None and _is_meant(match[0], text)
    )
    return tuple(RegionMention(code, *match.span()) for code, match in found)


_CODE = re.compile(
    r"\b(?:in|for|to)\s+(?:the\s+)?(?P<lower>[a-z]{2})\b(?!['’-]\w)"
    r"|(?P<pronoun>\bus\b)(?=\W*$)|\b(?P<upper>[A-Z]{2})\b(?![-'’&]\w)"
)


_OTHER_AMERICA = re.compile(r"\b(?:south|latin|central)[\s-]+$", re.IGNORECASE)
"""South America is not the United States."""

_BEFORE_THE_PRONOUN = frozenset(
    "for to with tell let give gives allow allows show by of from contact about help helps make makes ask asks on at "
    "between like against among and or send sends".split()
)


def _code_is_meant(match: re.Match[str], text: str) -> bool:
    found = match["lower"] or match["pronoun"] or match["upper"]
    if found == "us" or (found == "US" and text.isupper()):  # "in us", "for the us", but not "for us"
        before = f" {text[: match.end() - 2]}".lower().rstrip()
        if not before or before.endswith((" in", " the")):
            return True
        last = not text[match.end() :].strip(" ?.!")
        return found == "us" and last and before.rsplit(" ", 1)[-1] not in _BEFORE_THE_PRONOUN
    if found.lower() in WORDS_THAT_ARE_CODES:
        return (
            bool(match["upper"])
            and not text.isupper()
            and found not in ("IT", "IS", "NO", "ID", "PR", "AI", "TV", "OK", "AD", "BB")
        )
    return True


def _is_meant(found: str, text: str) -> bool:
    return found.lower() not in CASE_MATTERS or (found[:1].isupper() and not text.isupper())


def _without_overlaps(mentions: list[RegionMention]) -> tuple[RegionMention, ...]:
    kept: list[RegionMention] = []
    for mention in sorted(mentions, key=lambda each: (each.start, each.start - each.end)):
        if not kept or mention.start >= kept[-1].end:
            kept.append(mention)
    return tuple(kept)


def known_names() -> Mapping[str, str]:
    """Every name that stands for a place, in small letters, and its code."""
    return _names()


def countries() -> Mapping[str, str]:
    """Code and English name of every country."""
    return _countries()


@cache
def _countries() -> dict[str, str]:
    """Code -> English name of every country of ISO 3166-1 that CLDR names."""
    names = Locale("en").territories
    countries = {str(each.alpha_2) for each in pycountry.countries} | {"XK"}
    found = {code.lower(): str(names[code]) for code in sorted(countries) if code in names}
    found[UK] = found.pop("gb")
    for code, name in {"hk": "Hong Kong", "mo": "Macao", "tr": "Türkiye", "mm": "Myanmar"}.items():
        found[code] = name
    return found


@cache
def _subdivision(code: str) -> str | None:
    iso = code.upper().replace("UK-", "GB-", 1)
    found = pycountry.subdivisions.get(code=iso)
    return str(found.name) if found is not None else None


@cache
def _names() -> dict[str, str]:
    names = {wording: code for code, name in _countries().items() for wording in _wordings(name)}
    for country in pycountry.countries:
        code = UK if country.alpha_2 == "GB" else country.alpha_2.lower()
        for official in (country.name, getattr(country, "common_name", ""), getattr(country, "official_name", "")):
            for wording in _wordings(official) if code in _countries() and official else ():
                names.setdefault(wording, code)
    for country in _STATES_NAMED_FOR:
        for state in pycountry.subdivisions.get(country_code=country) or ():
            if state.name.lower() not in _STATE_NAMES_SHARED:
                names.setdefault(state.name.lower(), state.code.lower())
    names.update(ADJECTIVES)
    names.update(OTHER_NAMES)
    return names


def _wordings(name: str) -> set[str]:
    """A country's name as people write it: "St. Lucia" and "Saint Lucia", with and without accents."""
    plain = name.lower().replace("’", "'")
    found = {name.lower(), plain, plain.replace(" & ", " and "), re.sub(r"\bst\. ", "saint ", plain)}
    found |= {each.replace(" & ", " and ") for each in found}
    return found | {"".join(c for c in normalize("NFKD", each) if not combining(c)) for each in found}


@cache
def _name_pattern() -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-]){longest_of(_names())}(?![^\W¹²³⁴⁵⁶⁷⁸⁹⁰])", re.IGNORECASE)


@cache
def _written_pattern() -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-])(?-i:(?![a-z])|(?=the )){longest_of(_names())}(?![^\W¹²³⁴⁵⁶⁷⁸⁹⁰])", re.IGNORECASE)
