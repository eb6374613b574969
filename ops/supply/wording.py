"""What `python -m ops lock|licences|sbom|vulnerabilities` say."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ops.supply.agreement import Disagreement
from ops.supply.tiers import tier_named

if TYPE_CHECKING:
    from ops.supply.licences import Licensed, Objection
    from ops.supply.vulnerabilities import Known, Looked

_LOCK = "Run `python -m ops lock`."
_LIST = "Run `python -m ops licences --write`."


def help_texts() -> dict[str, str]:
    """Help, by command and option."""
    return {
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


def disagreement(found: Disagreement) -> str:
    """One line that says what to do."""
    return f"{found.path}: {_DISAGREEMENTS[found.problem](found.what)}"


_DISAGREEMENTS: dict[str, Callable[[str], str]] = {
    "no tier": lambda _: "no tier has this file. Name it in ops/supply/tiers.py, or remove it.",
    "missing": lambda _: f"is missing. {_LOCK}",
    "no version": lambda what: f"{what!r} fixes no version. Write NAME==VERSION.",
    "other sources": lambda _: f"was written for other requirements than there are now. {_LOCK}",
    "no hash": lambda what: f"{what} has no hash. {_LOCK}",
    "other version": lambda what: f"has {what}, constraints.txt has not. {_LOCK}",
    "not locked": lambda what: f"{what} is asked for and not locked. {_LOCK}",
}


def locks_agree(packages: int) -> str:
    return f"{packages} packages are locked, as the requirement files ask for."


def locks_written(packages: int) -> str:
    return f"{packages} packages are locked. Look at the differences, then run `python -m ops licences --write`."


def objection(found: "Objection") -> str:
    """One line that says what to do."""
    package = found.package
    return f"{package.name} {package.version}: {_OBJECTIONS[found.problem](package)}"


_OBJECTIONS: dict[str, Callable[["Licensed"], str]] = {
    "unknown": lambda p: (
        f"its licence is not known ({p.licence or 'it names none'}). Read it, and name it in "
        "ops/requirements/licences.toml."
    ),
    "not allowed": lambda p: f"{p.licence} may not be in {', '.join(p.tiers)}. Find another package.",
    "not listed": lambda _: f"is locked, and not as the list of licences has it. {_LIST}",
    "not locked": lambda _: f"is in the list of licences, and not locked. {_LIST}",
    "says otherwise": lambda p: f"says something else of itself than {p.licence}, which the list has. {_LIST}",
    "read for nothing": lambda _: "its entry in ops/requirements/licences.toml is not needed. Remove it.",
}


def licence_page(packages: "Sequence[Licensed]") -> str:
    """The list as a page."""
    runs = [each for each in packages if any(tier_named(name).runs for name in each.tiers)]
    tools = [each for each in packages if each not in runs]
    rows = ["## Where the bot runs", "", *_table(runs), "", "## Tools: building, checks, tests", "", *_table(tools), ""]
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


def _table(packages: "Sequence[Licensed]") -> list[str]:
    rows = [f"| {each.name} | {each.version} | {each.licence} | {', '.join(each.tiers)} |" for each in packages]
    return ["| package | version | licence | tiers |", "|---|---|---|---|", *rows]


def licences_fine(packages: int) -> str:
    return f"The licences of {packages} packages are known and allowed where they are: ops/docs/licences.md."


def looked_up(looked: "Looked") -> str:
    """How it ended, in one line."""
    if looked.open:
        return f"FAIL  {len(looked.open)} known vulnerabilities in {looked.packages} locked packages."
    if looked.skipped:
        return f"FAIL  {len(looked.skipped)} of {looked.packages} locked packages could not be looked up."
    passed = f", {len(looked.accepted)} accepted for now" if looked.accepted else ""
    return f"ok    {looked.packages} locked packages: no known vulnerability{passed}."


def vulnerability(known: "Known") -> str:
    """What, where, and what mends it."""
    mended = f"mended in {', '.join(known.mended_in)}" if known.mended_in else "not mended in any version"
    names = f"{known.id} ({', '.join(known.aliases)})" if known.aliases else known.id
    return f"{known.package} {known.version}: {names}, {mended}."


def accepted(known: "Known", reason: str, until: str) -> str:
    return f"{known.package} {known.version}: {known.id} is accepted until {until}: {reason}"


def skipped(package: str, reason: str) -> str:
    return f"{package}: could not be looked up: {reason}"


def acceptance_over(identifier: str, until: str) -> str:
    return (
        f"{identifier}: was accepted until {until}. Upgrade, or decide again in ops/requirements/vulnerabilities.toml."
    )


def accepted_for_nothing(identifier: str) -> str:
    return f"{identifier}: is in ops/requirements/vulnerabilities.toml, and no locked package has it. Remove it there."
