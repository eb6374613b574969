"""The pattern of all place names finds what trying them one after the other, the longest first, finds."""

import re

import pytest

from rag_core import regions
from rag_core.regions import find_regions, find_written_names

ALIKE = "Niger Nigeria Guinea Guinea-Bissau Papua New Guinea Equatorial Guinea Ireland Northern Ireland"


def test_of_names_that_begin_alike_the_longest_is_found() -> None:
    codes = [(ALIKE[each.start : each.end], each.code) for each in find_regions(ALIKE)]
    assert codes[:4] == [("Niger", "ne"), ("Nigeria", "ng"), ("Guinea", "gn"), ("Guinea-Bissau", "gw")]
    assert codes[4:6] == [("Papua New Guinea", "pg"), ("Equatorial Guinea", "gq")]


def test_every_name_is_found_whole_and_no_part_of_a_word_is() -> None:
    longest_first = sorted(regions._names(), key=lambda name: (-len(name), name))
    one_by_one = re.compile(r"(?<![\w-])(?:" + "|".join(map(re.escape, longest_first)) + r")(?!\w)", re.IGNORECASE)
    text = "".join(f"{name.title()}, {name}land {name} and x{name};\n" for name in longest_first)
    found = [(each.start(), each.end()) for each in regions._name_pattern().finditer(text)]
    assert found == [(each.start(), each.end()) for each in one_by_one.finditer(text)]
    assert len(found) > len(longest_first)


@pytest.mark.parametrize("odd", ["ıtaly", "ſpain", "İtaly"])
def test_letters_that_only_look_like_one_of_a_name_are_no_name(odd: str) -> None:
    assert [each.code for each in find_regions(f"{odd}, France")] == ["fr"]


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("Ads in Germany, the Netherlands and The Gambia", ["de", "nl", "gm"]),
        ("Åland Islands and Türkiye; the United States of America", ["ax", "tr", "us"]),
        ("ads in germany, and for us", []),
        ("Polish the silver", ["pl"]),
        ("polish the silver", []),
        ("Only in DE and CH", []),
    ],
)
def test_published_texts_write_names_with_a_capital(text: str, codes: list[str]) -> None:
    found = find_written_names(text)
    assert [each.code for each in found] == codes
    assert set(found) <= set(find_regions(text))
