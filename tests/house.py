"""`python -m tests.house [--check]`: how big the code is, as a table; with --check, whether it outgrew a limit."""

import ast
import sys
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[1]
PRODUCT = ("adapters", "bot", "ingest", "ops", "rag_core")

LIMITS: Mapping[str, int] = {
    "product lines": 110_036,
    "product files": 842,
    "test lines": 106_540,
    "largest folder": 20,
    "Protocols": 121,
    "public module names": 5_172,
    "modules with one importer, a sibling": 88,
    "README bytes": 8_000,
    "longest file": 500,
}
"""Limits that the code may not outgrow. Lower one when its figure falls; raise one only with a reason in the commit."""


@dataclass(frozen=True, slots=True)
class _Module:
    name: str
    source: str
    tree: ast.Module

    @property
    def folder(self) -> str:
        return self.name.rpartition(".")[0]


def figures(root: Path) -> dict[str, int]:
    """The figures of the repository in `root`, named as in `LIMITS`."""
    files = [path for folder in PRODUCT for path in (root / folder).rglob("*.py")]
    modules = [_module(root, path) for path in files]
    tests = [path.read_text("utf-8") for path in (root / "tests").rglob("*.py")]
    folders = Counter(str(path.parent) for path in files if path.name != "__init__.py")
    sources = [each.source for each in modules]
    return {
        "product lines": sum(map(_lines, sources)),
        "product files": len(files),
        "test lines": sum(map(_lines, tests)),
        "largest folder": max(folders.values()),
        "Protocols": sum(_is_protocol(node) for each in modules for node in ast.walk(each.tree)),
        "public module names": sum(len(_public_names(each.tree)) for each in modules),
        "modules with one importer, a sibling": _one_importer(modules),
        "README bytes": (root / "README.md").stat().st_size,
        "longest file": max(map(_lines, [*sources, *tests])),
    }


def over(found: Mapping[str, int]) -> list[str]:
    """What outgrew its limit, a sentence each."""
    return [f"{name}: {found[name]:,}, at most {limit:,}" for name, limit in LIMITS.items() if found[name] > limit]


def _module(root: Path, path: Path) -> _Module:
    parts = path.relative_to(root).with_suffix("").parts
    source = path.read_text("utf-8")
    return _Module(".".join(parts).removesuffix(".__init__"), source, ast.parse(source))


def _lines(source: str) -> int:
    return len(source.splitlines())


def _is_protocol(node: ast.AST) -> bool:
    return isinstance(node, ast.ClassDef) and any(
        isinstance(base, ast.Name | ast.Subscript) and "Protocol" in ast.unparse(base) for base in node.bases
    )


def _public_names(tree: ast.Module) -> set[str]:
    """Functions, classes and constants at the top of a module that begin without an underscore."""
    names: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names |= {each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)}
    return {each for each in names if not each.startswith("_")}


def _one_importer(modules: Sequence[_Module]) -> int:
    known = {each.name for each in modules}
    importers: dict[str, set[str]] = defaultdict(set)
    for each in modules:
        for node in ast.walk(each.tree):
            if isinstance(node, ast.ImportFrom) and node.module:
                inner = {f"{node.module}.{alias.name}" for alias in node.names} & known
                for name in inner or {node.module} & known:
                    importers[name].add(each.name)
    return sum(
        len(found) == 1 and {each.rpartition(".")[0] for each in found} == {name.rpartition(".")[0]}
        for name, found in importers.items()
    )


def main(argv: Sequence[str]) -> int:
    found = figures(_ROOT)
    if "--check" not in argv:
        for name, value in found.items():
            print(f"{name:38} {value:>9,}   at most {LIMITS[name]:,}")
    too_much = over(found)
    print(*too_much, sep="\n", end="\n" if too_much else "")
    return 1 if too_much else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
