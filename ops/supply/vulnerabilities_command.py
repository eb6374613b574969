"""`python -m ops vulnerabilities`: pip-audit, asked about what is locked."""

import asyncio
import json
import sys
import tempfile
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

from ops.supply import wording
from ops.supply.licences import locked_packages
from ops.supply.locks import Pin
from ops.supply.running import run
from ops.supply.vulnerabilities import Looked, accepted_ones, looked
from rag_core.errors import Misconfigured, Unavailable

_SECONDS_A_QUESTION = 15
# pip-audit looks one up after the other; some of it at once spare a minute and burden nobody.
_A_PROGRAM = 60


async def vulnerabilities(root: Path, today: date, osv_url: str | None) -> int:
    """0 where nothing is known, 1 else; Unavailable("advisories_unreachable") where it could not be asked."""
    try:
        accepted = accepted_ones(root)
    except (KeyError, TypeError, ValueError) as exc:
        raise Misconfigured("vulnerabilities_unreadable", reason=str(exc)) from exc
    versions = [Pin(name, version) for name, version in locked_packages(root)]
    with tempfile.TemporaryDirectory() as folder:
        parts = [_ask(Path(folder) / f"{number}.txt", part, osv_url) for number, part in enumerate(_parts(versions))]
        ended = await asyncio.gather(*parts, return_exceptions=True)
    reports = [_report(each) for each in ended]
    result = looked(reports, accepted, today)
    _say(result)
    return 0 if result.fine else 1


def _parts(versions: Sequence[Pin]) -> list[list[Pin]]:
    """pip-audit takes a package once: those with another version for another Python are asked about apart."""
    first = list({each.name: each for each in versions}.values())
    again = [each for each in versions if each not in first]
    parts = [first[start : start + _A_PROGRAM] for start in range(0, len(first), _A_PROGRAM)]
    return [part for part in (*parts, again) if part]


def _report(ended: dict[str, Any] | BaseException) -> dict[str, Any]:
    if isinstance(ended, BaseException):
        raise ended
    return ended


async def _ask(path: Path, versions: Sequence[Pin], osv_url: str | None) -> dict[str, Any]:
    _write(path, versions)
    where = [] if osv_url is None else ["--osv-url", osv_url]
    options = ["--no-deps", "--disable-pip", "--vulnerability-service", "osv", "--format", "json", "--aliases", "on"]
    options += ["--progress-spinner", "off", "--timeout", str(_SECONDS_A_QUESTION), "--requirement", str(path)]
    ended = await run(path.parent, sys.executable, "-m", "pip_audit", *options, *where)
    try:
        report: dict[str, Any] = json.loads(ended.printed)
    except ValueError as exc:
        raise Unavailable("advisories_unreachable", reason=" ".join(ended.errors.splitlines()[-1:])) from exc
    if len(report["dependencies"]) != len(versions):
        raise Unavailable("advisories_unreachable", reason="not every package was looked up")
    return report


def _write(path: Path, versions: Sequence[Pin]) -> None:
    path.write_text("\n".join(each.line for each in versions), encoding="utf-8")


def _say(result: Looked) -> None:
    for known in result.open:
        print(wording.vulnerability(known))
    for known, each in result.accepted:
        print(wording.accepted(known, each.reason, each.until.isoformat()))
    for package, reason in result.skipped:
        print(wording.skipped(package, reason))
    for each in result.over:
        print(wording.acceptance_over(each.id, each.until.isoformat()))
    for each in result.unmet:
        print(wording.accepted_for_nothing(each.id))
    print(wording.looked_up(result))
