"""Finding labelled passages again, and comparing headings as people shorten them."""

import pytest

from tests.fakes.labelled import Found, LabelledPassage, figures_of, locate, same_path, words_of

_RAW = """# Rules
<!-- no words -->
**Chile**

We [do not](https://x.test/Chile) allow:

* Wine
* Boats

**Peru**

We do not allow:

* Wine
* Boats
"""
_CUT = "## Chile\nWe do not allow:\n- Wine\n- Boats\n## Peru\nWe do not allow:\n- Wine\n- Boats\n"


def test_the_place_with_the_most_same_words_around_is_taken() -> None:
    raw, cut = words_of(_RAW), words_of(_CUT)
    first, second = _RAW.index("Wine"), _RAW.rindex("Wine")
    assert locate(raw, first, "Wine", cut) == _CUT.index("Wine")
    assert locate(raw, second, "Wine", cut) == _CUT.rindex("Wine")


def test_what_the_reading_lost_is_nowhere() -> None:
    assert locate(words_of(_RAW), _RAW.index("Wine"), "Wine", words_of("Rules\nBoats")) is None


def test_addresses_and_comments_are_no_words() -> None:
    assert words_of(_RAW).words[:8] == ("rules", "chile", "we", "do", "not", "allow", "wine", "boats")


@pytest.mark.parametrize(
    ("wanted", "found", "same"),
    [
        (("Rules", "Chile"), ("Rules", "Chile"), True),
        (("Rules", "6. Illegal products"), ("Rules", "Illegal products and services"), True),
        (("Rules", "4.5. Empty"), ("Rules", "4.5. Empty destinations"), True),
        (("Rules", "~Examples"), ("Rules",), True),
        (("Rules", "~Examples"), ("Rules", "Examples:"), True),
        (("Rules", "Chile"), ("Rules",), False),
        (("Rules",), ("Rules", "Chile"), False),
        (("Rules", "Chile"), ("Rules", "Peru"), False),
    ],
)
def test_headings_are_the_same(wanted: tuple[str, ...], found: tuple[str, ...], same: bool) -> None:
    assert same_path(wanted, found) is same


def _passage(*regions: str, lead_in: tuple[str, ...] = ()) -> LabelledPassage:
    nowhere = frozenset[str]()
    return LabelledPassage("a.md", 0, "Wine", frozenset(regions), nowhere, nowhere, nowhere, ("Rules",), lead_in, "dev")


def test_figures_count_pairs_of_passage_and_place() -> None:
    found = [
        Found(_passage("cl", "pe"), regions=frozenset({"cl"}), path=("Rules",), is_covered=True),
        Found(_passage("global"), regions=frozenset({"br"}), path=("Rules", "Chile"), is_covered=True),
        Found(_passage("global", lead_in=("do not allow",)), text="We do not allow:", path=("Rules",), is_covered=True),
        Found(_passage("global", lead_in=("do not allow",)), text="We allow:", path=("Rules",), is_covered=True),
        Found(_passage("ec", lead_in=("do not allow",))),
    ]
    figures = figures_of(found)
    assert (figures.region_precision, figures.region_pairs) == (1 / 2, 3)
    assert figures.region_recall == 1 / 3
    assert (figures.paths, figures.lead_ins) == (3 / 5, 1 / 3)
