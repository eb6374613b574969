"""When a new version looks like an accident; and that real versions never do."""

from itertools import combinations, pairwise
from pathlib import Path

import pytest

from ingest.model.document_types import mime_type_of
from ingest.planner.suspicion import Doubt, Profile, doubt, profile_of
from ingest.reader.parsing import parse
from rag_core.layout import write_blocks

RULES = "\n".join(
    f"Advertisements for product {name} require permission before publication everywhere."
    for name in (
        "whisky",
        "brandy",
        "cigars",
        "lottery",
        "casinos",
        "tobacco",
        "vaping",
        "medicines",
        "weapons",
        "loans",
    )
)
COOKIES = "\n".join(
    f"Choose whether this website remembers your {name} between visits, today or whenever."
    for name in ("language", "location", "settings", "basket", "address", "profile", "device", "browser", "session")
)
BEFORE = profile_of("Alcohol", f"## Rules\n{RULES}\n")


@pytest.mark.parametrize(("kept", "why"), [(0.5, None), (0.21, None), (0.19, Doubt.SHRUNK), (0.0, Doubt.SHRUNK)])
def test_what_lost_more_than_its_share_has_shrunk(kept: float, why: Doubt | None) -> None:
    text = f"## Rules\n{RULES}\n"

    assert doubt(BEFORE, profile_of("Alcohol", text[: round(len(text) * kept)]), 0.8) is why


def test_the_share_is_the_operators_to_choose() -> None:
    half = profile_of("Alcohol", f"## Rules\n{RULES[: len(RULES) // 2]}\n")

    assert doubt(BEFORE, half, 0.4) is Doubt.SHRUNK
    assert doubt(BEFORE, profile_of("Alcohol", ""), 1.0) is None


def test_a_short_text_has_nothing_to_lose() -> None:
    assert doubt(profile_of("Beer", "Ads for beer are restricted."), profile_of("Beer", "No."), 0.8) is None


def test_another_page_has_another_title_other_headings_and_other_words() -> None:
    assert doubt(BEFORE, profile_of("Cookies", f"## Consent\n{COOKIES}\n"), 0.8) is Doubt.OTHER_PAGE


@pytest.mark.parametrize(
    ("title", "text"),
    [
        ("Alcohol", f"## Consent\n{COOKIES}\n"),
        ("Cookies", f"## RULES\n{COOKIES}\n"),
        ("Drinks", f"## Everything\n{RULES}\n"),
    ],
    ids=["same title", "same heading", "same words"],
)
def test_none_of_that_alone_makes_another_page(title: str, text: str) -> None:
    assert doubt(BEFORE, profile_of(title, text), 0.8) is None


def test_a_few_words_cannot_be_compared() -> None:
    short = profile_of("Beer", "Advertisements for alcohol need permission.")

    assert doubt(short, profile_of("Wine", "Nothing stays whatever happens elsewhere."), 0.8) is None


def _profile(path: Path) -> Profile:
    parsed = parse(path.read_bytes(), mime_type_of(path.name) or "")
    return profile_of(parsed.title or "", write_blocks(parsed.blocks))


@pytest.mark.shared_data
def test_no_real_version_raises_a_doubt_about_itself(shared_data: Path) -> None:
    histories = [sorted(each.iterdir()) for each in sorted((shared_data / "ad-policies" / "versions").iterdir())]

    pairs = 0
    for history in histories:
        profiles = [_profile(path) for path in history]
        # two years apart as well as one step, and back again
        for before, after in [*pairwise(profiles), (profiles[0], profiles[-1]), (profiles[-1], profiles[0])]:
            assert doubt(before, after, 0.8) is None
            pairs += 1
    assert pairs > 15


@pytest.mark.shared_data
def test_most_real_documents_are_told_from_one_another(shared_data: Path) -> None:
    """Not all: half of them share a publisher's vocabulary, and a doubt has to be sure of itself."""
    newest = [sorted(each.iterdir())[-1] for each in sorted((shared_data / "ad-policies" / "versions").iterdir())]
    others = sorted((shared_data / "github-site-policy").rglob("*.md"))[:10]
    profiles = [_profile(path) for path in newest]

    doubts = [doubt(before, after, 1.0) for before in profiles for after in map(_profile, others)]

    assert doubts.count(Doubt.OTHER_PAGE) > len(doubts) / 2
    assert all(doubt(one, one, 1.0) is None for one, _ in combinations(profiles, 2))
