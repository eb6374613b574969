"""`python -m ops lock|licences|sbom|vulnerabilities`: who does what. None of them needs settings."""

import argparse
import asyncio
import os
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from ops.supply import wording
from ops.supply.agreement import disagreements
from ops.supply.licences import locked_packages
from ops.supply.licences_command import LIST, check, listed_packages, write
from ops.supply.locking import lock
from ops.supply.locks import Pin, read_lock
from ops.supply.running import run
from ops.supply.sbom import Inside, bom_text
from ops.supply.tiers import IMAGE, tier_named
from ops.supply.vulnerabilities_command import vulnerabilities
from ops.wording import explain
from rag_core.errors import PolicyBotError, Unavailable

_ROOT = Path(__file__).resolve().parents[2]


def supply(args: argparse.Namespace) -> int:
    """0, 1 where something is not as it has to be, 2 for somebody to act on, 3 for "try again"."""
    try:
        return asyncio.run(_run(args))
    except Unavailable as exc:
        print(explain(exc), file=sys.stderr)
        return 3
    except PolicyBotError as exc:
        print(explain(exc), file=sys.stderr)
        return 2


async def _run(args: argparse.Namespace) -> int:
    match args.command:
        case "lock":
            return _locked(_ROOT) if args.check else await _lock(_ROOT, upgrade=args.upgrade)
        case "licences":
            return await _licences(_ROOT, anew=args.write)
        case "sbom":
            return await _sbom(_ROOT, tuple(args.tier or IMAGE), args.release, args.output)
        case _:
            return await vulnerabilities(_ROOT, datetime.now(UTC).date(), args.osv_url)


async def _lock(root: Path, *, upgrade: bool) -> int:
    await lock(root, upgrade=upgrade)
    print(wording.locks_written(len(locked_packages(root))))
    return 0


def _locked(root: Path) -> int:
    found = list(disagreements(root))
    for each in found:
        print(wording.disagreement(each), file=sys.stderr)
    if not found:
        print(wording.locks_agree(len(locked_packages(root))))
    return 1 if found else 0


async def _licences(root: Path, *, anew: bool) -> int:
    code = await write(root) if anew else check(root)
    if code == 0:
        print(wording.licences_fine(len(locked_packages(root))))
    return code


async def _sbom(root: Path, tiers: tuple[str, ...], release: str | None, output: Path | None) -> int:
    listed = listed_packages((root / LIST).read_text(encoding="utf-8"))
    licences = {(each.name, each.version): each.licence for each in listed}
    held: dict[Pin, tuple[str, ...]] = {}
    for name in dict.fromkeys(tiers):
        for pin in read_lock(root, tier_named(name)):
            held[pin] = (*held.get(pin, ()), name)
    inside = [Inside(pin, where, licences.get((pin.name, pin.version), "")) for pin, where in held.items()]
    text = bom_text(inside, release or await _commit(root), _made_at(os.environ))
    _put(text, output)
    return 0


def _put(text: str, output: Path | None) -> None:
    if output is None:
        print(text, end="")
    else:
        output.write_text(text, encoding="utf-8")


def _made_at(environment: Mapping[str, str]) -> datetime:
    """As reproducible builds say it, else now."""
    given = environment.get("SOURCE_DATE_EPOCH", "")
    return datetime.fromtimestamp(int(given), UTC) if given else datetime.now(UTC).replace(microsecond=0)


async def _commit(root: Path) -> str:
    """The commit that is checked out; "unreleased" where there is no history."""
    said = await run(root, "git", "rev-parse", "--short=12", "HEAD")
    return said.printed.strip() or "unreleased"
