"""Words and sentences that scraped pages break: at the ends of lines, by footers, by buttons and menus."""

import pytest

from ingest.parsers.html.document import parse_html
from ingest.parsers.markdown import parse_markdown
from rag_core.layout import BlockKind


def markdown(text: str) -> list[str]:
    return [block.text for block in parse_markdown(text.encode()).blocks]


def html(text: str) -> list[str]:
    return [block.text for block in parse_html(text.encode()).blocks]


RULE = (
    "All adver-\ntising of age-restricted goods, and short-\nand long-term loans that are age-\nrestricted, by Anglo-\n"
    "American firms is prohibited."
)
WHOLE = (
    "All advertising of age-restricted goods, and short- and long-term loans that are age-restricted, by Anglo-"
    "American firms is prohibited."
)


def test_words_broken_at_the_ends_of_lines_are_made_whole() -> None:
    assert markdown(RULE) == [WHOLE]
    assert html(f"<p>{RULE}</p>") == [WHOLE]
    assert markdown("> Ads for alco-\n> hol are prohibited.") == ["Ads for alcohol are prohibited."]


def test_a_numbered_item_below_a_hyphen_stays_an_item() -> None:
    assert markdown("- not allowed-\n1. beer\n") == ["not allowed-", "beer"]


@pytest.mark.parametrize(
    "footer", ["Page 3 of 9", "- Page 3 of 9 -", "Acme Policy | Page 3 / 9", "Page 3 of 9 | 2026-01-02"]
)
def test_a_footer_within_a_sentence_goes_and_the_sentence_is_whole(footer: str) -> None:
    long = "Advertisers of spirits must hold a licence that is issued by the Board of"
    assert markdown(f"Ads for spirits must\n\n{footer}\n\ncarry a notice.") == ["Ads for spirits must carry a notice."]
    assert markdown(f"Ads for spirits must\n{footer}\ncarry a notice.") == ["Ads for spirits must carry a notice."]
    assert markdown(f"{long}\n\n{footer}\n\nAlcohol.") == [f"{long} Alcohol."]
    assert markdown(f"- ads for spi-\n\n{footer}\n\nrits\n") == ["ads for spirits"]
    assert html(f"<p>Ads for spirits must</p><div>{footer}</div><p>carry a notice.</p>") == [
        "Ads for spirits must carry a notice."
    ]


def test_a_footer_between_paragraphs_joins_nothing() -> None:
    assert markdown("Beer is allowed.\n\nPage 3 of 9\n\nWine is not.") == ["Beer is allowed.", "Wine is not."]
    assert markdown("## Beer\n\nPage 3 of 9\n\nwine is not.") == ["Beer", "wine is not."]
    assert markdown("The rule stands on page 3 of 9.") == ["The rule stands on page 3 of 9."]


@pytest.mark.parametrize("button", ["Accept all cookies", "Skip to main content", "Sign in"])
def test_buttons_stay_text_and_join_no_sentence(button: str) -> None:
    assert markdown(f"{button}\nAdvertisers of beer must\nhold a licence.\n{button}") == [
        button,
        "Advertisers of beer must hold a licence.",
        button,
    ]
    assert html(f"<p>{button}<br>Advertisers of beer must<br>hold a licence.</p>") == [
        button,
        "Advertisers of beer must hold a licence.",
    ]


def test_the_path_and_the_entries_of_a_menu_join_no_sentence() -> None:
    assert markdown("Home > Policies > Alcohol\nAds for beer are\nprohibited.") == [
        "Home > Policies > Alcohol",
        "Ads for beer are prohibited.",
    ]
    assert markdown("Home\nOur Policies\nContact Us\nAds for beer are prohibited on\nany page.") == [
        "Home",
        "Our Policies",
        "Contact Us",
        "Ads for beer are prohibited on any page.",
    ]


def test_names_that_a_sentence_lists_are_no_menu() -> None:
    text = "Ads for dating cannot run on:\nAdMob\nGoogle Ad Manager\nYouTube | They can run on:\nGoogle Ads"
    assert markdown(text) == [text.replace("\n", " ")]
    assert markdown("Age\nGender\nPlace of residence, by state") == ["Age Gender Place of residence, by state"]


def test_short_lines_of_a_sentence_stay_together() -> None:
    assert markdown("Ads may be shown in\nMexico and\nChile, and Google\nAds may not.") == [
        "Ads may be shown in Mexico and Chile, and Google Ads may not."
    ]
    found = parse_markdown(b"Sweden\nNorway\nDenmark\n").blocks
    assert [(block.kind, block.text) for block in found] == [(BlockKind.PARAGRAPH, "Sweden Norway Denmark")]
