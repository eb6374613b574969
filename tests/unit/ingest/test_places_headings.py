"""Headings that name places: exceptions, groups, states, what stands beside them, and misspelt ones."""

import pytest

from ingest.places import Places, of_heading, of_title

ANYWHERE = Places()
US = Places(("us",))
GERMANY = Places(("de",))
COUNTRIES = ("fr", "de", "pl")


@pytest.mark.parametrize(
    ("heading", "regions"),
    [
        ("Bosnia and Herzegovina", ("ba",)),
        ("Côte d’Ivoire", ("ci",)),
        ("Hong Kong SAR, China", ("hk",)),
        ("Washington, D.C.", ("us-dc",)),
        ("State of Texas", ("us-tx",)),
        ("New York State", ("us-ny",)),
        ("Texas (TX)", ("us-tx",)),
        ("Canada (Quebec)", ("ca-qc",)),
        ("Canada: Quebec", ("ca-qc",)),
        ("United States (Texas)", ("us-tx",)),
        ("European Union (EU) and Norway (NO)", ("eu", "no")),
        ("Sweden (and Norway)", ("se", "no")),
        ("Germany: Bavaria", ("de-by",)),
        ("Georgia (US)", ("us-ga",)),
        ("Georgia (country)", ("ge",)),
        ("Alabama, Georgia and Florida", ("us-al", "us-ga", "us-fl")),
        ("Queensland and Victoria", ("au-qld", "au-vic")),
        ("Northern Ireland", ("uk-nir",)),
        ("Finland*", ("fi",)),
        ("Finland[1] and Sweden¹", ("fi", "se")),
        ("EU-27", ("eu",)),
        ("EU/EEA", ("eu", "is", "li", "no")),
        ("Benelux", ("be", "nl", "lu")),
        ("Nordic countries", ("dk", "fi", "is", "no", "se")),
        ("GCC", ("ae", "bh", "kw", "om", "qa", "sa")),
        ("Only in France", ("fr",)),
        ("Available only in Canada and Peru", ("ca", "pe")),
        ("Not available in Peru", ("pe",)),
        ("Mexico’s rules", ("mx",)),
        ("🇫🇷 France", ("fr",)),
        ("Tobacco – Norway – shops", None),
        ("Germany – tobacco – shops", ("de",)),
    ],
)
def test_a_heading_limits_its_text_to_the_places_it_names(heading: str, regions: tuple[str, ...] | None) -> None:
    found = of_heading(heading, ANYWHERE)
    assert found == (Places(regions) if regions else Places(doubt=True))


@pytest.mark.parametrize(
    "heading", ["AI", "HR", "IT", "TV", "AR", "Global brands", "International parcels", "us", "Us"]
)
def test_an_abbreviation_or_a_common_word_is_no_place(heading: str) -> None:
    assert of_heading(heading, GERMANY) == GERMANY


@pytest.mark.parametrize(
    "heading",
    [
        "Made in China",
        "Shipping to Germany",
        "Products licensed in Malta",
        "European history",
        "African American audiences",
        "Eastern Europe",
        "Excluded markets: France, Spain",
        "US elections",
    ],
)
def test_a_place_that_is_no_clear_limit_is_a_doubt(heading: str) -> None:
    assert of_heading(heading, ANYWHERE) == Places(doubt=True)


@pytest.mark.parametrize(("heading", "some"), [("Middle East", "qa"), ("APAC", "jp"), ("Latin America", "br")])
def test_a_group_that_people_draw_differently_has_its_core_and_a_doubt(heading: str, some: str) -> None:
    found = of_heading(heading, ANYWHERE)
    assert some in found.regions
    assert "tr" not in found.regions
    assert found.doubt


@pytest.mark.parametrize(
    ("heading", "excluded"),
    [
        ("Outside the EU", ("eu",)),
        ("Countries outside the EU", ("eu",)),
        ("Everywhere but Germany", ("de",)),
        ("Lotteries (all countries except Norway)", ("no",)),
        ("Except in Norway and Peru", ("no", "pe")),
        ("Raffles, with the exception of Malta", ("mt",)),
    ],
)
def test_a_heading_that_excepts_places_holds_for_all_others(heading: str, excluded: tuple[str, ...]) -> None:
    assert of_heading(heading, ANYWHERE) == Places(("global",), excluded)


