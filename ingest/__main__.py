"""`python -m ingest run|plan|preview`."""

import sys
from collections.abc import Sequence

from ingest import cli
from ops.wiring import Config, guarded, open_ingest


def main(argv: Sequence[str]) -> int:
    """The exit codes of `ingest.cli`, and 3 for "try again"."""
    args = cli.parse(argv)

    async def run(config: Config) -> int:
        async with open_ingest(config) as parts:
            if args.command == "changes":
                return await cli.changes_command(args, parts.changes)
            return await cli.run_command(args, parts, config.catalogue)

    return guarded(run)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
