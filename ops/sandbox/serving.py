"""A stand-in in a process of its own, until Ctrl-C, or until who started it is gone."""

import argparse
import asyncio
import contextlib
import sys
from collections.abc import Callable
from typing import Protocol

from ops.sandbox import wording

_PORTS = range(1, 65_536)
_ENDS_WITH_INPUT = "--ends-with-input"


class StandsIn(Protocol):
    """A pretended platform."""

    async def start(self, port: int) -> None:
        """Raises OSError where it cannot listen there; it has to be stopped all the same."""

    async def stop(self) -> None: ...


def port_number(text: str) -> int:
    """Raises argparse.ArgumentTypeError."""
    number = int(text) if text.isdecimal() and len(text) < 6 else 0
    if number not in _PORTS:
        raise argparse.ArgumentTypeError(wording.no_port(text))
    return number


def add_serving(parser: argparse.ArgumentParser, port: int) -> None:
    """`port`: where it listens unless another one is named."""
    parser.add_argument("--port", type=port_number, default=port, help=wording.HELP_PORT)
    parser.add_argument(_ENDS_WITH_INPUT, action="store_true", help=wording.HELP_ENDS_WITH_INPUT)


def ending_with_input(command: list[str]) -> list[str]:
    """The command of a stand-in that ends when its standard input does: whoever holds that is then gone, killed or
    not, and its port is free for the next one."""
    return [*command, _ENDS_WITH_INPUT]


def serve(stand_in: StandsIn, args: argparse.Namespace, started: Callable[[], str]) -> int:
    """The exit code; 2 where it cannot listen. `started`: what to say once it does; `args`: of `add_serving`."""
    with contextlib.suppress(KeyboardInterrupt):
        return asyncio.run(_serve(stand_in, args, started))
    return 0


async def _serve(stand_in: StandsIn, args: argparse.Namespace, started: Callable[[], str]) -> int:
    try:
        try:
            await stand_in.start(args.port)
        except OSError as exc:
            sys.stderr.write(wording.cannot_listen(args.port, exc.strerror or str(exc)))
            return 2
        sys.stdout.write(f"{started().rstrip()}\n")
        sys.stdout.flush()
        await (_input_ended() if args.ends_with_input else asyncio.Event().wait())
    finally:
        await stand_in.stop()
    return 0


async def _input_ended() -> None:
    reader = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while await reader.read(1024):
        pass
