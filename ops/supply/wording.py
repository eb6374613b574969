"""What `python -m ops lock|licences|sbom|vulnerabilities` say."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

Row = tuple[str, str, str, tuple[str, ...]]
"""Name, version, licence and tiers of a package: `licences.Licensed`."""

HELP = {
    "lock": "Write the lock files: every package of every tier in one version, with the hashes of its files.",
    "lock_check": "Only look whether requirement files and lock files agree; needs no network.",
    "upgrade": "Take the newest versions that the requirement files allow. Default: keep those that are locked.",
    "licences": "The licence of every locked package; exit code 1 where one may not be where it is.",
    "write": "Write the list anew, after a change of the lock files.",
    "licences_check": "Only look whether the list is of what is locked and all in it is allowed.",
    "sbom": "A list of what is inside, for other programs: CycloneDX 1.6, JSON.",
    "output": "Write it into this file. Default: standard output.",
    "tier": "A set of packages that ops/requirements/locked has; may be repeated. Default: what the image holds.",
    "release": "Our own version, as the list shall name it. Default: the commit.",
    "vulnerabilities": "Look all locked packages up among known vulnerabilities (asks a service on the internet).",
    "osv_url": "Ask this address, which speaks OSV's protocol. Default: the public one.",
}


def tools_missing(name: str) -> str:
    return (
        f"The library {name} is not installed: this command is for developers. Run ops/check once, which installs it."
    )


def of_no_tier(path: Path) -> str:
    return f"{path}: no tier has this file. Name it in ops/supply/locks.py, or remove it."


def out_of_date(path: Path) -> str:
    return f"{path} is missing, was changed, or is of other requirements than there are. Run `python -m ops lock`."


def locks_agree(packages: int) -> str:
    return f"{packages} packages are locked, as the requirement files ask for."


def locks_written(packages: int) -> str:
    return f"{packages} packages are locked. Look at the differences, then run `python -m ops licences --write`."


def unknown_licence(package: Row) -> str:
    name, version, licence, _ = package
    return (
        f"{name} {version}: its licence is not known ({licence or 'it names none'}). Read it, "
        "and name it in ops/requirements/licences.toml."
    )


def not_allowed(package: Row) -> str:
    name, version, licence, tiers = package
    where = ", ".join(tiers)
    return f"{name} {version}: {licence} may not be in {where}. Find another package."


def not_as_listed(name: str, version: str) -> str:
    return (
        f"{name} {version}: what is locked is not as the list of licences has it. Run `python -m ops licences --write`."
    )


def says_otherwise(package: Row) -> str:
    name, version, licence, _ = package
    return (
        f"{name} {version}: says something else of itself than {licence}, which the list has. "
        "Run `python -m ops licences --write`."
    )


def read_for_nothing(name: str) -> str:
    return f"{name}: its entry in ops/requirements/licences.toml is not needed. Remove it."


def licences_fine(packages: int) -> str:
    return f"The licences of {packages} packages are known and allowed where they are: ops/docs/licences.md."


def licence_page(used: Sequence[Row], tools: Sequence[Row]) -> str:
    """The list as a page: what is used where the bot runs, and what only builds, checks and tests."""
    rows = ["## Where the bot runs", "", *_table(used), "", "## Tools: building, checks, tests", "", *_table(tools), ""]
    return "\n".join([_LICENCE_RULES, *rows])


_LICENCE_RULES = """\
# Licences

Written by `python -m ops licences --write` from what is locked; `ops/check` holds it against the lock files, the
packages and the rules. adpolicy itself is under Apache-2.0.

Rules: no GPL and no AGPL where the bot runs, and nowhere a licence that nobody knows. LGPL is allowed: such a package
is installed unchanged, for itself, and whoever runs the bot can exchange it. So is GPL with GCC's exception (run-time
libraries of the compiler, inside wheels). NVIDIA's own licence comes with torch on Linux, which is installed only where
somebody wants other embedding models. Tools that build, check and test may be GPL: they are run, never imported by the
bot or passed on.

What a wheel brings inside is judged by the licence that the package names, not file by file. The image also holds
Debian's packages: those of the base image, git (GPL-2.0-only; a program that is run) and libgomp1 (GPL-3.0-or-later
WITH GCC-exception-3.1); their licences are in `/usr/share/doc/*/copyright`.
"""


def _table(packages: Sequence[Row]) -> list[str]:
    rows = [f"| {name} | {version} | {licence} | {', '.join(tiers)} |" for name, version, licence, tiers in packages]
    return ["| package | version | licence | tiers |", "|---|---|---|---|", *rows]


def vulnerability(package: str, version: str, known: Mapping[str, Any]) -> str:
    """What, where, and what mends it; `known` as pip-audit has it."""
    versions = ", ".join(known["fix_versions"])
    names = " ".join([known["id"], *(f"({each})" for each in known["aliases"])])
    return f"{package} {version}: {names}, {f'mended in {versions}' if versions else 'not mended in any version'}."


def none_known(packages: int) -> str:
    return f"{packages} locked packages: no known vulnerability that is not accepted."
