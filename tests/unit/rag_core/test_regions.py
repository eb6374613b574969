"""Places: codes, names, and which rules a place sees."""

import pytest

from rag_core import regions
from rag_core.errors import Rejected


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (" GB ", "uk"),
        ("uk", "uk"),
        ("De", "de"),
        ("us_tx", "us-tx"),
        ("US-TX", "us-tx"),
        ("EU", "eu"),
        ("global", "global"),
    ],
)
def test_codes_are_brought_into_one_form(given: str, expected: str) -> None:
    assert regions.normalise(given) == expected


@pytest.mark.parametrize("given", ["", "zz", "england", "us-zz", "europe", "u k"])
def test_an_unknown_code_is_refused_with_what_was_given(given: str) -> None:
    with pytest.raises(Rejected, match="unknown_region") as caught:
        regions.normalise(given)
    assert caught.value.details["value"] == given


def test_a_place_sees_itself_what_contains_it_and_global_never_a_neighbour() -> None:
    assert regions.seen_from("de") == {"de", "eu", "global"}
    assert regions.seen_from("uk") == {"uk", "global"}
    assert regions.seen_from("us-tx") == {"us-tx", "us", "global"}
    assert regions.seen_from("us") == {"us", "global"}
    assert regions.seen_from("eu") == {"eu", "global"}
    assert "be" not in regions.seen_from("de")


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("can I advertise alcohol in the UK", ["uk"]),
        ("rules for German users", ["de"]),
        ("booze ads in turkey?", ["tr"]),
        ("sportsbook client in FR, allowed?", ["fr"]),
        ("in Belgium and the Netherlands", ["be", "nl"]),
        ("CAN I RUN ADS IN UK", ["uk"]),
        ("CAN I RUN IT IN THE US", ["us"]),
        ("ads in us?", ["us"]),
        ("can you tell us about beer", []),
        ("is this for us", []),
        ("nail polish ads", []),
        ("Polish lottery", ["pl"]),
        ("Texas lottery", ["us-tx"]),
        ("in Northern Ireland", ["uk-nir"]),
        ("Scottish lottery", ["uk-sct"]),
        ("in Trinidad and Tobago", ["tt"]),
        ("Bosnia and Herzegovina, St. Lucia, Saint Kitts and Nevis", ["ba", "lc", "kn"]),
        ("Côte d'Ivoire or Cote d’Ivoire", ["ci", "ci"]),
        ("in Washington, DC", ["us-dc"]),
        ("Finland¹ and Spain²", ["fi", "es"]),
        ("South African lottery", ["za"]),
        ("is it ok to do so, or no", []),
        ("IT services in AT&T style", []),
        ("cbd in gb", ["uk"]),
        ("what about the EU?", ["eu"]),
        ("United States and United Kingdom", ["us", "uk"]),
    ],
)
def test_places_are_found_in_the_words_of_a_question(text: str, codes: list[str]) -> None:
    assert [mention.code for mention in regions.find_regions(text)] == codes


def test_mentions_carry_the_offsets_of_their_words() -> None:
    text = "beer in the United Kingdom now"
    (mention,) = regions.find_regions(text)
    assert text[mention.start : mention.end] == "United Kingdom"


@pytest.mark.parametrize(
    ("heading", "code"),
    [("the United Kingdom", "uk"), ("Texas", "us-tx"), ("DE", "de"), ("German", "de"), ("Alcohol", None), ("it", None)],
)
def test_a_heading_is_a_place_only_as_a_whole(heading: str, code: str | None) -> None:
    assert regions.region_named(heading) == code


def test_specificity_orders_global_union_country_state() -> None:
    assert [regions.specificity(code) for code in ("global", "eu", "de", "us-tx")] == [0, 1, 2, 3]
    assert regions.display_name("us-tx") == "Texas (United States)"
