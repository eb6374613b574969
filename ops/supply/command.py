"""`python -m ops lock|licences|sbom|vulnerabilities`: for a tree whose rest lacks a package, too."""

import argparse
import os
import subprocess
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ops.supply import wording
from ops.wording.general import explain
from rag_core.errors import PolicyBotError, Unavailable

COMMANDS = frozenset({"lock", "licences", "sbom", "vulnerabilities"})
_ROOT = Path(__file__).resolve().parents[2]


def add_arguments(commands: Any) -> None:
    """`commands`: the subparsers of `python -m ops`."""
    texts = wording.HELP
    added: dict[str, argparse.ArgumentParser] = {
        name: commands.add_parser(name, help=texts[name], description=texts[name]) for name in sorted(COMMANDS)
    }
    either = added["lock"].add_mutually_exclusive_group()
    either.add_argument("--check", action="store_true", help=texts["lock_check"])
    either.add_argument("--upgrade", action="store_true", help=texts["upgrade"])
    either = added["licences"].add_mutually_exclusive_group()
    either.add_argument("--check", action="store_true", help=texts["licences_check"])
    either.add_argument("--write", action="store_true", help=texts["write"])
    added["sbom"].add_argument("--output", type=Path, help=texts["output"])
    added["sbom"].add_argument("--tier", action="append", metavar="TIER", help=texts["tier"])
    added["sbom"].add_argument("--release", help=texts["release"])
    added["vulnerabilities"].add_argument("--osv-url", help=texts["osv_url"])


def main(argv: Sequence[str]) -> int:
    """As `python -m ops` has them; the first of `argv` is one of COMMANDS."""
    parser = argparse.ArgumentParser(prog="python -m ops")
    add_arguments(parser.add_subparsers(dest="command", required=True))
    return run(parser.parse_args(argv))


def run(args: argparse.Namespace) -> int:
    """0; 1 where something is not as it has to be; 2 for somebody to act on; 3 to try again."""
    try:
        return _run(args, _ROOT)
    except ModuleNotFoundError as exc:  # libraries that only developers have
        print(wording.tools_missing(str(exc.name)), file=sys.stderr)
        return 2
    except PolicyBotError as exc:
        print(explain(exc), file=sys.stderr)
        return 3 if isinstance(exc, Unavailable) else 2


def _run(args: argparse.Namespace, root: Path) -> int:
    from ops.supply import inventory, licences, locks  # noqa: PLC0415

    if args.command == "sbom":
        given = os.environ.get("SOURCE_DATE_EPOCH", "")
        made_at = datetime.fromtimestamp(int(given), UTC) if given else datetime.now(UTC).replace(microsecond=0)
        text = inventory.bom_text(root, args.tier or locks.IMAGE, args.release or _commit(root), made_at)
        if args.output is None:
            print(text, end="")
        else:
            args.output.write_text(text, encoding="utf-8")
        return 0
    found: list[str] = []
    if args.command == "lock" and args.check:
        found, fine = locks.differences(root), wording.locks_agree
    elif args.command == "lock":
        locks.lock(root, upgrade=args.upgrade)
        fine = wording.locks_written
    elif args.command == "licences":
        found, fine = licences.write(root) if args.write else licences.check(root), wording.licences_fine
    else:
        found, fine = inventory.vulnerabilities(root, datetime.now(UTC).date(), args.osv_url), wording.none_known
    for each in found:
        print(each, file=sys.stderr)
    if not found:
        print(fine(len(locks.locked_packages(root))))
    return 1 if found else 0


def _commit(root: Path) -> str:
    """The commit that is checked out; "unreleased" where there is no history."""
    asked = ["git", "rev-parse", "--short=12", "HEAD"]
    said = subprocess.run(asked, cwd=root, capture_output=True, encoding="utf-8", check=False)
    return said.stdout.strip() or "unreleased"
