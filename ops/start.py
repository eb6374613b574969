"""`python -m ops.start`: what `ops/run` does once everything is installed. Documents the first time, then the bot."""

import argparse
import sys
from collections.abc import Sequence

from bot import cli
from ops import wording
from ops.config import Config
from ops.wiring import guarded, has_documents, ingest_catalogue, run_command


def start(arguments: Sequence[str]) -> int:
    """`python -m bot ARGUMENTS` (default: serve) on a store that has documents; the same exit codes."""
    args = cli.parse(arguments or ["serve"])
    return guarded(lambda config: _start(args, config))


async def _start(args: argparse.Namespace, config: Config) -> int:
    if not await has_documents(config):
        print(wording.first_ingest(), file=sys.stderr, flush=True)
        if not await ingest_catalogue(config):
            return 2
    return await run_command(args, config)


if __name__ == "__main__":
    sys.exit(start(sys.argv[1:]))
