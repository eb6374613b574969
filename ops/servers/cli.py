"""The command line of `ops/services`."""

import argparse
import asyncio
import os
import signal
import sys
from collections.abc import Coroutine, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from ops.servers import wording
from ops.servers.state import SETTINGS, Failures, ServerSet
from rag_core.errors import Misconfigured, PolicyBotError

_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Command:
    """A signal that would end us goes to the command while it runs; before, it ends what is being done.

    What is being done can tidy up in `finally`: further signals are ignored then.
    """

    def __init__(self) -> None:
        self._process: asyncio.subprocess.Process | None = None
        self._received: signal.Signals | None = None

    async def guard(self, work: Coroutine[Any, Any, int]) -> int:
        """The result of `work`, which calls `run`; 128 + the signal if one ended it."""
        loop = asyncio.get_running_loop()
        task = asyncio.ensure_future(work)
        for number in _ENDING:
            if signal.getsignal(number) != signal.SIG_IGN:  # as under nohup
                loop.add_signal_handler(number, self._on_signal, number, task)
        try:
            return await task
        except asyncio.CancelledError:
            if self._received is None:
                raise
            return 128 + self._received

    async def run(self, argv: Sequence[str], environ: Mapping[str, str]) -> int:
        """Its exit code, as a shell gives it. Misconfigured: it cannot be started."""
        try:
            self._process = await asyncio.create_subprocess_exec(*argv, env=environ)
        except OSError as exc:
            raise Misconfigured("command_not_started", program=argv[0], reason=exc.strerror) from exc
        code = await self._process.wait()
        return code if code >= 0 else 128 - code

    def _on_signal(self, number: signal.Signals, task: asyncio.Future[int]) -> None:
        if self._process is None and self._received is None:
            self._received = number
            task.cancel()
        elif self._process is not None and not (number == signal.SIGINT and _terminal_sent_it()):
            with suppress(ProcessLookupError):
                self._process.send_signal(number)


def _terminal_sent_it() -> bool:
    """Ctrl-C reaches everyone in the foreground: the command has it already."""
    try:
        with open("/dev/tty", "rb", buffering=0) as terminal:
            return os.tcgetpgrp(terminal.fileno()) == os.getpgrp()
    except OSError:
        return False


_FOLDER = Path(__file__).resolve().parents[2] / ".services"
_KINDS = tuple(SETTINGS)


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """The arguments of `ops/services`."""
    texts = wording.help_texts()
    parser = argparse.ArgumentParser(prog="ops/services", description=texts["services"])
    parser.add_argument("--folder", type=Path, default=_FOLDER, help=texts["folder"])
    parser.add_argument("--only", action="append", choices=_KINDS, help=texts["only"])
    parser.add_argument("--optional", action="store_true", help=texts["optional"])
    parser.add_argument("--volatile", action="store_true", help=texts["volatile"])
    commands = parser.add_subparsers(dest="action", required=True)
    for name in ("up", "down"):
        each = commands.add_parser(name, help=texts[name], description=texts[name])
        each.add_argument("kinds", nargs="*", metavar="SERVER", help=texts["kinds"])
    run = commands.add_parser("run", help=texts["run"], description=texts["run"])
    run.add_argument("command", nargs=argparse.REMAINDER, metavar="COMMAND", help=texts["command"])
    args = parser.parse_args(argv)
    unknown = sorted(set(getattr(args, "kinds", ())) - set(_KINDS))
    if unknown:
        parser.error(wording.unknown_server(unknown[0], _KINDS))
    if args.action == "run" and not args.command:
        parser.error(wording.COMMAND_MISSING)
    return args


def main(argv: Sequence[str]) -> int:
    """`run`: the command's exit code. Else 0, 2 for the user to act on, 3 for "try again"."""
    args = parse(argv)
    try:
        return asyncio.run(_run(args) if args.action == "run" else _up_or_down(args))
    except PolicyBotError as exc:
        wording.tell(wording.explain(exc))
        return _exit_code(exc)
    except KeyboardInterrupt:
        return 130


async def _up_or_down(args: argparse.Namespace) -> int:
    servers = ServerSet(args.folder.resolve())
    kinds = args.kinds or _KINDS
    if args.action == "down":
        await servers.down(kinds)
        return 0
    failures = await servers.up(kinds)
    for name, value in servers.settings([kind for kind in kinds if kind not in failures]).items():
        print(f"{name}={value}")
    return _report(failures)


async def _run(args: argparse.Namespace) -> int:
    command = Command()
    servers = ServerSet(args.folder.resolve(), volatile=args.volatile)
    return await command.guard(_leased(args, servers, command))


async def _leased(args: argparse.Namespace, servers: ServerSet, command: Command) -> int:
    kinds = args.only or _KINDS
    async with servers.lease(kinds) as failures:
        code = _report(failures)
        if failures and not args.optional:
            return code
        for kind in failures:
            wording.tell(wording.left_out(kind))
        given = servers.settings([kind for kind in kinds if kind not in failures])
        return await command.run(args.command, environment(os.environ, given, failures))


def environment(inherited: Mapping[str, str], given: Mapping[str, str], missing: Iterable[str]) -> dict[str, str]:
    """That of the command: our `python` first, the settings given, and no others for the servers that are missing."""
    names = {*given, *(SETTINGS[kind] for kind in missing)}
    kept = {name: value for name, value in inherited.items() if name.removesuffix("_FILE") not in names}
    programs = str(Path(sys.executable).parent)
    return {**kept, **given, "PATH": os.pathsep.join(filter(None, (programs, inherited.get("PATH"))))}


def _report(failures: Failures) -> int:
    """Says what went wrong; the exit code for it."""
    for error in failures.values():
        wording.tell(wording.explain(error))
    return max(map(_exit_code, failures.values()), default=0)


def _exit_code(error: PolicyBotError) -> int:
    return 2 if isinstance(error, Misconfigured) else 3
