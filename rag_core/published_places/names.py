"""Places named in published text, which is stricter than a question: capitals, and codes only where they are meant."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from unicodedata import combining, normalize

import pycountry

from rag_core.errors import Rejected
from rag_core.place_names import ADJECTIVES, longest_of
from rag_core.regions import UK, country_of, find_written_names, normalise, region_named
from rag_core.vocabulary import table_of


@dataclass(frozen=True, slots=True)
class Group:
    """`codes`: the members that nobody disputes. `doubtful`: others may be meant as well, or not all of these."""

    codes: tuple[str, ...]
    doubtful: bool = False


def _groups() -> dict[str, Group]:
    found: dict[str, Group] = {}
    for names, said in table_of("groups").items():
        found |= dict.fromkeys(names.split(" | "), Group(tuple(said.split())))
    return {name: Group(_members(group.codes, found), "?" in group.codes) for name, group in found.items()}


def _members(said: Iterable[str], groups: Mapping[str, Group]) -> tuple[str, ...]:
    """Of a line of the table: "@name" stands for the members of another group."""
    codes: list[str] = []
    for each in said:
        if each.startswith("@"):
            codes += _members(groups[each[1:].replace("_", " ")].codes, groups)
        elif each != "?":
            codes.append(each)
    return tuple(dict.fromkeys(codes))


GROUPS = _groups()
"""By the name in small letters."""

GROUP_ADJECTIVES = {
    "european": GROUPS["europe"],
    "europeans": GROUPS["europe"],
    "african": GROUPS["africa"],
    "asian": GROUPS["asia"],
    "nordic": GROUPS["nordics"],
    "scandinavian": GROUPS["scandinavia"],
    "baltic": GROUPS["baltics"],
    "latin american": GROUPS["latin america"],
}


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
    for each in table_of("states").get(country, "").split():
        code, _, name = each.partition("=")
        found[_folded(name.replace("_", " "))] = f"{country}-{code}"
    return {name: code for name, code in found.items() if name and name not in _DIRECTIONS and not _is_country(name)}


def _is_country(name: str) -> bool:
    known = region_named(name)
    return known is not None and "-" not in known and name not in _HOMONYMS


def _folded(name: str) -> str:
    plain = "".join(each for each in normalize("NFKD", name) if not combining(each))
    return plain.strip().lower().replace("’", "'").replace("ʻ", "")


@dataclass(frozen=True, slots=True)
class Named:
    """A place in a text: `codes` are several for a group such as the EEA, none for one that nobody can list."""

    codes: tuple[str, ...]
    start: int
    end: int
    adjective: bool = False
    group: bool = False
    doubtful: bool = False


_GROUP_NAMES = frozenset({*GROUPS, *GROUP_ADJECTIVES})
"""As they are written: where case does not matter, letters count that only look alike."""
_GROUP = re.compile(
    rf"(?<![\w-]){longest_of(_GROUP_NAMES)}"
    r"(?![^\W¹²³⁴⁵⁶⁷⁸⁹⁰])(?!\s+Americans?\b)",
    re.IGNORECASE,
)
_NOTE_MARK = re.compile(r"\[\d{1,2}\]|\(\d{1,2}\)|[*†‡§¹²³⁴⁵⁶⁷⁸⁹⁰]+")
CONNECTS = re.compile(
    r"\[\d{1,2}\]|\(\d{1,2}\)|[†‡§¹²³⁴⁵⁶⁷⁸⁹⁰]|[\u2600-\u27bf\ufe0f\U0001f1e6-\U0001f5ff]|(?<=\s)['’]s\b|[\s,;&/()+*\[\]•·]|"
    r"\b(?:and|or|the|plus|incl(?:uding)?|as well as)\b|-?\b27\b",
    re.IGNORECASE,
)
_CODE = re.compile(r"\b[A-Z]{2}\b(?![-'’&]\w)")
_IN_LIST = re.compile(r"[,;/&]|\band\b|\bor\b", re.IGNORECASE)
_STATE_CODE = re.compile(r"(?<![\w-])[A-Z]{2}-[A-Z0-9]{1,3}(?![\w-])")
_FIRST_CELL = re.compile(r"^\| ([A-Z]{2}) \|", re.MULTILINE)
_ROWS_OF_CODES = 2
"""Rows of a table that begin with two capitals, from which these are taken for countries."""
_LAST_ONLY = re.compile(r"\s+only$|^only\s+", re.IGNORECASE)
_CLEAR_CODES = frozenset(
    "US UK EU UAE DE FR ES NL PL JP DK CZ HU AU NZ CH BR MX CN HK TW KR UA TR ZA FI GR BG LT LV EE LU CY RU KZ".split()
)
"""Codes that in running text mean nothing else."""
_PRONOUN = "Us"
"""In a title such as "Contact Us"; the country is never written so."""


@lru_cache(maxsize=5_000)
def named(text: str) -> tuple[Named, ...]:
    """The places named in `text`, in order."""
    groups = [
        _group(match)
        for match in _GROUP.finditer(text)
        if (match[0] != match[0].lower() or match[0] == text) and match[0].lower() in _GROUP_NAMES
    ]
    found = [
        Named((each.code,), each.start, each.end, text[each.start : each.end].lower() in ADJECTIVES)
        for each in find_written_names(text)
        if _is_written_as_a_name(text, each.start, each.end)
    ]
    codes = [Named((code,), *match.span()) for match in _CODE.finditer(text) if (code := region_named(match[0]))]
    found_all = _longest([*groups, *found, *codes, *_state_codes(text)])
    return tuple(_shared(text, _with_codes_meant(text, found_all)))


def codes_of(found: Sequence[Named]) -> tuple[str, ...]:
    """All codes, each once, in order."""
    return tuple(dict.fromkeys(code for each in found for code in each.codes))


def without(text: str, found: Sequence[Named]) -> str:
    """`text` with spaces for the places in it."""
    rest = list(text)
    for each in found:
        rest[each.start : each.end] = " " * (each.end - each.start)
    return "".join(rest)


def listed(text: str, country: str | None = None) -> Sequence[Named]:
    """The places that `text` lists, if it is nothing else; adjectives alone are languages as well, and no place.

    `country`: the one around it, whose states are meant before other places of their name.
    """
    text = _LAST_ONLY.sub("", text.strip(" .:*"))
    plain = " ".join(_NOTE_MARK.sub(" ", text).split())
    if country is not None and (states := states_only(plain, country)):
        return [Named(states, 0, len(text))]
    found = named(text)
    if not found:
        whole = _whole(plain)
        return [whole] if whole else _states_in_list(plain)
    if all(each.adjective for each in found):
        return []
    return _states_in_list(plain) if CONNECTS.sub("", without(text, found)) else found


def only_places(text: str, country: str | None = None) -> tuple[str, ...]:
    """The codes of what `text` lists, if it lists places and nothing else, all of them beyond doubt."""
    found = listed(text, country)
    return () if any(each.doubtful for each in found) else codes_of(found)


def names_only_places(text: str) -> bool:
    """Whether `text` is one or several places' names and nothing else: "Sweden, Norway and Finland", "INDIA"."""
    return bool(listed(text))


