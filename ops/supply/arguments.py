"""The arguments of `python -m ops lock|licences|sbom|vulnerabilities`."""

import argparse
from pathlib import Path
from typing import Any

from ops.supply.tiers import TIERS
from ops.supply.wording import help_texts

COMMANDS = frozenset({"lock", "licences", "sbom", "vulnerabilities"})


def add_arguments(commands: Any) -> None:
    """`commands`: the subparsers of `python -m ops`."""
    texts = help_texts()
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
    tiers = [each.name for each in TIERS]
    added["sbom"].add_argument("--tier", action="append", choices=tiers, metavar="TIER", help=texts["tier"])
    added["sbom"].add_argument("--release", help=texts["release"])
    added["vulnerabilities"].add_argument("--osv-url", help=texts["osv_url"])
