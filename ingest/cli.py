"""`python -m ingest`: its arguments, what it prints, its exit codes.

0: done. 1: some documents could not be read, the others were. 2: the operator must act first, or wrong arguments.
3: stored, but the index has not learned of it yet.
"""

import argparse
import sys
from collections.abc import Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Protocol, TextIO

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from ingest import wording
from ingest.catalogue import SourceTools, open_sources, read_catalogue
from ingest.change_report import FORMATS, ChangeFeed, change_report
from ingest.pipeline import Parts, ingest
from ingest.ports import Source
from ingest.preview import preview
from ingest.report import IngestReport, no_progress
from ingest.report import Progress as ProgressPort
from ingest.sources.folder import sources_in
from rag_core.changes import ChangesWanted
from rag_core.errors import Misconfigured, Rejected

_WHAT_WIDTH = 44


class CommandParts(Parts, Protocol):
    """What the commands need: `tools` for sources on the network."""

    @property
    def tools(self) -> SourceTools | None: ...


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """The command line; ends the process with 2 for wrong arguments."""
    texts = wording.help_texts()
    parser = argparse.ArgumentParser(prog="python -m ingest", description=texts["ingest"])
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("run", "plan"):
        command = commands.add_parser(name, help=texts[name], description=texts[name])
        command.add_argument("folders", nargs="*", type=Path, metavar="FOLDER", help=texts["folder"])
        command.add_argument("--policy-source", help=texts["policy_source"])
        command.add_argument("--display-name", help=texts["display_name"])
        command.add_argument("--catalogue", type=Path, help=texts["catalogue"])
        command.add_argument("--quiet", action="store_true", help=texts["quiet"])
    show = commands.add_parser("preview", help=texts["preview"], description=texts["preview"])
    show.add_argument("file", type=Path, metavar="FILE", help=texts["file"])
    _add_changes(commands.add_parser("changes", help=texts["changes"], description=texts["changes"]))
    args = parser.parse_args(argv)
    if args.command in ("run", "plan"):
        _check(parser, args)
    elif args.command == "changes" and args.since and args.until and args.until < args.since:
        parser.error(wording.days_reversed())
    return args


def _add_changes(command: argparse.ArgumentParser) -> None:
    texts = wording.help_texts()
    command.add_argument("--since", type=_day, metavar="DAY", help=texts["since"])
    command.add_argument("--until", type=_day, metavar="DAY", help=texts["until"])
    command.add_argument("--source", action="append", default=[], metavar="SLUG", help=texts["source"])
    command.add_argument("--group", action="append", default=[], metavar="GROUP", help=texts["group"])
    command.add_argument("--format", choices=FORMATS, default=FORMATS[0], help=texts["format"])


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as exc:
        raise argparse.ArgumentTypeError(wording.bad_day(text)) from exc


async def changes_command(args: argparse.Namespace, feed: ChangeFeed, out: TextIO | None = None) -> int:
    """`changes`: always 0; that there are none is said. Raises Unavailable."""
    slugs = frozenset(each.strip().lower() for each in args.source)
    groups = frozenset(each.strip().lower() for each in args.group)
    found = await feed.changes(ChangesWanted(args.since, args.until, policy_sources=slugs), groups)
    print(change_report(found, args.format), file=out or sys.stdout)
    return 0


def _check(parser: argparse.ArgumentParser, args: argparse.Namespace) -> None:
    if args.folders and args.catalogue:
        parser.error(wording.catalogue_or_folder())
    for option, value in (("--policy-source", args.policy_source), ("--display-name", args.display_name)):
        if value and not args.folders:
            parser.error(wording.only_with_folder(option))


async def run_command(args: argparse.Namespace, parts: CommandParts, catalogue: Path, out: TextIO | None = None) -> int:
    """One command; `catalogue` is the one that the settings name. Raises Unavailable and errors of the adapters."""
    out = out or sys.stdout
    try:
        if args.command == "preview":
            print(preview(args.file, parts.embedder.count_tokens, parts.embedder.max_tokens, _now()), file=out)
            return 0
        sources = _sources(args, catalogue, parts.tools)
    except (Rejected, Misconfigured) as error:
        if not wording.knows(error.code):
            raise
        print(wording.refused(error.code, error.details), file=sys.stderr)
        return 2
    dry_run = args.command == "plan"
    report = await _ingest(sources, parts, quiet=args.quiet, dry_run=dry_run)
    print(wording.forecast(report) if dry_run else wording.summary(report), file=out)
    if report.not_indexed is not None:
        print(wording.not_indexed(report.not_indexed.code), file=sys.stderr)
    return exit_code(report)


def _sources(args: argparse.Namespace, catalogue: Path, tools: SourceTools | None) -> list[Source]:
    if args.folders:
        return [
            source for folder in args.folders for source in sources_in(folder, args.policy_source, args.display_name)
        ]
    path = args.catalogue or catalogue
    return open_sources(read_catalogue(path), path, tools)


async def ingest_catalogue(path: Path, parts: CommandParts) -> IngestReport:
    """Everything the catalogue at `path` names, with progress and summary on standard error.

    Raises Misconfigured for a catalogue that cannot be used.
    """
    report = await _ingest(open_sources(read_catalogue(path), path, parts.tools), parts, quiet=False, dry_run=False)
    print(wording.summary(report), file=sys.stderr)
    if report.not_indexed is not None:
        print(wording.not_indexed(report.not_indexed.code), file=sys.stderr)
    return report


async def _ingest(sources: Sequence[Source], parts: Parts, *, quiet: bool, dry_run: bool) -> IngestReport:
    if quiet:
        report = await ingest(sources, parts, _now, no_progress, dry_run=dry_run)
    else:
        with _bar() as bar:
            report = await ingest(sources, parts, _now, _shown_on(bar), dry_run=dry_run)
    for failure in report.failed:
        print(wording.failed(failure), file=sys.stderr)
    return report


def exit_code(report: IngestReport) -> int:
    if any(failure.operator for failure in report.failed):
        return 2
    if report.failed:
        return 1
    return 3 if report.not_indexed is not None else 0


def _now() -> datetime:
    return datetime.now(UTC)


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
