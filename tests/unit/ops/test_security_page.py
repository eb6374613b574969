"""The page of promises names tests that there are."""

import re

from tests.fakes.program import ROOT

_PAGE = ROOT / "ops" / "docs" / "security.md"
_NAMED = re.compile(r"`((?:\w+/)+test_\w+\.py)`")
_COMMAND = re.compile(r"`python -m ops bench (\w+)`")


def test_every_test_that_is_named_is_there() -> None:
    named = _NAMED.findall(_PAGE.read_text(encoding="utf-8"))
    assert len(set(named)) > 30
    assert [each for each in named if not (ROOT / "tests" / each).is_file()] == []


def test_every_promise_names_a_test() -> None:
    promised, _, _ = _PAGE.read_text(encoding="utf-8").partition("\n## Mutants\n")
    rows = [line for line in promised.splitlines() if line.startswith("| ")]
    promises = [row for row in rows if row != "| promise | test |" and not row.startswith("|--")]
    named_before = "the same"
    assert [row for row in promises if not _NAMED.search(row) and named_before not in row] == []
