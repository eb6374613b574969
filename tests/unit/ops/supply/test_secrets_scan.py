"""The scan for secrets in ops/check: finds what is planted, and lets through only what somebody read."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.timeout(600)

ROOT = Path(__file__).resolve().parents[4]
BASELINE = ".secrets.baseline"
READ = "adapters/redis/client.py"


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A repository with the check, its baseline, and a file that the baseline is about."""
    names = ("ops/check", "ops/setup.sh", "ops/requirements/locked/dev.txt", BASELINE, READ)
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / "ops" / "setup.sh").write_text(
        'PYTHON=.venv/bin/python\nneed() { :; }\nsay() { echo "$*" >&2; }\nfail() { say "$*"; exit 1; }\n'
    )
    (tmp_path / ".gitignore").write_text(".venv\n.env\n.*_cache/\n")
    (tmp_path / ".venv").symlink_to(ROOT / ".venv", target_is_directory=True)
    for words in (["init", "-q"], ["add", "."]):
        subprocess.run(["git", *words], cwd=tmp_path, check=True, env=_environment(tmp_path))
    return tmp_path


def _environment(home: Path) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "HOME": str(home), "GIT_CONFIG_NOSYSTEM": "1"}


def check(clone: Path) -> tuple[int, str]:
    """`ops/check secrets` there: its exit code and what it said."""
    ended = subprocess.run(
        ["bash", "ops/check", "secrets"],
        cwd=clone,
        env=_environment(clone),
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=300,
    )
    return ended.returncode, ended.stderr + ended.stdout


def test_what_was_read_passes(clone: Path) -> None:
    assert check(clone) == (0, "ok    secrets\n")


@pytest.mark.parametrize("added", [False, True])
@pytest.mark.parametrize(
    "planted",
    [
        "AWS = 'AKIA" + "ZYXWVUTSRQPONMLK'",
        "SLACK = 'xoxb-" + "1234567890-1234567890123-AbCdEfGhIjKlMnOpQrStUvWx'",
        "-----BEGIN RSA " + "PRIVATE KEY-----",
        "password = 'x8Kq2" + "vN4tR7wZ1pL'",
    ],
)
def test_a_planted_secret_in_a_new_file_is_found(clone: Path, planted: str, added: bool) -> None:
    (clone / "settings.py").write_text(planted + "\n")
    if added:
        subprocess.run(["git", "add", "settings.py"], cwd=clone, check=True)
    code, said = check(clone)
    assert code == 1
    assert "settings.py:1" in said


def test_lines_may_move(clone: Path) -> None:
    """The baseline says in which file what was read stands, not in which line."""
    baseline, moved = (clone / BASELINE).read_bytes(), clone / READ
    moved.write_text("# One line more.\n" * 3 + moved.read_text(encoding="utf-8"), encoding="utf-8")
    assert check(clone) == (0, "ok    secrets\n")
    assert (clone / BASELINE).read_bytes() == baseline


def test_another_secret_in_a_file_that_passed_is_found(clone: Path) -> None:
    assert check(clone)[0] == 0
    lines = (clone / READ).read_text(encoding="utf-8")
    (clone / READ).write_text("PASSWORD = 'x8Kq2" + "vN4tR7wZ1pL'\n" + lines, encoding="utf-8")
    for _ in range(2):
        code, said = check(clone)
        assert code == 1
        assert f"{READ}:1" in said


def test_what_the_baseline_no_longer_lets_through_is_found(clone: Path) -> None:
    assert check(clone)[0] == 0
    baseline = json.loads((clone / BASELINE).read_text(encoding="utf-8"))
    (clone / BASELINE).write_text(json.dumps(baseline | {"results": {}}), encoding="utf-8")
    subprocess.run(["git", "add", BASELINE], cwd=clone, check=True)
    code, said = check(clone)
    assert code == 1
    assert READ in said


def test_names_of_any_kind_are_read_and_deleted_files_are_not(clone: Path) -> None:
    (clone / READ).unlink()
    for name in ('with space "and" quotes.py', "ünïcode.py"):
        (clone / name).write_text("password = 'x8Kq2" + "vN4tR7wZ1pL'\n", encoding="utf-8")
    code, said = check(clone)
    assert code == 1
    assert 'with space "and" quotes.py:1' in said
    assert "ünïcode.py:1" in said


def test_what_git_ignores_is_not_read(clone: Path) -> None:
    (clone / ".env").write_text("password = 'x8Kq2" + "vN4tR7wZ1pL'\n")
    assert check(clone)[0] == 0


def test_a_check_that_is_not_there_is_no_pass(clone: Path) -> None:
    ended = subprocess.run(
        ["bash", "ops/check", "sekrets"], cwd=clone, capture_output=True, encoding="utf-8", check=False, timeout=300
    )
    assert (ended.returncode, ended.stderr) == (1, "There is no check named sekrets.\n")


def test_somebody_read_everything_that_the_baseline_lets_through() -> None:
    """`detect-secrets audit .secrets.baseline` asks; what is a secret does not belong here, but into the trash."""
    results = json.loads((ROOT / BASELINE).read_text(encoding="utf-8"))["results"]
    assert [path for path, found in results.items() if any(each.get("is_secret") is not False for each in found)] == []
    # `detect-secrets scan --slim`: with lines, each one that moves would change the baseline.
    assert "line_number" not in {name for found in results.values() for each in found for name in each}
