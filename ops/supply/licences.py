"""`python -m ops licences`: which licence each locked package has, as SPDX names it, and whether it may be there."""

import re
import tempfile
import tomllib
from collections.abc import Iterable, Iterator
from importlib.metadata import Distribution, PackageMetadata, distributions
from pathlib import Path
from typing import NamedTuple

from license_expression import ExpressionError, get_spdx_licensing
from packaging.utils import canonicalize_name

from ops.supply import wording
from ops.supply.locks import REQUIREMENTS, TIERS, Pin, locked_packages, read_lock, run_uv

LIST = Path("ops/docs/licences.md")
READ_BY_A_PERSON = REQUIREMENTS / "licences.toml"
_ROW = re.compile(r"^\| (\S+) \| (\d\S*) \| ([^|]*?) \| ([^|]+?) \|$", re.MULTILINE)
# LGPL: a package of its own, unchanged, that whoever runs the bot can exchange. GCC's exception: run-time libraries
# of the compiler, which it allows in any program.
_ALLOWED = frozenset(
    "0BSD Apache-2.0 BSD-2-Clause BSD-3-Clause BSL-1.0 CC0-1.0 CNRI-Python HPND ISC MIT MIT-0 MIT-CMU MPL-2.0 PSF-2.0"
    " Python-2.0 Unlicense Zlib LGPL-2.1-only LGPL-2.1-or-later LGPL-3.0-only LGPL-3.0-or-later".split()
) | {"GPL-3.0-or-later WITH GCC-exception-3.1", "Apache-2.0 WITH LLVM-exception"}
# NVIDIA's libraries come with torch on Linux, where somebody chose that tier; they are neither copied nor passed on.
_ONLY_IN = {"LicenseRef-NVIDIA-Proprietary": "torch"}
# What classifiers and the free field say, where it is plain. "BSD License" is not.
_IN_OTHER_WORDS = {
    "apache 2": "Apache-2.0",
    "apache 2.0": "Apache-2.0",
    "apache 2.0 license": "Apache-2.0",
    "apache software license": "Apache-2.0",
    "isc license": "ISC",
    "isc license (iscl)": "ISC",
    "mit license": "MIT",
    "mozilla public license 2.0 (mpl 2.0)": "MPL-2.0",
    "python software foundation license": "PSF-2.0",
    "gpl-3.0": "GPL-3.0-only",
}
_LONGEST = 100  # characters; beyond that the field holds the licence itself
_SPDX = get_spdx_licensing()


class Licensed(NamedTuple):
    """A locked package: where it is, and its licence as an SPDX expression; empty where nobody knows."""

    name: str
    version: str
    licence: str
    tiers: tuple[str, ...]


def write(root: Path) -> list[str]:
    """Write the list from what the packages say of themselves; what may not stay.

    Those that are not installed here are looked at in a folder of their own, as the index has them.
    """
    read = read_by_a_person(root)
    with tempfile.TemporaryDirectory() as folder:
        said = {name: words for (name, _), words in _said(distributions()).items()}
        missing = [pin for tier in TIERS.values() for pin in read_lock(root, tier) if pin.name not in said]
        wanted = Path(folder) / "missing.txt"
        lines = (Pin(each.name, each.version, "", each.hashes).line for each in missing)
        wanted.write_text("\n".join(dict.fromkeys(lines)), encoding="utf-8")
        options = ("--quiet", "--no-deps", "--require-hashes", "--target", folder, "-r", str(wanted))
        if missing:
            run_uv(root, "pip", "install", *options)
        said = {name: words for (name, _), words in _said(distributions(path=[folder])).items()} | said
    packages = [
        Licensed(name, version, read.get(name) or said.get(name, ""), tiers)
        for (name, version), tiers in locked_packages(root).items()
    ]
    used = [each for each in packages if any(TIERS[name].runs for name in each.tiers)]
    (root / LIST).write_text(wording.licence_page(used, [each for each in packages if each not in used]), "utf-8")
    return list(objections(packages))


