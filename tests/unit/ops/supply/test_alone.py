"""The commands about packages work in a tree whose rest cannot be imported: it may be for want of what they lock."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ops.supply.command import COMMANDS

ROOT = Path(__file__).resolve().parents[4]


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    """A tree whose command line lacks a package."""
    for name in ("ops", "rag_core", "ingest", "bot", "adapters"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "ops" / "cli.py").write_text("import a_package_that_is_not_there\n")
    return tmp_path


def said(tree: Path, *words: str) -> tuple[int, str]:
    ended = subprocess.run(
        [sys.executable, "-m", "ops", *words], cwd=tree, capture_output=True, encoding="utf-8", check=False, timeout=60
    )
    return ended.returncode, ended.stdout + ended.stderr


def test_lock_files_and_licences_are_checked_without_the_rest(broken: Path) -> None:
    assert said(broken, "lock", "--check")[0] == 0
    assert said(broken, "licences", "--check")[0] == 0
    code, words = said(broken, "doctor")
    assert (code, "a_package_that_is_not_there" in words) == (1, True)


def test_without_the_developers_libraries_it_is_said_what_to_do(broken: Path) -> None:
    (broken / "license_expression.py").write_text("raise ModuleNotFoundError(name='license_expression')\n")
    code, words = said(broken, "lock", "--check")
    assert code == 2
    assert words == (
        "The library license_expression is not installed: this command is for developers. "
        "Run ops/check once, which installs it.\n"
    )


def test_all_of_them_are_commands_of_ops() -> None:
    code, words = said(ROOT, "--help")
    assert code == 0
    assert all(each in words for each in COMMANDS)
