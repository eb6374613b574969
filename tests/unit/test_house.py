"""The size of the code: what is counted, and that a limit that is passed is named."""

from pathlib import Path

from tests.house import LIMITS, PRODUCT, figures, over


def _repository(root: Path) -> Path:
    for folder in (*PRODUCT, "tests"):
        (root / folder).mkdir()
        (root / folder / "__init__.py").touch()
    (root / "README.md").write_text("A bot.\n", "utf-8")
    (root / "bot" / "inbox.py").write_text(
        "from typing import Protocol\n\nLIMIT = 3\n_HIDDEN = 4\n\n\nclass Store(Protocol):\n    size: int\n", "utf-8"
    )
    (root / "bot" / "service.py").write_text("from bot.inbox import LIMIT\n\nprint(LIMIT)\n", "utf-8")
    return root


def test_lines_files_names_protocols_and_single_importers_are_counted(tmp_path: Path) -> None:
    assert figures(_repository(tmp_path)) == {
        "product lines": 11,
        "product files": 7,
        "test lines": 0,
        "largest folder": 2,
        "Protocols": 1,
        "public module names": 2,
        "modules with one importer, a sibling": 1,
        "README bytes": 7,
        "longest file": 8,
    }


def test_a_figure_over_its_limit_is_named_with_both() -> None:
    assert over(dict(LIMITS)) == []
    assert over({**LIMITS, "largest folder": LIMITS["largest folder"] + 1}) == [
        f"largest folder: {LIMITS['largest folder'] + 1}, at most {LIMITS['largest folder']}"
    ]
