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
# pip-audit may look all up by itself, one after the other; so many at once spare a minute and burden nobody.
_AT_ONCE = 4


async def vulnerabilities(root: Path, today: date, osv_url: str | None) -> int:
    """0 where nothing is known, 1 else; Unavailable("advisories_unreachable") where it could not be asked."""
    try:
        accepted = accepted_ones(root)
    except (KeyError, TypeError, ValueError) as exc:
        raise Misconfigured("vulnerabilities_unreadable", reason=str(exc)) from exc
    versions = [Pin(name, version) for name, version in locked_packages(root)]
    with tempfile.TemporaryDirectory() as folder:
        parts = [part for number in range(_AT_ONCE) if (part := _one_version_each(versions)[number::_AT_ONCE])]
        again = [each for each in versions if each not in _one_version_each(versions)]
        asked = [
            _ask(Path(folder) / f"{number}.txt", part, osv_url) for number, part in enumerate([*parts, again]) if part
        ]
        reports = await asyncio.gather(*asked)
    result = looked(reports, accepted, today)
    _say(result)
    return 0 if result.fine else 1


def _one_version_each(versions: Sequence[Pin]) -> list[Pin]:
    """pip-audit takes a package once: those with another version for another Python are asked about apart."""
    return list({each.name: each for each in versions}.values())


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