def check(root: Path) -> list[str]:
    """Where the list is not of what is locked, says something else than a package that is installed here or than
    somebody read, or has a licence that may not be where it is; needs no network."""
    listed = listed_packages(root)
    rows, locked, read = (
        {(each.name, each.version): each for each in listed},
        locked_packages(root),
        read_by_a_person(root),
    )
    said = {key: words for key, words in _said(distributions()).items() if key in rows}
    names = {name for name, _ in rows}
    told = {name for (name, _), words in said.items() if words}
    return [
        *(wording.not_as_listed(*key) for key in locked.keys() - rows.keys() | rows.keys() - locked.keys()),
        *(wording.not_as_listed(*key) for key, row in rows.items() if row.tiers != locked.get(key, row.tiers)),
        *(wording.read_for_nothing(name) for name in read if name not in names or name in told),
        *(wording.says_otherwise(rows[k]) for k, words in said.items() if (read.get(k[0]) or words) != rows[k].licence),
        *objections(listed),
    ]


def listed_packages(root: Path) -> list[Licensed]:
    """The rows of the list."""
    rows = (found.groups() for found in _ROW.finditer((root / LIST).read_text(encoding="utf-8")))
    return [Licensed(name, version, licence, tuple(tiers.split(", "))) for name, version, licence, tiers in rows]


def read_by_a_person(root: Path) -> dict[str, str]:
    """Licences by package, as somebody read them."""
    entries = tomllib.loads((root / READ_BY_A_PERSON).read_text(encoding="utf-8"))
    return {name: str(entry["licence"]) for name, entry in entries.items()}


def licence_in(metadata: PackageMetadata) -> str:
    """What a package says of itself, as an SPDX expression; empty where that cannot be told from its metadata."""
    expressions: list[str] = metadata.get_all("License-Expression", [])
    if expressions:
        return expressions[0]
    words: list[str] = metadata.get_all("License", [])
    classifiers = [each for each in metadata.get_all("Classifier", []) if each.startswith("License ::")]
    if len(classifiers) == 1:  # two may mean "at your choice" or "both"
        words = [*words, classifiers[0].rpartition(" :: ")[2]]
    plain = (_IN_OTHER_WORDS.get(each.strip().lower(), each.strip()) for each in words)
    return next((each for each in plain if len(each) < _LONGEST and known(each)), "")


def known(expression: str) -> bool:
    """Whether every name in it is SPDX's, or one of ours for what SPDX has no name for."""
    try:
        symbols = _SPDX.license_symbols(_SPDX.parse(expression, validate=False), unique=True, decompose=True)
    except ExpressionError:
        return False
    return bool(symbols) and all(str(each) in _ONLY_IN or str(each) in _SPDX.known_symbols for each in symbols)


def objections(packages: Iterable[Licensed]) -> Iterator[str]:
    """What may not stay: an unknown licence anywhere, GPL, AGPL and whatever is not on our list where the bot runs."""
    for package in packages:
        if not known(package.licence):
            yield wording.unknown_licence(package)
        elif not all(allowed(package.licence, name) for name in package.tiers if TIERS[name].runs):
            yield wording.not_allowed(package)


def allowed(expression: str, tier: str) -> bool:
    """Whether a package under `expression` may be in `tier` where the bot runs. With OR, one of them is enough."""
    return _holds(_SPDX.parse(expression, validate=False), tier)


def _holds(parsed: object, tier: str) -> bool:
    if isinstance(parsed, (_SPDX.OR, _SPDX.AND)):
        each = (_holds(part, tier) for part in parsed.args)
        return any(each) if isinstance(parsed, _SPDX.OR) else all(each)
    return str(parsed) in _ALLOWED or _ONLY_IN.get(str(parsed)) == tier


def _said(found: Iterable[Distribution]) -> dict[tuple[str, str], str]:
    """Licences by package and version."""
    return {(canonicalize_name(each.metadata["Name"]), each.version): licence_in(each.metadata) for each in found}
