"""Known vulnerabilities of what is locked: which are open, which are accepted for now, and which could not be told."""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from ops.supply.tiers import REQUIREMENTS

ACCEPTED = REQUIREMENTS / "vulnerabilities.toml"


@dataclass(frozen=True, slots=True)
class Known:
    """A vulnerability of a package in the version that is locked."""

    package: str
    version: str
    id: str
    aliases: tuple[str, ...] = ()
    mended_in: tuple[str, ...] = ()

    @property
    def names(self) -> frozenset[str]:
        return frozenset({self.id, *self.aliases})


@dataclass(frozen=True, slots=True)
class Accepted:
    """A vulnerability that somebody looked at and decided to live with, through the day `until`."""

    id: str
    reason: str
    until: date


@dataclass(frozen=True, slots=True)
class Looked:
    """What came of asking. `over`: accepted, but not any more; they are among `open`. `unmet`: no package has them."""

    packages: int
    open: tuple[Known, ...] = ()
    accepted: tuple[tuple[Known, Accepted], ...] = ()
    skipped: tuple[tuple[str, str], ...] = ()
    over: tuple[Accepted, ...] = ()
    unmet: tuple[Accepted, ...] = ()

    @property
    def fine(self) -> bool:
        return not (self.open or self.skipped or self.unmet)


def accepted_ones(root: Path) -> tuple[Accepted, ...]:
    """What is accepted; KeyError for an entry without a reason, TypeError for one whose end is no day."""
    entries = tomllib.loads((root / ACCEPTED).read_text(encoding="utf-8"))
    return tuple(_accepted(name, entry) for name, entry in entries.items())


def looked(reports: Sequence[Mapping[str, Any]], accepted: Sequence[Accepted], today: date) -> Looked:
    """`reports` as pip-audit prints them; one package may be in several."""
    found = list(dict.fromkeys(known for report in reports for known in _known(report)))
    standing = [each for each in accepted if today <= each.until]
    met = [(known, each) for known in found for each in standing if each.id in known.names]
    passed = {known for known, _ in met}
    names = frozenset(name for known in found for name in known.names)
    dependencies = [each for report in reports for each in report["dependencies"]]
    return Looked(
        packages=len({(each["name"], each.get("version")) for each in dependencies}),
        open=tuple(each for each in found if each not in passed),
        accepted=tuple(met),
        skipped=tuple((each["name"], each["skip_reason"]) for each in dependencies if "skip_reason" in each),
        over=tuple(each for each in accepted if each not in standing and each.id in names),
        unmet=tuple(each for each in accepted if each.id not in names),
    )


def _accepted(name: str, entry: Mapping[str, Any]) -> Accepted:
    until = entry["until"]
    if not isinstance(until, date):
        raise TypeError(name)
    return Accepted(name, entry["reason"], until)


def _known(report: Mapping[str, Any]) -> Iterator[Known]:
    for package in report["dependencies"]:
        for each in package.get("vulns", ()):
            yield Known(
                package["name"], package["version"], each["id"], tuple(each["aliases"]), tuple(each["fix_versions"])
            )