def _group(match: re.Match[str]) -> Named:
    name = match[0].lower()
    adjective = name in GROUP_ADJECTIVES
    group = GROUP_ADJECTIVES[name] if adjective else GROUPS[name]
    return Named(group.codes, match.start(), match.end(), adjective, group=True, doubtful=group.doubtful)


def _state_codes(text: str) -> Iterator[Named]:
    """`US-CA`."""
    for match in _STATE_CODE.finditer(text):
        try:
            yield Named((normalise(match[0]),), *match.span())
        except Rejected:
            continue


def _longest(found: list[Named]) -> list[Named]:
    """`found` in order, of those that overlap the first and longest: the European Union is not Europe."""
    kept: list[Named] = []
    for each in sorted(found, key=lambda one: (one.start, -one.end)):
        if not kept or each.start >= kept[-1].end:
            kept.append(each)
    return kept


def _whole(text: str) -> Named | None:
    """A name that is written in small letters or only known as a whole line; never a mere code."""
    code = region_named(text)
    if code is None or text == _PRONOUN or (len(text.removeprefix("the ")) == 2 and text not in _CLEAR_CODES):
        return None
    return Named((code,), 0, len(text), text.lower() in ADJECTIVES)


def _is_written_as_a_name(text: str, start: int, end: int) -> bool:
    word = text[start:end]
    if word == _PRONOUN or not word.removeprefix("the ")[:1].isupper():
        return False
    before = text[:start]
    return not (before.endswith((".", "@")) and before[-2:-1].isalnum())  # the end of an address: example.co.uk


