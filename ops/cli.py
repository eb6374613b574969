"""The command line of `python -m ops`."""

import argparse
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path

from adapters.local.signing import new_signing_key
from adapters.sql.database.vault import new_key
from bot.model_usage import UsageKey
from ops.audit.arguments import add_arguments as add_audit
from ops.bench import wording as bench_wording
from ops.commands.chat_arguments import add_slack, add_teams
from ops.commands.doctor import doctor, migrate, reindex
from ops.commands.groups_check import check_groups, named_groups
from ops.commands.models import check_models, usage
from ops.commands.settings import print_settings
from ops.commands.subscriptions import add_arguments as add_subscriptions
from ops.commands.subscriptions import subscriptions
from ops.config import Config
from ops.curated.arguments import add_arguments as add_curated
from ops.evaluation.arguments import add_arguments
from ops.keys.arguments import add_arguments as add_keys
from ops.keys.rotating import rotate_keys
from ops.privacy import command as privacy
from ops.privacy.arguments import add_arguments as add_privacy
from ops.supply import command as supply
from ops.tokens.arguments import add_arguments as add_tokens
from ops.tokens.command import tokens
from ops.web_access import check_web_access
from ops.wiring import guarded
from ops.wording import fuzz as wording_fuzz
from ops.wording.evaluation import help_texts as evaluation_texts
from ops.wording.general import help_texts
from ops.wording.models import days_out_of_range
from ops.wording.models import help_texts as model_texts
from ops.wording.settings import help_texts as settings_texts

_FEWEST_CHUNKS = 1_000
_FEWEST_MINUTES = 0.01
_MOST_DAYS = 36_500
_MOST_MINUTES = 600
_INGEST_PARTS = ("share", "rate", "pdf", "unchanged", "section")
BENCHMARKS = (
    "ask",
    "audit",
    "backends",
    "fuzz",
    "ingest",
    "mutants",
    "slack",
    "teams",
)
_BENCH_PARTS = ("latency", "callers", "agreement", "scifact", "claims", "real", "consent", *_INGEST_PARTS)

Command = Callable[[argparse.Namespace, Config], Coroutine[None, None, int]]


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """The arguments of `python -m ops`."""
    texts = help_texts()
    parser = argparse.ArgumentParser(prog="python -m ops", description=texts["ops"])
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("doctor", "migrate", "reindex", "openapi", "new-key", "new-audit-key"):
        command = commands.add_parser(name, help=texts[name], description=texts[name])
        if name == "reindex":
            command.add_argument("--verify", action="store_true", help=texts["verify"])
    settings = commands.add_parser(
        "settings", help=settings_texts()["settings"], description=settings_texts()["settings"]
    )
    settings.add_argument("--write", action="store_true", help=settings_texts()["write"])
    bench = commands.add_parser("bench", help=texts["bench"], description=texts["bench"])
    bench.add_argument(
        "what",
        choices=BENCHMARKS,
        help=bench_wording.HELP_WHAT,
    )
    bench.add_argument("--data", type=Path, default=Path("../shared/data"), help=texts["data"])
    bench.add_argument("--chunks", type=_chunks, default=100_000, help=bench_wording.HELP_CHUNKS)
    bench.add_argument("--documents", type=_documents, default=10_000, help=bench_wording.HELP_DOCUMENTS)
    bench.add_argument("--without", action="append", default=[], choices=_BENCH_PARTS, help=bench_wording.HELP_WITHOUT)
    bench.add_argument("--minutes", type=_minutes, default=5.0, help=wording_fuzz.HELP_MINUTES)
    bench.add_argument("--smallest", action="store_true", help=bench_wording.HELP_SMALLEST)
    bench.add_argument("--module", action="append", default=[], help=bench_wording.HELP_MODULE)
    bench.add_argument("--json", type=Path, help=bench_wording.HELP_JSON)
    add_audit(commands)
    supply.add_arguments(commands)
    add_tokens(commands)
    add_keys(commands)
    add_privacy(commands)
    add_curated(commands)
    add_slack(commands)
    add_teams(commands)
    add_subscriptions(commands)
    what = evaluation_texts()["evaluate"]
    evaluate = commands.add_parser("evaluate", help=what, description=what)
    evaluate.add_argument("--data", type=Path, default=Path("../shared/data"), help=texts["data"])
    add_arguments(evaluate)
    _add_models(commands.add_parser("models", help=model_texts()["models"], description=model_texts()["models"]))
    return parser.parse_args(argv)


