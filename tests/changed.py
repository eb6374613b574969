"""`python -m tests.changed REVISION`: the tests of what has changed since then, for somebody who waits for them."""

import re
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath

_ROOT = Path(__file__).resolve().parents[1]


def changed_files(root: Path, since: str) -> set[str]:
    """Against the files as they are now, new ones among them."""
    asked = (["diff", "--name-only", "-z", since, "--"], ["ls-files", "--others", "--exclude-standard", "-z"])
    said = (subprocess.run(["git", *each], cwd=root, check=True, capture_output=True).stdout for each in asked)
    return {name for each in said for name in each.decode().split("\0") if name}


def about(changed: Iterable[str], tests: Mapping[str, str]) -> list[str]:
    """Of the test files, by path with their source: those that changed, and those in the unit tests of a changed
    module's package that have its name or import it. What more than one package's tests share is looked for in all."""
    found: set[str] = set()
    for path in map(PurePosixPath, changed):
        if str(path) in tests:
            found.add(str(path))
        elif path.suffix == ".py":
            near = "tests/unit/" if path.parts[0] == "tests" else f"tests/unit/{path.parts[0]}/"
            imports = _imports(path)
            found |= {
                each
                for each, source in tests.items()
                if each.startswith(near) and (_is_named_after(each, path) or imports.search(source))
            }
    return sorted(found)


def _is_named_after(test: str, path: PurePosixPath) -> bool:
    return test == f"tests/unit/{path.parent}/test_{path.name}"


def _imports(path: PurePosixPath) -> re.Pattern[str]:
    *package, name = path.with_suffix("").parts if path.name != "__init__.py" else path.parent.parts
    of, name = re.escape(".".join(package)), re.escape(name)
    whole, part = rf"(?:from|import) {of}\.{name}\b", rf"from {of} import (?:[^(\n]*|\([^)]*)\b{name}\b"
    return re.compile(rf"^\s*(?:{whole}|{part})", re.MULTILINE)


if __name__ == "__main__":
    files = {str(each.relative_to(_ROOT).as_posix()): each for each in (_ROOT / "tests").rglob("test_*.py")}
    sources = {name: each.read_text(encoding="utf-8") for name, each in files.items()}
    print("\n".join(about(changed_files(_ROOT, sys.argv[1]), sources)))
