"""The pictures of ops/docs/teams.md can be made again, and show what is said of them."""

import re
from pathlib import Path

import pytest

from tests.fakes.missing import program
from tests.fakes.pictures import KEPT, MOST_BYTES, faults_of
from tests.fakes.teams_pictures import PICTURES, SCENES

_READ = {
    "teams-answer": ("⚠️ Restricted in the United Kingdom", "can I advertise alcohol", "Show sources", "Reply"),
    "teams-comparison": ("differs by place", "Side by side", "⚠️ Restricted", "⛔ Prohibited", "Germany"),
    "teams-personal": ("You can also ask", "Share to channel", ": can I advertise alcohol"),
    "teams-sources": ("Sources", "Country rules › United Kingdom", "In the document:", "Close"),
    "teams-settings": ("link to a channel", "Default places", "Save"),
    "teams-escalation": (
        "For the spring campaign",
        "restricted in the United Kingdom",
        "Person 2",
        "label on every picture",
    ),
    "teams-answered": ("label on every picture", "not a quote from the policies", "Person 2"),
    "teams-alert": ("Policy changed", "stricter", "must not", "Happy-hour"),
}
_RAW = re.compile(r"\*\*|</?at>|\]\(|\$\{|\[object|undefined|&(?:amp|lt|gt|nbsp);")
"""Mark-up that should have become something to look at."""


@pytest.mark.timeout(900)
async def test_the_pictures_show_what_they_should(tmp_path: Path) -> None:
    program("chromium", "chromium")
    read = await PICTURES.take(tmp_path)
    assert list(read) == list(SCENES) == list(_READ)
    assert faults_of(tmp_path, read, _READ, _RAW) == []


def test_the_pictures_that_are_kept_are_these_and_small() -> None:
    kept = {each.stem: each.stat().st_size for each in KEPT.glob("teams-*.png")}
    assert set(kept) == set(SCENES)
    assert max(kept.values()) < MOST_BYTES


def test_the_page_of_teams_shows_them_all() -> None:
    told = (KEPT / "teams.md").read_text("utf-8")
    assert set(re.findall(r"\((teams-[a-z]+)\.png\)", told)) == set(SCENES)
