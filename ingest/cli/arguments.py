"""The command line of `python -m ingest`."""

import argparse
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import get_args

from ingest import wording, wording_running
from ingest.change_report import FORMATS
from ingest.chunkers.factory import ChunkerKind
from ingest.rules import wording as wording_rules
from rag_core.rules.reader import Effect

REPORT_FORMATS = ("text", "json")


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """The command line; ends the process with 2 for wrong arguments."""
    texts = wording.help_texts() | wording_running.help_texts() | wording_rules.help_texts()
    parser = argparse.ArgumentParser(prog="python -m ingest", description=texts["ingest"])
    commands = parser.add_subparsers(dest="command", required=True)
    adders = {
        "run": _add_read,
        "plan": _add_read,
        "watch": _add_watch,
        "changes": _add_changes,
        "preview": _add_preview,
        "remove": _add_remove,
        "held": _add_nothing,
        "release": _add_release,
        "rules": _add_rules,
    }
    for name, add in adders.items():
        add(commands.add_parser(name, help=texts[name].partition(". ")[0].rstrip("."), description=texts[name]), texts)
    args = parser.parse_args(argv)
    if args.command in ("run", "plan"):
        _check_run(parser, args)
    elif args.command == "changes" and args.since and args.until and args.until < args.since:
        parser.error(wording.DAYS_REVERSED)
    elif args.command == "remove":
        _check_remove(parser, args)
    elif args.command == "rules":
        _check_rules(parser, args)
    return args


Texts = dict[str, str]


def _add_read(command: argparse.ArgumentParser, texts: Texts) -> None:
    command.add_argument("folders", nargs="*", type=Path, metavar="FOLDER", help=texts["folder"])
    command.add_argument("--policy-source", help=texts["policy_source"])
    command.add_argument("--display-name", help=texts["display_name"])
    command.add_argument("--catalogue", type=Path, help=texts["catalogue"])
    command.add_argument("--force", action="append", default=[], metavar="DOCUMENT_ID", help=texts["force"])
    command.add_argument("--quiet", action="store_true", help=texts["quiet"])
    _add_format(command, texts["report_format"])


def _add_watch(command: argparse.ArgumentParser, texts: Texts) -> None:
    command.add_argument("--catalogue", type=Path, help=texts["catalogue"])


def _add_changes(command: argparse.ArgumentParser, texts: Texts) -> None:
    command.add_argument("--since", type=_day, metavar="DAY", help=texts["since"])
    command.add_argument("--until", type=_day, metavar="DAY", help=texts["until"])
    command.add_argument("--source", action="append", default=[], metavar="SLUG", help=texts["source"])
    command.add_argument("--group", action="append", default=[], metavar="GROUP", help=texts["group"])
    command.add_argument("--format", choices=FORMATS, default=FORMATS[0], help=texts["format"])


def _add_preview(command: argparse.ArgumentParser, texts: Texts) -> None:
    command.add_argument("file", type=Path, metavar="FILE", help=texts["file"])
    command.add_argument("--chunker", choices=get_args(ChunkerKind), help=texts["chunker"])
    command.add_argument("--region", type=str.lower, help=texts["region"])
    command.add_argument("--catalogue", type=Path, help=texts["catalogue"])
    _add_format(command, texts["preview_format"])


def _add_remove(command: argparse.ArgumentParser, texts: Texts) -> None:
    command.add_argument("target", nargs="?", metavar="SOURCE|DOCUMENT", help=texts["target"])
    command.add_argument("--document", metavar="DOCUMENT_ID", help=texts["remove_document"])
    command.add_argument("--source", metavar="SOURCE_ID", help=texts["remove_source"])
    command.add_argument("--reason", help=texts["reason"])
    command.add_argument("--all-days", action="store_true", help=texts["all_days"])
    command.add_argument("--yes", action="store_true", help=texts["yes"])
    command.add_argument("--undo", type=int, metavar="ID", help=texts["undo"])
    command.add_argument("--list", action="store_true", help=texts["list"])


def _add_nothing(command: argparse.ArgumentParser, texts: Texts) -> None:
    """No arguments."""


def _add_release(command: argparse.ArgumentParser, texts: Texts) -> None:
    command.add_argument("doc_id", metavar="DOC_ID", help=texts["doc_id"])


def _add_rules(command: argparse.ArgumentParser, texts: Texts) -> None:
    command.add_argument("document", metavar="DOCUMENT", help=texts["rules_document"])
    command.add_argument("--all", action="store_true", help=texts["rules_all"])
    command.add_argument("--correct", metavar="ID", help=texts["correct"])
    command.add_argument("--effect", choices=[each.value for each in Effect], help=texts["effect"])
    command.add_argument("--note", help=texts["note"])
    command.add_argument("--withdraw", metavar="ID", help=texts["withdraw"])
    _add_format(command, texts["rules_format"])


def _add_format(command: argparse.ArgumentParser, text: str) -> None:
    command.add_argument("--format", choices=REPORT_FORMATS, default=REPORT_FORMATS[0], help=text)


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as exc:
        raise argparse.ArgumentTypeError(wording.bad_day(text)) from exc


def _check_run(parser: argparse.ArgumentParser, args: argparse.Namespace) -> None:
    if args.folders and args.catalogue:
        parser.error(wording.CATALOGUE_OR_FOLDER)
    for option, value in (("--policy-source", args.policy_source), ("--display-name", args.display_name)):
        if value and not args.folders:
            parser.error(wording.only_with_folder(option))


def _check_remove(parser: argparse.ArgumentParser, args: argparse.Namespace) -> None:
    named = [args.target, args.document, args.source]
    if sum(each is not None for each in [*named, args.undo]) + args.list != 1:
        parser.error(wording_running.REMOVE_WHAT)
    given = (("--reason", args.reason), ("--all-days", args.all_days), ("--yes", args.yes))
    if not any(named) and (useless := next((option for option, value in given if value), None)):
        parser.error(wording_running.only_when_removing(useless))


def _check_rules(parser: argparse.ArgumentParser, args: argparse.Namespace) -> None:
    if sum(bool(each) for each in (args.correct, args.withdraw, args.all)) > 1:
        parser.error(wording_rules.ONE_CHANGE)
    if args.correct and not args.effect:
        parser.error(wording_rules.EFFECT_MISSING)
    given = (("--effect", args.effect), ("--note", args.note))
    if not args.correct and (useless := next((option for option, value in given if value), None)):
        parser.error(wording_rules.only_with_correct(useless))
