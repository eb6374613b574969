"""`python -m ops licences`: the list of licences, shown, written anew or checked."""

import re
import sys
import tempfile
from collections.abc import Iterable, Iterator
from importlib.metadata import Distribution, distributions
from pathlib import Path

from packaging.utils import canonicalize_name

from ops.supply import wording
from ops.supply.licences import (
    Licensed,
    Objection,
    licence_in,
    locked_packages,
    objections,
    read_by_a_person,
)
from ops.supply.locks import Pin, read_lock
from ops.supply.running import run_uv
from ops.supply.tiers import TIERS

LIST = Path("ops/docs/licences.md")
_ROW = re.compile(r"^\| (\S+) \| (\d\S*) \| ([^|]*?) \| ([^|]+?) \|$", re.MULTILINE)


async def write(root: Path) -> int:
    """Writes the list from what the packages say of themselves; 1 where something may not stay.

    Those that are not installed here are looked at in a folder of their own, as the index has them.
    """
    read = read_by_a_person(root)
    with tempfile.TemporaryDirectory() as folder:
        said = _said(distributions())
        await _fetch(root, Path(folder), set(said))
        said = _said(distributions(path=[folder])) | said
    packages = [
        Licensed(name, version, read.get(name) or said.get(name, ""), tiers)
        for (name, version), tiers in locked_packages(root).items()
    ]
    (root / LIST).write_text(wording.licence_page(packages), encoding="utf-8")
    return report(list(objections(packages)))


def check(root: Path) -> int:
    """1 where the list is not of what is locked, or a licence in it may not be where it is; needs no network."""
    listed = listed_packages((root / LIST).read_text(encoding="utf-8"))
    wrong = [*_differences(root, listed), *objections(listed)]
    return report(wrong)


def report(wrong: list[Objection]) -> int:
    """Says what is wrong; the exit code."""
    for each in wrong:
        print(wording.objection(each), file=sys.stderr)
    return 1 if wrong else 0


def listed_packages(page: str) -> list[Licensed]:
    """The rows of the list."""
    rows = (found.groups() for found in _ROW.finditer(page))
    return [Licensed(name, version, licence, tuple(tiers.split(", "))) for name, version, licence, tiers in rows]


def _differences(root: Path, listed: list[Licensed]) -> Iterator[Objection]:
    locked = locked_packages(root)
    rows = {(each.name, each.version): each for each in listed}
    for (name, version), tiers in locked.items():
        row = rows.get((name, version))
        if row is None or row.tiers != tiers:
            yield Objection(row or Licensed(name, version, "", tiers), "not listed")
    yield from (Objection(row, "not locked") for key, row in rows.items() if key not in locked)
    yield from _differing_words(root, rows)


def _differing_words(root: Path, rows: dict[tuple[str, str], Licensed]) -> Iterator[Objection]:
    """Against the packages that are installed here, in the version that is locked."""
    read = read_by_a_person(root)
    for name in read.keys() - {name for name, _ in rows}:
        yield Objection(Licensed(name, "", read[name], ()), "read for nothing")
    for distribution in distributions():
        row = rows.get((canonicalize_name(distribution.metadata["Name"]), distribution.version))
        if row is None:
            continue
        said = licence_in(distribution.metadata)
        if said and row.name in read:
            yield Objection(row, "read for nothing")
        elif (read.get(row.name) or said) != row.licence:
            yield Objection(row, "says otherwise")


def _said(found: Iterable[Distribution]) -> dict[str, str]:
    """Licences by package; of another version where the locked one is for another Python."""
    return {canonicalize_name(each.metadata["Name"]): licence_in(each.metadata) for each in found}


async def _fetch(root: Path, folder: Path, there: set[str]) -> None:
    missing = [pin for tier in TIERS for pin in read_lock(root, tier) if pin.name not in there]
    if not missing:
        return
    wanted = folder / "missing.txt"
    lines = (Pin(each.name, each.version, "", each.hashes).line for each in missing)
    wanted.write_text("\n".join(dict.fromkeys(lines)), encoding="utf-8")
    await run_uv(
        root, "pip", "install", "--quiet", "--no-deps", "--require-hashes", "--target", str(folder), "-r", str(wanted)
    )
