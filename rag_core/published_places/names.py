"""Places named in published text, which is stricter than a question: capitals, and codes only where they are meant."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from rag_core.errors import Rejected
from rag_core.name_patterns import longest_of
from rag_core.place_names import ADJECTIVES
from rag_core.published_places.groups import GROUP_ADJECTIVES, GROUPS
from rag_core.published_places.states import shared_names_resolved, states_only
from rag_core.regions import country_of, find_written_names, normalise, region_named


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
