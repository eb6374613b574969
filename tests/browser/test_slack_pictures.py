"""The pictures of README and ops/docs can be made again, and show what is said of them."""

import re
import shutil
from pathlib import Path

import pytest

from tests.fakes.slack_pictures import KEPT, SCENES, take

_READ = {
    "slack-answer": ("⚠️ Restricted in the United Kingdom", "can I advertise alcohol", "[1]", "Show sources", "Useful"),
    "slack-refusal": ("do not cover this", "dog grooming", "That is not a permission", "Nearest sections"),
    "slack-comparison": ("differs by place", "Side by side", "⚠️ Restricted", "⛔ Prohibited"),
    "slack-alert": ("Policy changed: Alcohol", "Texas", "▲ stricter", "must not", "Stop these alerts"),
}
_RAW = re.compile(r"<(?:https?:|[@#!])|&(?:amp|lt|gt);|\*\w|:[a-z_]+:")
"""Mark-up of Slack that should have become something to look at."""
_MOST_BYTES = 150_000


@pytest.mark.timeout(120)
async def test_the_pictures_show_what_they_should(tmp_path: Path) -> None:
    if shutil.which("chromium") is None:
        pytest.skip("Chromium is not installed (apt-get install chromium)")
    read = await take(tmp_path)
    assert list(read) == list(SCENES) == list(_READ)
    assert {name: [each for each in expected if each not in read[name]] for name, expected in _READ.items()} == {
        name: [] for name in _READ
    }
    assert [text for text in read.values() if _RAW.search(text)] == []
    sizes = {name: (tmp_path / f"{name}.png").stat().st_size for name in SCENES}
    assert {name: size for name, size in sizes.items() if not 10_000 < size < _MOST_BYTES} == {}


def test_the_pictures_that_are_kept_are_these_and_small() -> None:
    kept = {each.stem: each.stat().st_size for each in KEPT.glob("slack-*.png")}
    assert set(kept) == set(SCENES)
    assert max(kept.values()) < _MOST_BYTES
