"""The pictures of README and ops/docs can be made again, and show what is said of them."""

import re
from pathlib import Path

import pytest

from tests.fakes.missing import program
from tests.fakes.pictures import KEPT, MOST_BYTES, faults_of
from tests.fakes.slack_pictures import PICTURES, SCENES

_READ = {
    "slack-answer": ("⚠️ Restricted in the United Kingdom", "can I advertise alcohol", "[1]", "Show sources", "Useful"),
    "slack-refusal": ("do not cover this", "drones", "That is not a permission", "Nearest sections"),
    "slack-comparison": ("differs by place", "Side by side", "⚠️ Restricted", "⛔ Prohibited"),
    "slack-alert": ("Policy changed: Alcohol", "Texas", "▲ stricter", "must not", "Stop these alerts"),
}
_RAW = re.compile(r"<(?:https?:|[@#!])|&(?:amp|lt|gt);|\*\w|:[a-z_]+:")
"""Mark-up of Slack that should have become something to look at."""


@pytest.mark.timeout(900)
async def test_the_pictures_show_what_they_should(tmp_path: Path) -> None:
    program("chromium", "chromium")
    read = await PICTURES.take(tmp_path)
    assert list(read) == list(SCENES) == list(_READ)
    assert faults_of(tmp_path, read, _READ, _RAW) == []


def test_the_pictures_that_are_kept_are_these_and_small() -> None:
    kept = {each.stem: each.stat().st_size for each in KEPT.glob("slack-*.png")}
    assert set(kept) == set(SCENES)
    assert max(kept.values()) < MOST_BYTES
