"""The commands that need the store."""

import argparse
import sys
from pathlib import Path
from typing import TextIO

from ingest import wording
from ingest.cli.changes import changes_command
from ingest.cli.reading import read_command
from ingest.cli.removal import remove_command
from ingest.cli.review import held_command, release_command
from ingest.cli.rules import rules_command
from ingest.parts import IngestParts
from rag_core.errors import Misconfigured, Rejected


async def run_command(args: argparse.Namespace, parts: IngestParts, catalogue: Path, out: TextIO | None = None) -> int:
    """One command; `catalogue` is the one that the settings name. Raises Unavailable and errors of the adapters."""
    out = out or sys.stdout
    try:
        return await _run(args, parts, catalogue, out)
    except (Rejected, Misconfigured) as error:
        if not wording.knows(error.code):
            raise
        print(wording.refused(error.code, error.details), file=sys.stderr)
        return 2


async def _run(args: argparse.Namespace, parts: IngestParts, catalogue: Path, out: TextIO) -> int:
    match args.command:
        case "changes":
            code = await changes_command(args, parts.changes, out)
        case "remove":
            code = await remove_command(args, parts, catalogue, out)
        case "held":
            code = await held_command(parts, out)
        case "release":
            code = await release_command(args, parts, out)
        case "rules":
            code = await rules_command(args, parts, out)
        case _:
            code = await read_command(args, parts, catalogue, out)
    return code
