"""The commands that need the store."""

import argparse
import sys
from pathlib import Path
from typing import TextIO

from ingest import wording
from ingest.cli.changes import changes_command
from ingest.cli.parts import CommandParts
from ingest.cli.reading import read_command
from ingest.cli.removal import remove_command
from ingest.cli.review import held_command, release_command
from rag_core.errors import Misconfigured, Rejected


async def run_command(args: argparse.Namespace, parts: CommandParts, catalogue: Path, out: TextIO | None = None) -> int:
    """One command; `catalogue` is the one that the settings name. Raises Unavailable and errors of the adapters."""
    out = out or sys.stdout
    try:
        match args.command:
            case "changes":
                return await changes_command(args, parts.changes, out)
            case "remove":
                return await remove_command(args, parts, catalogue, out)
            case "held":
                return await held_command(parts, out)
            case "release":
                return await release_command(args, parts, out)
        return await read_command(args, parts, catalogue, out)
    except (Rejected, Misconfigured) as error:
        if not wording.knows(error.code):
            raise
        print(wording.refused(error.code, error.details), file=sys.stderr)
        return 2
