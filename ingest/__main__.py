"""`python -m ingest run|plan|watch|changes|preview|remove|held|release|rules`."""

import sys
from collections.abc import Sequence

from ingest import cli
from ops.wiring import Config, guarded, on_record, open_ingest, open_preview


def main(argv: Sequence[str]) -> int:
    """The exit codes of `ingest.cli`, and 3 for "try again"."""
    args = cli.parse(argv)

    async def run(config: Config) -> int:
        match args.command:
            case "watch":
                return await cli.watch_command(args, lambda: open_ingest(config), config.catalogue)
            case "preview":
                async with open_preview(config) as (embedder, parsing, rules):
                    return await cli.preview_command(args, embedder, parsing, config.catalogue, rule_reader=rules)
        return await on_record(args, config, lambda: command(config))

    async def command(config: Config) -> int:
        async with open_ingest(config) as parts:
            return await cli.run_command(args, parts, config.catalogue)

    return guarded(run)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
