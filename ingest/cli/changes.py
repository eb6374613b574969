"""`changes`: what policies say differently since."""

import argparse
import sys
from typing import TextIO

from ingest.change_report import change_report
from rag_core.changes import ChangesWanted
from rag_core.ports import ChangeReader


async def changes_command(args: argparse.Namespace, feed: ChangeReader, out: TextIO | None = None) -> int:
    """Always 0; that there are none is said. Raises Unavailable."""
    slugs = frozenset(each.strip().lower() for each in args.source)
    groups = frozenset(each.strip().lower() for each in args.group)
    found = await feed.changes(ChangesWanted(args.since, args.until, policy_sources=slugs), groups)
    print(change_report(found, args.format), file=out or sys.stdout)
    return 0
