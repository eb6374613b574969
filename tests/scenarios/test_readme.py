"""The README is executable: its marked commands run in a copy of the tree, and its settings table is the settings."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from ops.config import PREFIX, Config
from tests.fakes.readme import settings_table

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"<!-- run: (?P<expected>.+?) -->\n```sh\n(?P<command>.+?)\n```", README, re.DOTALL)


@pytest.fixture(scope="module")
def fresh_copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What git tracks, in a folder of its own; the installed `.venv` is shared so that nothing is installed again."""
    folder = tmp_path_factory.mktemp("clone")
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    for name in filter(None, names.split("\0")):
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, target)
    (folder / ".venv").symlink_to(ROOT / ".venv", target_is_directory=True)
    return folder


def test_there_are_commands_to_run() -> None:
    assert len(COMMANDS) == 2


@pytest.mark.timeout(300)
@pytest.mark.parametrize(("expected", "command"), COMMANDS)
def test_a_command_does_what_the_readme_says(fresh_copy: Path, expected: str, command: str) -> None:
    done = subprocess.run(["bash", "-c", command], cwd=fresh_copy, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert expected in done.stdout


def test_the_settings_table_is_complete_and_true() -> None:
    assert settings_table() in README


def test_every_setting_has_a_meaning() -> None:
    assert [name for name, field in Config.model_fields.items() if not field.description] == []
    assert PREFIX == "ADPOLICY_"


def test_every_file_that_the_readme_names_exists() -> None:
    named = re.findall(r"`((?:ops|bot|rag_core|ingest|adapters|tests)/[\w./-]+)`", README)
    assert [name for name in (*named, "ops/docs/answer.png", "LICENSE") if not (ROOT / name).exists()] == []