def _add_models(parser: argparse.ArgumentParser) -> None:
    texts = model_texts()
    commands = parser.add_subparsers(dest="what", required=True)
    usage = commands.add_parser("usage", help=texts["usage"], description=texts["usage"])
    usage.add_argument("--days", type=_days, default=30, help=texts["days"])
    usage.add_argument("--by", choices=[each.value for each in UsageKey], default=UsageKey.DAY.value, help=texts["by"])
    usage.add_argument("--format", choices=("text", "json"), default="text", help=texts["format"])
    commands.add_parser("check", help=texts["check"], description=texts["check"])


def main(argv: Sequence[str]) -> int:
    """0, 1 where a check failed, 2 for the operator to act on, 3 for "try again"."""
    args = parse(argv)
    if args.command == "new-key":
        print(new_key())
        return 0
    if args.command == "new-audit-key":
        print(new_signing_key())
        return 0
    if args.command == "settings":
        return print_settings(write=args.write)
    if args.command in supply.COMMANDS:
        return supply.run(args)
    return guarded(lambda config: _run(args, config))


async def _run(args: argparse.Namespace, config: Config) -> int:
    return await _COMMANDS[args.command](args, config)


async def _doctor(_: argparse.Namespace, config: Config) -> int:
    stored = await doctor(config)
    people = max(await check_groups(config, await named_groups(config)), await check_web_access(config))
    chats = max(await _check_slack(config), await _check_teams(config))
    return max(stored, people, chats, await check_models(config))


async def _check_slack(config: Config) -> int:
    if not config.slack_is_configured:
        return 0
    from ops.commands.slack_check import check_slack  # noqa: PLC0415 - brings all of Slack's libraries

    return await check_slack(config)


async def _check_teams(config: Config) -> int:
    if not config.teams_is_configured:
        return 0
    from ops.commands.teams_check import check_teams  # noqa: PLC0415 - likewise

    return await check_teams(config)


async def _slack(args: argparse.Namespace, config: Config) -> int:
    from ops.commands.slack import slack_manifest, slack_workspaces  # noqa: PLC0415 - likewise

    return await (slack_manifest if args.command == "slack-manifest" else slack_workspaces)(args, config)


async def _teams_package(args: argparse.Namespace, config: Config) -> int:
    from ops.commands.teams import teams_package  # noqa: PLC0415 - likewise

    return await teams_package(args, config)


async def _models(args: argparse.Namespace, config: Config) -> int:
    if args.what == "check":
        return await check_models(config)
    return await usage(config, args.days, UsageKey(args.by), args.format)


async def _migrate(_: argparse.Namespace, config: Config) -> int:
    return await migrate(config)


async def _openapi(_: argparse.Namespace, config: Config) -> int:
    from adapters.web.app import described  # noqa: PLC0415 - `doctor` has no use for the web server

    print(described(config.oidc_issuer).decode())
    return 0


async def _reindex(args: argparse.Namespace, config: Config) -> int:
    return await reindex(config, verify=args.verify)


async def _rotate_keys(args: argparse.Namespace, config: Config) -> int:
    return await rotate_keys(config, check=args.check)


async def _bench(args: argparse.Namespace, config: Config) -> int:
    if args.smallest:
        args.chunks, args.documents, args.minutes = _FEWEST_CHUNKS, 1, _FEWEST_MINUTES
    if args.what == "mutants":
        return await _mutants(args)
    return await (_fuzz(args) if args.what == "fuzz" else _bench_of(args, config))


