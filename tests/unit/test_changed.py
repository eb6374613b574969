"""`ops/test fast` runs the tests of what has changed, and no others."""

import subprocess
from pathlib import Path

from tests.changed import about, changed_files

TESTS = {
    "tests/unit/rag_core/rules/test_judging.py": "from rag_core.rules import cues\n",
    "tests/unit/rag_core/test_whole.py": "import rag_core.rules.judging\n",
    "tests/unit/rag_core/test_one_line.py": "from rag_core.rules import cues, judging\n",
    "tests/unit/rag_core/test_lines.py": "from rag_core.rules import (\n    cues,\n    judging,\n)\n",
    "tests/unit/rag_core/test_names.py": "from rag_core.rules.judging import judged\n",
    "tests/unit/rag_core/test_other.py": "from rag_core.rules.judging_more import judging\n# rag_core.rules.judging\n",
    "tests/unit/bot/test_elsewhere.py": "from rag_core.rules import judging\n",
    "tests/unit/bot/test_faked.py": "from tests.fakes.judged import LIMITS\n",
    "tests/scenarios/test_scenario.py": "from tests.fakes.judged import LIMITS\n",
}


def test_a_module_is_tested_by_its_name_and_by_who_imports_it() -> None:
    found = {Path(each).stem for each in about(["rag_core/rules/judging.py"], TESTS)}
    assert found == {"test_judging", "test_whole", "test_one_line", "test_lines", "test_names"}


def test_a_package_is_what_its_init_is() -> None:
    found = {Path(each).stem for each in about(["rag_core/rules/__init__.py"], TESTS)}
    assert found == {"test_judging", "test_whole", "test_one_line", "test_lines", "test_names", "test_other"}


def test_a_test_is_about_itself_and_a_fake_about_all_unit_tests_that_use_it() -> None:
    assert about(["tests/scenarios/test_scenario.py"], TESTS) == ["tests/scenarios/test_scenario.py"]
    assert about(["tests/fakes/judged.py"], TESTS) == ["tests/unit/bot/test_faked.py"]


def test_what_is_no_module_has_no_tests() -> None:
    assert about(["README.md", "rag_core/rules/thresholds.json", "setup.py"], TESTS) == []


def test_changed_is_what_differs_from_a_revision_and_what_is_new(tmp_path: Path) -> None:
    def git(*words: str) -> None:
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b.c", *words], cwd=tmp_path, check=True)

    git("init", "-q")
    for name in ("same.py", "staged.py", "changed.py", "committed.py"):
        (tmp_path / name).write_text("1\n")
    (tmp_path / ".gitignore").write_text("ignored.py\n")
    git("add", ".")
    git("commit", "-qm", "first")
    (tmp_path / "committed.py").write_text("2\n")
    git("commit", "-qam", "second")
    for name in ("staged.py", "changed.py", "ünïcode new.py", "ignored.py"):
        (tmp_path / name).write_text("2\n")
    git("add", "staged.py")
    assert changed_files(tmp_path, "HEAD") == {"staged.py", "changed.py", "ünïcode new.py"}
    assert changed_files(tmp_path, "HEAD~1") == {"staged.py", "changed.py", "ünïcode new.py", "committed.py"}
