"""`run` and `plan`: read what the sources have, or say what reading it would do."""

import argparse
import sys
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import TextIO

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from ingest import wording
from ingest.catalogue import SourceTools, open_sources, read_catalogue
from ingest.cli.showing import exit_code, remarks, report_json
from ingest.model.operators import utc_now
from ingest.model.report import IngestReport, no_progress
from ingest.model.report import Progress as ProgressPort
from ingest.parts import IngestParts
from ingest.ports import Source, SourceRun
from ingest.run.pipeline import ingest
from ingest.sources.folder import sources_in

_WHAT_WIDTH = 44


async def read_command(args: argparse.Namespace, parts: IngestParts, catalogue: Path, out: TextIO) -> int:
    """`run` or `plan`. Raises Rejected and Misconfigured for sources that cannot be opened, and Unavailable."""
    sources = _sources(args, catalogue, parts.tools)
    dry_run = args.command == "plan"
    report = await _ingest(sources, parts, frozenset(args.force), quiet=args.quiet, dry_run=dry_run)
    if args.format == "json":
        print(report_json(report, args.command), file=out)
        return exit_code(report)
    _say_remarks(report)
    print(wording.forecast(report) if dry_run else wording.summary(report), file=out)
    _say_index(report)
    return exit_code(report)


async def ingest_catalogue(path: Path, parts: IngestParts) -> IngestReport:
    """Everything the catalogue at `path` names, with progress and summary on standard error.

    Raises Misconfigured for a catalogue that cannot be used.
    """
    sources = open_sources(read_catalogue(path), path, parts.tools)
    report = await _ingest(sources, parts, frozenset(), quiet=False, dry_run=False)
    _say_remarks(report)
    print(wording.summary(report), file=sys.stderr)
    _say_index(report)
    return report


def _sources(args: argparse.Namespace, catalogue: Path, tools: SourceTools | None) -> list[Source]:
    if args.folders:
        return [
            source for folder in args.folders for source in sources_in(folder, args.policy_source, args.display_name)
        ]
    path = args.catalogue or catalogue
    return open_sources(read_catalogue(path), path, tools)


async def _ingest(
    sources: Sequence[Source], parts: IngestParts, forced: frozenset[str], *, quiet: bool, dry_run: bool
) -> IngestReport:
    begun = utc_now()
    if quiet:
        report = await ingest(sources, parts, utc_now, no_progress, dry_run=dry_run, forced=forced)
    else:
        with _bar() as bar:
            report = await ingest(sources, parts, utc_now, _shown_on(bar), dry_run=dry_run, forced=forced)
    if not dry_run:
        await _remember(sources, report, parts, begun)
    return report


async def _remember(sources: Sequence[Source], report: IngestReport, parts: IngestParts, begun: datetime) -> None:
    """A look is a look, whoever made it: what was read by hand is not due in `watch` a minute later."""
    failed = {each.source_id for each in report.failed if not each.origin}
    for source in sources:
        if source.source_id not in failed:
            await parts.runs.keep(SourceRun(source.source_id, begun, utc_now()))


def _say_remarks(report: IngestReport) -> None:
    for line in remarks(report):
        print(line, file=sys.stderr)


def _say_index(report: IngestReport) -> None:
    if report.not_indexed is not None:
        print(wording.not_indexed(report.not_indexed.code), file=sys.stderr)


def _bar() -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        console=Console(stderr=True),
        transient=True,
    )


def _shown_on(bar: Progress) -> ProgressPort:
    task = bar.add_task("", total=None)

    def show(done: int, total: int, what: str) -> None:
        bar.update(task, completed=done, total=total, description=wording.step(what)[:_WHAT_WIDTH])

    return show
