"""The commands about packages, without the rest of the program: they mend a tree whose rest lacks a package."""

import argparse
import sys
from collections.abc import Sequence

from ops.supply.arguments import add_arguments
from ops.supply.wording import tools_missing


def main(argv: Sequence[str]) -> int:
    """As `python -m ops` has them; the first of `argv` is one of `arguments.COMMANDS`."""
    parser = argparse.ArgumentParser(prog="python -m ops")
    add_arguments(parser.add_subparsers(dest="command", required=True))
    return run(parser.parse_args(argv))


def run(args: argparse.Namespace) -> int:
    """2 where the libraries are missing that only developers have."""
    try:
        from ops.supply.command import supply  # noqa: PLC0415
    except ModuleNotFoundError as exc:
        print(tools_missing(str(exc.name)), file=sys.stderr)
        return 2
    return supply(args)
