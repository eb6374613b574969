"""Trying mutants: in a copy of the checkout, against the module's own tests, to the end or later."""

import subprocess
from pathlib import Path

import pytest

from ops.bench.mutants import MutantRuns, Result, Trial, drawn, mutants_of
from rag_core.errors import Misconfigured, Rejected

GUARD = """def may(age):
    return age > 17


def unguarded(age):
    return age > 20
"""
TESTS = """from guard import may


def test_may():
    assert may(18)
    assert not may(17)
"""
LOOP = "def last(n):\n    while n != 3:\n        n += 1\n    return n\n"
LOOP_TESTS = "from loop import last\n\n\ndef test_last():\n    assert last(1) == 3\n"
PYTEST_INI = "[pytest]\npythonpath = .\naddopts = -p no:cacheprovider -p no:schemathesis\nmarkers =\n    services:\n"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    root = tmp_path / "checkout"
    root.mkdir()
    files = {"guard.py": GUARD, "test_guard.py": TESTS, "loop.py": LOOP, "test_loop.py": LOOP_TESTS}
    for name, text in {**files, "pytest.ini": PYTEST_INI, ".gitignore": "left_out.py\n", "left_out.py": "x"}.items():
        (root / name).write_text(text, encoding="utf-8")
    subprocess.run(["git", "init", "--quiet", root], check=True)
    return root


def state(root: Path) -> dict[str, tuple[bytes, int]]:
    files = [each for each in root.rglob("*") if each.is_file() and ".git" not in each.parts]
    return {str(each.relative_to(root)): (each.read_bytes(), each.stat().st_mtime_ns) for each in files}


def of_result(trials: list[Trial], result: Result) -> set[str]:
    return {f"{each.function}: {each.change}" for each in trials if each.result == result.value}


async def test_what_no_test_notices_survives_and_the_checkout_stays_as_it_is(checkout: Path) -> None:
    before = state(checkout)
    trials = await MutantRuns(checkout, {"guard.py": ["test_guard.py"]}).run(100)
    assert len(trials) == len(mutants_of(GUARD))
    assert of_result(trials, Result.KILLED) == {
        "may: age > 17 -> age >= 17",
        "may: age > 17 -> age <= 17",
        "may: 17 -> 18",
        "may: 17 -> 16",
        "may: return age > 17 -> return None",
    }
    assert of_result(trials, Result.SURVIVED) == {
        "unguarded: age > 20 -> age >= 20",
        "unguarded: age > 20 -> age <= 20",
        "unguarded: 20 -> 21",
        "unguarded: 20 -> 19",
        "unguarded: return age > 20 -> return None",
    }
    assert state(checkout) == before


async def test_a_mutant_that_never_ends_is_told_as_timed_out(checkout: Path) -> None:
    trials = await MutantRuns(checkout, {"loop.py": ["test_loop.py"]}, shortest_limit=1).run(100)
    assert "last: 1 -> 0" in of_result(trials, Result.TIMED_OUT)


async def test_finished_mutants_are_not_tried_again(checkout: Path, tmp_path: Path) -> None:
    record, tests = tmp_path / "record.jsonl", {"guard.py": ["test_guard.py"]}
    first = await MutantRuns(checkout, tests, record, most=2).run(100)
    again = await MutantRuns(checkout, tests, record, most=2).run(0)
    assert (again, len(again)) == (first, 2)


async def test_finished_mutants_are_tried_again_when_their_tests_change(checkout: Path, tmp_path: Path) -> None:
    record, tests = tmp_path / "record.jsonl", {"guard.py": ["test_guard.py"]}
    await MutantRuns(checkout, tests, record, most=1).run(100)
    (checkout / "test_guard.py").write_text(TESTS + "\n", encoding="utf-8")
    assert await MutantRuns(checkout, tests, record, most=1).run(0) == []


async def test_without_time_nothing_is_tried(checkout: Path) -> None:
    assert await MutantRuns(checkout, {"guard.py": ["test_guard.py"]}).run(0) == []


async def test_tests_that_fail_without_a_mutant_are_told(checkout: Path) -> None:
    (checkout / "test_guard.py").write_text("def test_it():\n    assert False\n", encoding="utf-8")
    with pytest.raises(Rejected, match="mutants_tests_fail"):
        await MutantRuns(checkout, {"guard.py": ["test_guard.py"]}).run(100)


async def test_a_folder_that_is_no_checkout_is_refused(tmp_path: Path) -> None:
    (tmp_path / "guard.py").write_text(GUARD, encoding="utf-8")
    (tmp_path / ".git").write_text("gitdir: nowhere\n", encoding="utf-8")
    with pytest.raises(Misconfigured, match="mutants_no_checkout"):
        await MutantRuns(tmp_path, {"guard.py": []}).run(100)


def test_the_same_mutants_are_drawn_every_time() -> None:
    mutants = mutants_of(GUARD)
    assert drawn("guard.py", mutants, 3) == drawn("guard.py", mutants, 3)
    assert len(drawn("guard.py", mutants, 3)) == 3
    assert drawn("guard.py", mutants, 100) == mutants