async def _bench_of(args: argparse.Namespace, config: Config) -> int:
    # Here, because the light install has no opensearch-py, and `doctor` has no use for any of it
    without = frozenset(args.without)
    if args.what in ("audit", "slack", "teams"):
        return await _bench_promises(args.what, config, without, smallest=args.smallest)
    if args.what == "ask":
        from ops.bench.ask import bench_ask  # noqa: PLC0415

        return await bench_ask(config, args.data, without, smallest=args.smallest)
    if args.what == "ingest":
        from ops.bench.ingest import bench_ingest  # noqa: PLC0415

        return await bench_ingest(args.data, args.documents, without)
    from ops.bench.backends import bench_backends  # noqa: PLC0415

    return await bench_backends(config, args.data, args.chunks, without, smallest=args.smallest)


async def _bench_promises(what: str, config: Config, without: frozenset[str], *, smallest: bool) -> int:
    """What is measured of what `ops/docs` promise."""
    if what == "slack":
        from ops.bench.chat.slack import bench_slack  # noqa: PLC0415

        return await bench_slack(config, smallest=smallest)
    if what == "teams":
        from ops.bench.chat.teams import bench_teams  # noqa: PLC0415

        return await bench_teams(config, without, smallest=smallest)
    from ops.bench.audit import bench_audit  # noqa: PLC0415

    return await bench_audit(config, smallest=smallest)


async def _fuzz(args: argparse.Namespace) -> int:
    from ops.bench.fuzz import bench_fuzz  # noqa: PLC0415 - nobody but tests has what makes up requests

    return await bench_fuzz(args.minutes)


async def _mutants(args: argparse.Namespace) -> int:
    from ops.bench.mutants import bench_mutants  # noqa: PLC0415 - likewise

    return await bench_mutants(args.module, args.json, args.minutes, smallest=args.smallest)


async def _evaluate(args: argparse.Namespace, config: Config) -> int:
    # `doctor` has no use for all sources and parsers
    if args.what == "draft":
        from ops.evaluation.drafting import draft_questions  # noqa: PLC0415

        return await draft_questions(args, config)
    if args.table:
        from ops.commands.figures import print_figures  # noqa: PLC0415

        return await print_figures(args, config)
    from ops.evaluation.command import evaluate  # noqa: PLC0415

    return await evaluate(args, config)


async def _audit(args: argparse.Namespace, config: Config) -> int:
    from ops.audit.command import audit  # noqa: PLC0415 - `show` brings all of answering

    return await audit(args, config)


async def _curated(args: argparse.Namespace, config: Config) -> int:
    from ops.curated.command import curated  # noqa: PLC0415 - `doctor` reads no questions

    return await curated(args, config)


def _chunks(value: str) -> int:
    """Below that, a filter that keeps a fifth leaves fewer than a search looks for."""
    chunks = int(value)
    if chunks < _FEWEST_CHUNKS:
        raise argparse.ArgumentTypeError(bench_wording.too_few_chunks(_FEWEST_CHUNKS))
    return chunks


def _minutes(value: str) -> float:
    minutes = float(value)
    if not 0 < minutes <= _MOST_MINUTES:
        raise argparse.ArgumentTypeError(wording_fuzz.BAD_MINUTES)
    return minutes


def _days(value: str) -> int:
    days = int(value)
    if not 1 <= days <= _MOST_DAYS:
        raise argparse.ArgumentTypeError(days_out_of_range(_MOST_DAYS))
    return days


def _documents(value: str) -> int:
    documents = int(value)
    if documents < 1:
        raise argparse.ArgumentTypeError(bench_wording.TOO_FEW_DOCUMENTS)
    return documents


_COMMANDS: dict[str, Command] = {
    "doctor": _doctor,
    "migrate": _migrate,
    "reindex": _reindex,
    "openapi": _openapi,
    "audit": _audit,
    "rotate-keys": _rotate_keys,
    "bench": _bench,
    "evaluate": _evaluate,
    "forget": privacy.forget,
    "retention": privacy.retention,
    "models": _models,
    "slack-manifest": _slack,
    "slack-workspaces": _slack,
    "teams-package": _teams_package,
    "tokens": tokens,
    "curated": _curated,
    "subscriptions": subscriptions,
}
