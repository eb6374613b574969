"""Labels and openings of a line, mentions, and words that leave a doubt."""

import pytest

from ingest.places import Places, in_doubt, mentioned, of_label

ANYWHERE = Places()


@pytest.mark.parametrize(
    ("line", "regions"),
    [
        ("Germany – raffles are not allowed.", ("de",)),
        ("U.S.: a permit is needed.", ("us",)),
        ("St. Lucia: a permit is needed.", ("lc",)),
        ("Only in Peru: raffles of the state.", ("pe",)),
        ("In Germany and Austria: a permit is needed.", ("de", "at")),
        ("Requirements for Italy:", ("it",)),
        ("For users in Spain: a permit is needed.", ("es",)),
        ("If your ad is shown in Chile, it needs a tag.", ("cl",)),
        ("If you are running ads targeting Peru or Chile, add a tag:", ("pe", "cl")),
        ("EEA and Switzerland: consent is needed.", ("eu", "is", "li", "no", "ch")),
    ],
)
def test_a_label_or_an_opening_limits_its_line(line: str, regions: tuple[str, ...]) -> None:
    assert of_label(line, ANYWHERE) == Places(regions)


@pytest.mark.parametrize(
    ("line", "excluded"),
    [
        ("Except in Norway, raffles need a label.", ("no",)),
        ("Outside the EU, raffles need a label.", ("eu",)),
        ("All countries except India: raffles need a stamp.", ("in",)),
    ],
)
def test_an_opening_that_excepts_places_leaves_them_out(line: str, excluded: tuple[str, ...]) -> None:
    assert of_label(line, ANYWHERE) == Places(("global",), excluded)


@pytest.mark.parametrize(
    "line",
    [
        "Raffles are allowed only in France and Spain.",
        "Raffles are not available in Peru.",
        "Raffles are allowed in all countries except France.",
        "Available markets: France, Spain",
        "Spain - Portugal",
        "Latin America: a permit is needed.",
        "If you are based in France, tell us.",
        "Excluding Norway, which has its own page. Raffles are allowed.",
        "American Express: a card.",
    ],
)
def test_what_says_something_for_everybody_is_no_label(line: str) -> None:
    assert of_label(line, ANYWHERE) is None


def test_a_label_with_the_place_of_the_section_changes_nothing() -> None:
    around = Places(("se", "no", "fi"), doubt=True)
    assert of_label("If your ad is shown in Norway, Sweden or Finland, we allow:", around) == around
    assert of_label("In Norway, it is not allowed.", around) == Places(("no",))


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("Put your trust in us, contact Us.", ()),
        ("HR and AI, 30 GB at 5 PM, provided AS IS, media rated MA", ()),
        ("Human Resources (HR) of wagers (CA)", ("ca",)),
        ("Allowed in DE, AT, CH and SE", ("at", "ch", "de", "se")),
        ("Markets: IT, ES", ("es", "it")),
        ("See www.example.co.uk or mail help@example.us", ()),
        ("a turkey for the states", ()),
        ("Turkey and the Netherlands", ("nl", "tr")),
        ("in Alabama, Georgia and Florida", ("us-al", "us-fl", "us-ga")),
        ("in Estonia and Georgia", ("ee", "ge")),
        ("in the EEA", ("eu", "is", "li", "no")),
        ("in Africa", ()),
        ("| Finland* | Spain / Portugal | Norway[1] |", ("es", "fi", "no", "pt")),
        ("| DE | yes |\n| IT | yes |\n| US-CA | no |", ("de", "it", "us-ca")),
        ("| IT | yes |\n| Law | yes |", ()),
        ("CD-ROM and CO-OP for non-US buyers", ("us",)),
    ],
)
def test_places_mentioned_in_published_text(text: str, codes: tuple[str, ...]) -> None:
    assert mentioned(text) == codes


@pytest.mark.parametrize(
    ("text", "doubt"),
    [
        ("Raffles are allowed in all countries except France.", True),
        ("Raffles are allowed (excluding ads in Peru).", True),
        ("Raffles are allowed, except lotteries. France has a page of its own.", False),
        ("Ads are in any language other than French.", False),
        ("| Finland* | yes |", True),
        ("| Finland* | yes |\n\n* Only raffles of the state.", False),
        ("| Finland[1] | yes |\n\n* Only raffles of the state.", True),
        ("| Finland | yes |", False),
    ],
)
def test_an_exception_or_a_lost_note_leaves_a_doubt(text: str, doubt: bool) -> None:
    assert in_doubt(text) is doubt
