"""The command line of `python -m ops`."""

import argparse
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path

from adapters.sql.vault import new_key
from ops.bench.ask import bench_ask
from ops.config import Config
from ops.doctor import doctor, migrate, reindex
from ops.logs import set_up_logs
from ops.wiring import guarded
from ops.wording import help_texts

Command = Callable[[argparse.Namespace, Config], Coroutine[None, None, int]]


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """The arguments of `python -m ops`."""
    texts = help_texts()
    parser = argparse.ArgumentParser(prog="python -m ops", description=texts["ops"])
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("doctor", "migrate", "reindex", "new-key"):
        commands.add_parser(name, help=texts[name], description=texts[name])
    bench = commands.add_parser("bench", help=texts["bench"], description=texts["bench"])
    bench.add_argument("what", choices=("ask",))
    bench.add_argument("--data", type=Path, default=Path("../shared/data"), help=texts["data"])
    bench.add_argument("--without", action="append", default=[], choices=("real", "scifact"), help=texts["without"])
    return parser.parse_args(argv)


def main(argv: Sequence[str]) -> int:
    """0, 1 where a check failed, 2 for the operator to act on, 3 for "try again"."""
    args = parse(argv)
    if args.command == "new-key":
        print(new_key())
        return 0
    return guarded(lambda config: _run(args, config))


async def _run(args: argparse.Namespace, config: Config) -> int:
    set_up_logs(config)
    return await _COMMANDS[args.command](args, config)


async def _doctor(_: argparse.Namespace, config: Config) -> int:
    return await doctor(config)


async def _migrate(_: argparse.Namespace, config: Config) -> int:
    return await migrate(config)


async def _reindex(_: argparse.Namespace, config: Config) -> int:
    return await reindex(config)


async def _bench(args: argparse.Namespace, config: Config) -> int:
    return await bench_ask(args.data, frozenset(args.without))


_COMMANDS: dict[str, Command] = {"doctor": _doctor, "migrate": _migrate, "reindex": _reindex, "bench": _bench}
