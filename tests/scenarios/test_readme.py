"""The README is executable: its marked commands run in a copy of the tree, and its settings table is the settings.

`<!-- run: EXPECTED -->` before an `sh` block marks it. A `text` block behind it is what the command prints, in this
order; `...` stands for what is left out.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from ops.config import PREFIX, Config
from tests.fakes.readme import settings_table

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
SLACK_PAGE = (ROOT / "ops" / "docs" / "slack.md").read_text(encoding="utf-8")
TEAMS_PAGE = (ROOT / "ops" / "docs" / "teams.md").read_text(encoding="utf-8")
PRODUCTION_PAGE = (ROOT / "ops" / "docs" / "production.md").read_text(encoding="utf-8")
COMMANDS = re.findall(
    r"<!-- run: (.+?) -->\n```sh\n(.+?)\n```(?:\n\n```text\n(.+?)\n```)?",
    README,
    re.DOTALL,
)


@pytest.fixture(scope="module")
def fresh_copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What git tracks, in a folder of its own; the installed `.venv` is shared so that nothing is installed again."""
    folder = tmp_path_factory.mktemp("clone")
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    for name in filter(None, names.split("\0")):
        if not (ROOT / name).is_file():  # deleted, but not yet committed
            continue
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, target)
    (folder / ".venv").symlink_to(ROOT / ".venv", target_is_directory=True)
    return folder


def _environment() -> dict[str, str]:
    """No settings of whoever runs the tests, and a terminal of the width that the README shows."""
    return {key: value for key, value in os.environ.items() if not key.startswith(PREFIX)} | {"COLUMNS": "80"}


def _missing(shown: str, printed: str) -> list[str]:
    """The lines of `shown` that `printed` does not have, in their order."""
    rest = iter(printed.splitlines())
    return [line for line in shown.splitlines() if line.strip() not in ("", "...") and line not in rest]


def test_there_are_commands_to_run() -> None:
    assert len(COMMANDS) == 2
    assert all(shown for _, _, shown in COMMANDS)


@pytest.mark.timeout(300)
@pytest.mark.parametrize(("expected", "command", "shown"), COMMANDS)
def test_a_command_does_what_the_readme_says(fresh_copy: Path, expected: str, command: str, shown: str) -> None:
    done = subprocess.run(
        ["bash", "-euc", command],
        cwd=fresh_copy,
        env=_environment(),
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert expected in done.stdout
    assert _missing(shown, done.stdout) == [], done.stdout


def test_lines_out_of_order_are_missing() -> None:
    assert _missing("a\n...\nb", "a\nx\nb") == []
    assert _missing("b\na", "a\nb") == ["a"]


def test_the_settings_table_is_complete_and_true() -> None:
    assert settings_table() in README


def test_every_setting_has_a_meaning() -> None:
    assert [name for name, field in Config.model_fields.items() if not field.description] == []
    assert PREFIX == "ADPOLICY_"


@pytest.mark.parametrize(
    "page", [README, SLACK_PAGE, TEAMS_PAGE, PRODUCTION_PAGE], ids=["README", "slack", "teams", "production"]
)
def test_every_setting_that_is_named_exists(page: str) -> None:
    named = {name.lower() for name in re.findall(rf"{PREFIX}([A-Z_]+)", page)}
    assert named
    assert named - {known for field in Config.model_fields for known in (field, f"{field}_file")} == set()


def test_every_file_that_the_readme_names_exists() -> None:
    named = [
        *re.findall(r"`((?:ops|bot|rag_core|ingest|adapters|tests)/[\w./-]+)`", README),
        *re.findall(r"\]\((ops/[\w./-]+)\)", README + (SLACK_PAGE + TEAMS_PAGE).replace("](", "](ops/docs/")),
        "LICENSE",
    ]
    assert [name for name in named if not (ROOT / name).exists()] == []
