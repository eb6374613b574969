"""Is a clause about all of what was asked, or about a narrower thing?"""

import pytest

from rag_core.answering.subjects import has_content, is_on_topic
from tests.fakes.rules import words


@pytest.mark.parametrize(
    ("subject", "asked", "on_topic"),
    [
        ("Ads for alcohol", "alcohol", True),
        ("The promotion of alcoholic drinks", "booze", True),
        ("Ads for alcohol", "beer", True),
        ("Ads for beer", "alcohol", False),
        ("Ads for alcohol delivery", "alcohol", False),
        ("Ads for alcohol delivery", "alcohol delivery", True),
        ("Ads for kites", "alcohol", False),
        ("Ads for the sale of kites", "kites", True),
        ("Ads for razor kites", "kites", False),
        ("Kites, darts and drones", "darts", True),
        ("Kites, razor darts and drones", "darts", False),
        ("Toys, including darts", "darts", True),
        ("Kites & darts", "darts", True),
        ("Kites & razor darts", "darts", False),
        ("Paper-kite courses, apps and helplines", "paper kite", True),
        ("Paper-kite courses, books and helplines", "paper kite", False),
        ("Kite courses, apps and helplines", "kites", False),
        ("Ads that glorify kites or darts", "darts", False),
        ("Ads that promote kites or darts", "darts", True),
        ("Some ads for kites", "kites", False),
        ("Certain kites", "kites", False),
        ("Ads for kites in Belgium", "kites", True),
        ("A kite is a toy, and ads for it", "kites", True),
        ("A kite is a toy, and ads for it", "darts", False),
    ],
)
def test_a_narrower_subject_is_not_the_topic(subject: str, asked: str, on_topic: bool) -> None:
    assert is_on_topic(subject, "Acme", words(asked)) is on_topic


@pytest.mark.parametrize(
    ("headings", "asked", "on_topic"),
    [
        ("Acme > Toys > Kites", "kites", True),
        ("Acme > Toys > Kites", "toys", False),
        ("Acme > Kites > General rules", "kites", True),
        ("Acme > Kites > Belgium", "kites", True),
        ("Acme > Kites and darts", "darts", True),
        ("Acme > Kite strings", "kites", False),
        ("Rules > General", "kites", False),
    ],
)
def test_a_subject_without_a_thing_is_about_the_innermost_heading_that_names_one(
    headings: str, asked: str, on_topic: bool
) -> None:
    assert is_on_topic("These ads", headings, words(asked)) is on_topic
    assert is_on_topic("", headings, words(asked)) is on_topic


@pytest.mark.parametrize(("subject", "found"), [("These ads in Peru", False), ("Ads for kites", True), ("", False)])
def test_a_subject_names_a_thing_or_only_ads_and_places(subject: str, found: bool) -> None:
    assert has_content(subject) is found
