"""States, provinces and the like by name: of a country that is known from what stands around them."""

import re
from collections.abc import Sequence
from functools import cache
from unicodedata import combining, normalize

import pycountry

from rag_core.regions import UK, country_of, region_named

_ENGLISH_NAMES = {
    "at": {"Carinthia": "2", "Lower Austria": "3", "Upper Austria": "4", "Styria": "6", "Tyrol": "7", "Vienna": "9"},
    "au": {"ACT": "act"},
    "be": {"Flanders": "vlg", "Wallonia": "wal", "Brussels": "bru"},
    "ch": {"Geneva": "ge", "Lucerne": "lu", "Bern": "be", "Grisons": "gr", "Valais": "vs"},
    "de": {
        "Bavaria": "by", "Hesse": "he", "Lower Saxony": "ni", "North Rhine-Westphalia": "nw",
        "Rhineland-Palatinate": "rp", "Saxony": "sn", "Saxony-Anhalt": "st", "Thuringia": "th",
    },
    "es": {"Andalusia": "an", "Catalonia": "ct", "Basque Country": "pv", "Balearic Islands": "ib"},
    "fr": {"Brittany": "bre", "Corsica": "20r", "Normandy": "nor"},
    "it": {"Lombardy": "25", "Piedmont": "21", "Sicily": "82", "Sardinia": "88", "Tuscany": "52", "Apulia": "75"},
    "us": {"Washington DC": "dc", "Washington, DC": "dc", "Washington, D.C": "dc"},
}  # fmt: skip
_DIRECTIONS = frozenset("north south east west northern southern eastern western central centre capital".split())
_HOMONYMS = frozenset({"georgia", "luxembourg", "niger"})
"""States with the name of another country. Any other country among the parts of one is itself (Guam, Hong Kong)."""
_KIND = re.compile(
    r"^(?:the\s+)?(?:free\s+)?(?:state|province|land|region|canton|territory)\s+of\s+|\s+(?:state|province|region)$",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r"\s*(?:[,;/&+]|\band\b|\bor\b)\s*", re.IGNORECASE)
_WITH_STATE_CODES = ("us", "ca", "au")
"""Countries whose states people know by their codes: TX, ON, NSW."""


def states_only(text: str, country: str) -> tuple[str, ...]:
    """The states of `country` that `text` lists, if it is nothing else: "Georgia" of "us" is us-ga."""
    whole = _state(text, country)
    codes = [whole] if whole else [_state(part, country) for part in _BETWEEN.split(text) if part]
    return tuple(code for code in codes if code) if codes and all(codes) else ()


def shared_names_resolved(parts: Sequence[str], codes: Sequence[str | None]) -> list[str | None]:
    """`codes` of the names `parts` in a list, where a name that is a state's as well means it beside other states.

    `Alabama, Georgia and Florida`: us-ga; `Estonia, Georgia`: ge.
    """
    known = {country_of(code) for code in codes if code and "-" in code}
    if len(known) != 1:
        return list(codes)
    country = known.pop()
    others = [code for code, part in zip(codes, parts, strict=True) if code and not _state(part, country)]
    if others:
        return list(codes)
    return [_state(part, country) or code for part, code in zip(parts, codes, strict=True)]


def _state(text: str, country: str) -> str | None:
    cleaned = _KIND.sub("", " ".join(text.split()).strip(" .:*†‡"))
    if region_named(cleaned) == country:
        return None
    if country in _WITH_STATE_CODES and cleaned.isupper() and 2 <= len(cleaned) <= 3:
        return _codes(country).get(cleaned.lower())
    return _names(country).get(_folded(cleaned))


@cache
def _codes(country: str) -> dict[str, str]:
    return {code.split("-", 1)[1]: code for code in _names(country).values()}


@cache
def _names(country: str) -> dict[str, str]:
    found: dict[str, str] = {}
    iso = "GB" if country == UK else country.upper()
    for state in pycountry.subdivisions.get(country_code=iso) or ():
        if state.parent_code is None:
            code = f"{country}-{state.code.split('-', 1)[1].lower()}"
            for name in re.split(r"[,\[/(]", state.name.rstrip(")]"))[:2]:
                found.setdefault(_folded(name), code)
    found.update({_folded(name): f"{country}-{code}" for name, code in _ENGLISH_NAMES.get(country, {}).items()})
    return {name: code for name, code in found.items() if name and name not in _DIRECTIONS and not _is_country(name)}


def _is_country(name: str) -> bool:
    known = region_named(name)
    return known is not None and "-" not in known and name not in _HOMONYMS


def _folded(name: str) -> str:
    plain = "".join(each for each in normalize("NFKD", name) if not combining(each))
    return plain.strip().lower().replace("’", "'").replace("ʻ", "")
