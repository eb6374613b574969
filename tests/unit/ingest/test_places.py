import pytest

from ingest.places import Places, mentioned, of_heading, of_label

ANYWHERE = Places()
US = Places(("us",))


@pytest.mark.parametrize(
    ("heading", "regions"),
    [
        ("United Kingdom", ("uk",)),
        ("4. United States", ("us",)),
        ("US", ("us",)),
        ("EU", ("eu",)),
        ("ARGENTINA", ("ar",)),
        ("UK and Ireland", ("uk", "ie")),
        ("Sweden, Norway, Finland", ("se", "no", "fi")),
        ("Colorado/Connecticut/Virginia", ("us-co", "us-ct", "us-va")),
        ("European Union", ("eu",)),
        ("European Economic Area", ("eu", "is", "li", "no")),
        ("Texas (US)", ("us-tx",)),
        ("Washington (state)", ("us-wa",)),
        ("CBD (US only)", ("us",)),
        ("Cannabis (Canada Only)", ("ca",)),
        ("High Sugar Drinks (UK)", ("uk",)),
        ("Rules for Germany", ("de",)),
        ("California Addendum", ("us-ca",)),
        ("Lawful bases (applicable to EEA and UK end users)", ("eu", "is", "li", "no", "uk")),
        ("Germany: alcohol", ("de",)),
        ("Alcohol - Germany", ("de",)),
        ("Alcohol in the United Kingdom", ("uk",)),
        ("Notice to California residents", ("us-ca",)),
        ("US State Specific Information", ("us",)),
        ("Rules for German advertisers", ("de",)),
        ("Additional requirements for ads in France and Spain", ("fr", "es")),
    ],
)
def test_a_heading_that_names_places_limits_its_text_to_them(heading: str, regions: tuple[str, ...]) -> None:
    assert of_heading(heading, ANYWHERE) == Places(regions)


def test_a_deeper_heading_replaces_the_place() -> None:
    assert of_heading("Texas", US).regions == ("us-tx",)
    assert of_heading("Conditions", US) == US


def test_georgia_below_the_united_states_is_the_state() -> None:
    assert of_heading("Georgia", US).regions == ("us-ga",)
    assert of_heading("Georgia", ANYWHERE).regions == ("ge",)


def test_exceptions_in_a_heading() -> None:
    europe = of_heading("Europe except Germany", ANYWHERE)

    assert "eu" in europe.regions
    assert "uk" in europe.regions
    assert "us" not in europe.regions
    assert europe.excluded == ("de",)
    assert of_heading("All countries except India", ANYWHERE) == Places(("global",), ("in",))
    assert of_heading("Lotteries (except in Norway and Turkey)", ANYWHERE) == Places(("global",), ("no", "tr"))


@pytest.mark.parametrize(
    "heading",
    [
        "U.S. sanctions and export control",
        "EU-U.S. Data Privacy Framework",
        "French",
        "Can I advertise lotteries in Spain?",
        "California Assembly Bill 1242 Notice",
        "Exports (to Iran without a licence)",
    ],
)
def test_a_place_that_may_be_no_limit_leaves_the_scope_and_marks_a_doubt(heading: str) -> None:
    assert of_heading(heading, ANYWHERE) == Places(("global",), doubt=True)


@pytest.mark.parametrize(
    "heading",
    [
        "Alcohol",
        "Exceptions",
        "Other countries",
        "Countries where alcohol may not be advertised",
        "Global rules",
        "In app",
        "License Grant to Us",
        "Contact Us",
    ],
)
def test_a_heading_without_a_place_is_no_doubt(heading: str) -> None:
    assert of_heading(heading, ANYWHERE) == ANYWHERE


def test_rules_for_all_countries_below_a_country_are_global_again() -> None:
    assert of_heading("Rules for all countries", US) == ANYWHERE


def test_exceptions_other_than_places_exclude_nothing() -> None:
    assert of_heading("Gambling (except lotteries)", ANYWHERE) == ANYWHERE
    assert of_heading("Gambling (except lotteries)", US) == US


@pytest.mark.parametrize(
    ("line", "regions"),
    [
        ("United Kingdom: ads need a licence.", ("uk",)),
        ("6.2 Norway: ads are not allowed.", ("no",)),
        ("Germany:", ("de",)),
        ("Sweden and Denmark: ads are not allowed.", ("se", "dk")),
        ("3.2.2 In Germany, such knives may not be advertised.", ("de",)),
        ("In the United States and Canada, a permit is needed.", ("us", "ca")),
        ("In the European Union, Norway and Turkey, a reseller may do so, if asked.", ("eu", "no", "tr")),
        ("New York: a state licence is needed.", ("us-ny",)),
    ],
)
def test_a_label_limits_its_own_line(line: str, regions: tuple[str, ...]) -> None:
    assert of_label(line, ANYWHERE) == Places(regions)


@pytest.mark.parametrize(
    "line",
    [
        "Europe: France, Spain, Italy",
        "In the United Kingdom, sprays are not allowed. Alarms are allowed in all countries.",
        "Alcoholic drink: a drink with more than 0.5% alcohol.",
        "In short, ads are reviewed.",
        "Ads are allowed only in the following countries: France, Spain.",
        "Germany",
    ],
)
def test_other_lines_have_no_place_of_their_own(line: str) -> None:
    assert of_label(line, ANYWHERE) is None


def test_mentions() -> None:
    assert mentioned("Only in Spain, France and the UK.") == ("es", "fr", "uk")


def test_a_language_is_no_place() -> None:
    assert mentioned("Ads in Brazil must be in Portuguese.") == ("br",)
    assert mentioned("Contact Us") == ()
    assert mentioned("German and French advertisers") == ("de", "fr")
