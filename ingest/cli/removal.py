"""`remove`: what it will do, a question, and what it did."""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TextIO

from ingest import wording_running as wording
from ingest.catalogue import read_catalogue
from ingest.model.operators import Confirmation, operator, refused, utc_now
from ingest.parts import IngestParts
from ingest.ports import Removal, RemovalKind
from ingest.run.pipeline import ingest
from ingest.run.removal import Removable, find, remove, undo
from rag_core.errors import Misconfigured


async def remove_command(
    args: argparse.Namespace,
    parts: IngestParts,
    catalogue: Path,
    out: TextIO,
    answers: TextIO | None = None,
    whoami: Callable[[], str] = operator,
) -> int:
    """0; 1 when the answer was no; 2 when there is nobody to ask. `answers`: where the answer is typed (None: standard
    input). Raises Rejected and Unavailable."""
    if args.list:
        return await _list(parts, out)
    if args.undo is not None:
        print(wording.undone(await undo(args.undo, whoami(), utc_now(), parts)), file=out)
        return 0
    found = await _found(args, parts, catalogue)
    print(wording.will_remove(found, all_days=args.all_days), file=out)
    if not args.yes and (code := refused(answers or sys.stdin, _said())) is not None:
        return code
    removal = Removal(found.kind, found.target, whoami(), utc_now(), args.reason or "", args.all_days)
    number = await remove(found, removal, parts)
    report = await ingest((), parts, utc_now)  # the index learns of it
    print(wording.removed(found.target, number), file=out)
    if report.not_indexed is not None:
        print(wording.WAITS_FOR_INDEX, file=sys.stderr)
        return 3
    return 0


async def _list(parts: IngestParts, out: TextIO) -> int:
    in_force = [each for each in await parts.removals.all() if each.undone_at is None]
    for each in in_force:
        print(wording.listed(each), file=out)
    if not in_force:
        print(wording.NONE_REMOVED, file=out)
    return 0


async def _found(args: argparse.Namespace, parts: IngestParts, catalogue: Path) -> Removable:
    if args.document is not None:
        return await find(args.document, parts, RemovalKind.DOCUMENT)
    declared = _declared(catalogue)
    if args.source is not None:
        return await find(args.source, parts, RemovalKind.SOURCE, declared)
    return await find(args.target, parts, declared=declared)


def _declared(catalogue: Path) -> list[str]:
    """Sources that nobody has read yet may be removed too; without a usable catalogue there are none."""
    try:
        return [entry.id for entry in read_catalogue(catalogue).sources]
    except Misconfigured:
        return []


def _said() -> Confirmation:
    return Confirmation(wording.ASK_YES, wording.NEEDS_YES, wording.NOT_REMOVED)
