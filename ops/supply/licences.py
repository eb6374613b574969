"""Which licence each locked package has, in SPDX's words, and whether it may be where it is."""

import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.metadata import PackageMetadata
from pathlib import Path

from license_expression import ExpressionError, LicenseSymbol, LicenseWithExceptionSymbol, get_spdx_licensing

from ops.supply.locks import read_lock
from ops.supply.tiers import REQUIREMENTS, TIERS, tier_named

READ_BY_A_PERSON = REQUIREMENTS / "licences.toml"

_PERMISSIVE = frozenset(
    "0BSD Apache-2.0 BSD-2-Clause BSD-3-Clause BSL-1.0 CC0-1.0 CNRI-Python HPND ISC MIT MIT-0 MIT-CMU MPL-2.0 PSF-2.0"
    " Python-2.0 Unlicense Zlib".split()
)
# LGPL: a package of its own, unchanged, that whoever runs the bot can exchange. GCC's exception: run-time libraries
# of the compiler, which it allows in any program.
_WITH_A_REASON = frozenset(
    {"LGPL-2.1-only", "LGPL-2.1-or-later", "LGPL-3.0-only", "LGPL-3.0-or-later"}
    | {"GPL-3.0-or-later WITH GCC-exception-3.1", "Apache-2.0 WITH LLVM-exception"}
)
# NVIDIA's libraries come with torch on Linux, where somebody chose that tier; they are neither copied nor passed on.
_ONLY_IN = {"LicenseRef-NVIDIA-Proprietary": frozenset({"torch"})}
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
_SPDX = get_spdx_licensing()


@dataclass(frozen=True, slots=True)
class Licensed:
    """A locked package: where it is, and its licence as an SPDX expression; empty where nobody knows."""

    name: str
    version: str
    licence: str
    tiers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Objection:
    """`problem` names a sentence of `wording.objection`."""

    package: Licensed
    problem: str


def locked_packages(root: Path) -> dict[tuple[str, str], tuple[str, ...]]:
    """(name, version) of everything that is locked, and the tiers that lock it."""
    found: dict[tuple[str, str], tuple[str, ...]] = {}
    for tier in TIERS:
        for pin in read_lock(root, tier):
            key = (pin.name, pin.version)
            found[key] = (*found.get(key, ()), tier.name)
    return dict(sorted(found.items()))


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


_LONGEST = 100  # characters; beyond that the field holds the licence itself


def known(expression: str) -> bool:
    """Whether every name in it is SPDX's, or one of ours for what SPDX has no name for."""
    return bool(expression) and not _unknown(expression)


def objections(packages: Iterable[Licensed]) -> Iterator[Objection]:
    """What may not stay: an unknown licence anywhere, GPL, AGPL and whatever is not on our list where the bot runs."""
    for package in packages:
        if not known(package.licence):
            yield Objection(package, "unknown")
            continue
        for name in package.tiers:
            if tier_named(name).runs and not allowed(package.licence, name):
                yield Objection(package, "not allowed")
                break


def allowed(expression: str, tier: str) -> bool:
    """Whether a package under `expression` may be in `tier` where the bot runs. With OR, one of them is enough."""
    return _holds(_SPDX.parse(expression, validate=False), tier)


def _holds(parsed: object, tier: str) -> bool:
    if isinstance(parsed, _SPDX.OR):
        return any(_holds(each, tier) for each in parsed.args)
    if isinstance(parsed, _SPDX.AND):
        return all(_holds(each, tier) for each in parsed.args)
    name = str(parsed)
    return name in _PERMISSIVE or name in _WITH_A_REASON or tier in _ONLY_IN.get(name, ())


def _unknown(expression: str) -> list[str]:
    try:
        parsed = _SPDX.parse(expression, validate=False)
    except ExpressionError:
        return [expression]
    symbols = _SPDX.license_symbols(parsed, unique=True, decompose=True)
    return [str(each) for each in symbols if str(each) not in _ONLY_IN and not _is_spdx(each)]


def _is_spdx(symbol: LicenseSymbol | LicenseWithExceptionSymbol) -> bool:
    return str(symbol) in _SPDX.known_symbols
