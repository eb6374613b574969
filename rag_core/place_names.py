"""Names of places that CLDR does not give: adjectives, everyday and former names, groups of countries, large cities."""

import re
from collections.abc import Iterable
from functools import cache

from rag_core.vocabulary import table_of


def longest_of(names: Iterable[str]) -> str:
    """A pattern for the longest of `names` that fits, letter by letter.

    Names tried one after the other at every word, five hundred of them, took half of the time that a chunk took.
    """
    following: dict[str, list[str]] = {}
    for name in names:
        following.setdefault(name[:1], []).append(name[1:])
    ends = following.pop("", None) is not None
    branches = [re.escape(letter) + longest_of(rest) for letter, rest in sorted(following.items())]
    if not ends and len(branches) == 1:
        return branches[0]
    return f"(?:{'|'.join(branches)}){'?' if ends else ''}" if branches else ""


EU_MEMBERS = frozenset("at be bg hr cy cz dk ee fi fr de gr hu ie it lv lt lu mt nl pl pt ro sk si es se".split())
"""The 27 members since 2020-02-01."""

ADJECTIVES = {word.replace("-", " "): code for code, words in table_of("adjectives").items() for word in words.split()}
OTHER_NAMES = table_of("other_names")
"""By the name in small letters."""

CASE_MATTERS = frozenset({"us", "polish", "jersey", "chad", "guinea", "english", "congo", "dutch"})
"""Common words in small letters: taken for the place only with a capital."""

WORDS_THAT_ARE_CODES = frozenset(
    "ad ae af ag ai am an as at bb be bi by cv do eh er es ga gi go ha he hi hm ho id if in io is it la li lo ma md me "
    "mm mo ms mu my na no of ok om on or ow ox pa pm pr pa re se sh sk so st ta tc td tv to um un up us vc ve we ws "
    "ye".split()
)
"""English words and everyday abbreviations that are also country codes."""


GROUPS = {
    name: tuple(codes.split()) for names, codes in table_of("asked_groups").items() for name in names.split(" | ")
}
"""By name in small letters: the codes of the members."""


@cache
def cities() -> dict[str, str]:
    """Every city in small letters, and the code of its country or state."""
    return {_city_name(each): code for code, names in table_of("cities").items() for each in names.split()}


@cache
def need_a_capital() -> frozenset[str]:
    """The cities whose names, in small letters, mostly mean something else."""
    return frozenset(
        _city_name(each) for names in table_of("cities").values() for each in names.split() if each[-1] == "*"
    )


def _city_name(written: str) -> str:
    return written.rstrip("*").replace("_", " ")
