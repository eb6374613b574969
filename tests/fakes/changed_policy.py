"""A policy of the samples that changes, as pictures of alerts show it."""

from collections.abc import Mapping
from pathlib import Path

from tests.fakes.program import run

_EARLIER, _LATER = "2026-05-04", "2026-11-01"
_LOOSER, _STRICTER = "Happy-hour prices may be advertised.", "Happy-hour prices must not be advertised."


def change_a_policy(samples: Path, env: Mapping[str, str]) -> None:
    """The samples have a further version of the policy on alcohol, in which one rule is stricter, and it is read."""
    text = (samples / f"alcohol.{_EARLIER}.md").read_text("utf-8")
    assert _LOOSER in text
    newer = text.replace(_EARLIER, _LATER).replace(_LOOSER, _STRICTER)
    (samples / f"alcohol.{_LATER}.md").write_text(newer, "utf-8")
    ended = run("ingest", "run", "--quiet", env=env, cwd=samples)
    assert ended.returncode == 0, ended.stderr