def test_an_exception_within_a_country() -> None:
    assert of_heading("Canada (excluding Quebec)", ANYWHERE) == Places(("ca",), ("ca-qc",))


def test_states_are_read_below_their_country_only() -> None:
    assert of_heading("Bayern", GERMANY).regions == ("de-by",)
    assert of_heading("North Rhine-Westphalia and Hesse", GERMANY).regions == ("de-nw", "de-he")
    assert of_heading("Bayern", ANYWHERE) == ANYWHERE
    assert of_heading("TX", US).regions == ("us-tx",)
    assert of_heading("TX", ANYWHERE) == ANYWHERE
    assert of_heading("NSW", Places(("au",))).regions == ("au-nsw",)
    assert of_heading("Victoria", Places(("au",))).regions == ("au-vic",)
    assert of_heading("Puerto Rico", US).regions == ("pr",)
    assert of_heading("Mexico", Places(("mx",))) == Places(("mx",))
    assert of_heading("Central", Places(("ke",))) == Places(("ke",))


def test_georgia_is_what_stands_beside_it() -> None:
    assert of_heading("Georgia", ANYWHERE, beside=("us-al", "us-fl")).regions == ("us-ga",)
    assert of_heading("Georgia", ANYWHERE, beside=("am", "us-fl")).regions == ("ge",)


def test_a_wider_place_below_a_narrower_one_does_not_widen_it() -> None:
    assert of_heading("European Union", GERMANY) == GERMANY
    assert of_heading("United States", Places(("us-tx",))) == Places(("us-tx",))
    assert of_heading("Germany and Austria", GERMANY).regions == ("de", "at")


def test_other_countries_are_all_but_those_beside_them() -> None:
    assert of_heading("All other countries", ANYWHERE, beside=("de", "fr")) == Places(("global",), ("de", "fr"))
    assert of_heading("Rest of the world", ANYWHERE, beside=("us",)) == Places(("global",), ("us",))
    assert of_heading("Other states", US, beside=("us-tx",)) == Places(("us",), ("us-tx",))
    assert of_heading("Other countries", ANYWHERE) == ANYWHERE
    assert of_heading("Other countries", GERMANY) == Places(doubt=True)
    assert of_heading("How it works in other regions of the page", GERMANY) == GERMANY


@pytest.mark.parametrize(
    ("heading", "code"),
    [
        ("Germnay", "de"),
        ("Phillipines", "ph"),
        ("Kazahstan", "kz"),
        ("Isreal", "il"),
        ("Columbia", "co"),
        ("United Kingdon", "uk"),
        ("Saudia Arabia", "sa"),
    ],
)
def test_a_misspelt_country_beside_others_is_that_country(heading: str, code: str) -> None:
    assert of_heading(heading, ANYWHERE, beside=COUNTRIES) == Places((code,))


@pytest.mark.parametrize("heading", ["Nigera", "Austrlia"])
def test_a_misspelling_near_to_two_countries_is_a_doubt(heading: str) -> None:
    assert of_heading(heading, ANYWHERE, beside=COUNTRIES) == Places(doubt=True)


@pytest.mark.parametrize(("heading", "code"), [("Niger", "ne"), ("Austria", "at"), ("Iraq", "iq"), ("Mali", "ml")])
def test_a_name_is_never_corrected_to_another(heading: str, code: str) -> None:
    assert of_heading(heading, ANYWHERE, beside=COUNTRIES) == Places((code,))


@pytest.mark.parametrize("heading", ["Iron", "Span", "Malts", "Island tours", "Woman", "Alcohol", "Grease guns"])
def test_other_words_beside_countries_are_no_misspelling(heading: str) -> None:
    assert of_heading(heading, ANYWHERE, beside=COUNTRIES) == ANYWHERE


@pytest.mark.parametrize("beside", [(), ("fr",)])
def test_nothing_is_corrected_where_no_countries_stand_beside_it(beside: tuple[str, ...]) -> None:
    assert of_heading("Germnay", ANYWHERE, beside) == ANYWHERE


def test_a_title_that_is_no_heading_of_its_document_says_where_the_document_holds() -> None:
    assert of_title("Raffles – Germany", ["Prizes"], ANYWHERE) == GERMANY
    assert of_title("Germany", ["Germany", "France"], ANYWHERE) == ANYWHERE
    assert of_title("German raffles", ["Prizes"], US) == US