def _with_codes_meant(text: str, found: list[Named]) -> list[Named]:
    """Without two-letter codes that may be an abbreviation: they count in a list beside what is surely a place."""
    rows = {match.start(1) for match in _FIRST_CELL.finditer(text)}
    kept = {
        at
        for at, each in enumerate(found)
        if not _is_mere_code(text, each) or (len(rows) >= _ROWS_OF_CODES and each.start in rows)
    }
    for order in (range(1, len(found)), range(len(found) - 2, -1, -1)):
        step = -1 if order.step == 1 else 1
        kept |= _beside(text, found, kept, order, step)
    return [each for at, each in enumerate(found) if at in kept or _is_code_in_brackets(text, each)]


def _beside(text: str, found: Sequence[Named], kept: set[int], order: range, step: int) -> set[int]:
    more: set[int] = set()
    for at in order:
        first, second = sorted((at, at + step))
        between = text[found[first].end : found[second].start]
        listed_with = len(between) <= 6 and _IN_LIST.search(between) and not CONNECTS.sub("", between)
        if at + step in kept | more and listed_with:
            more.add(at)
    return more


def _is_mere_code(text: str, each: Named) -> bool:
    word = text[each.start : each.end]
    if len(word) != 2 or not word.isupper():
        return False
    if text[: each.start].rstrip()[-1:].isdigit():  # 30 GB
        return True
    return word not in _CLEAR_CODES


def _is_code_in_brackets(text: str, each: Named) -> bool:
    """`wagers (CA)`, but not `human resources (HR)`."""
    if text[each.start - 1 : each.start] != "(" or text[each.end : each.end + 1] != ")":
        return False
    before = re.findall(r"\w+", text[: each.start])[-2:]
    initials = "".join(word[0] for word in before).upper()
    code = text[each.start : each.end]
    return initials != code and not (before and before[-1].upper().startswith(code))


def _shared(text: str, found: list[Named]) -> list[Named]:
    """With the names that a state and a country share read as what the names beside them are."""
    at = 0
    result = list(found)
    while at < len(found):
        last = at
        while last + 1 < len(found) and not CONNECTS.sub("", text[found[last].end : found[last + 1].start]):
            last += 1
        if last > at and all(len(each.codes) == 1 for each in found[at : last + 1]):
            run = found[at : last + 1]
            codes = shared_names_resolved([text[x.start : x.end] for x in run], [x.codes[0] for x in run])
            result[at : last + 1] = [
                Named((code or each.codes[0],), each.start, each.end, each.adjective)
                for each, code in zip(run, codes, strict=True)
            ]
        at = last + 1
    return result


def _states_in_list(text: str) -> list[Named]:
    """`Queensland and Victoria`: a list in which one name is a state's and all others may be."""
    countries = {country_of(code) for each in named(text) for code in each.codes if "-" in code}
    for country in countries:
        if states := states_only(text, country):
            return [Named(states, 0, len(text))]
    return []
