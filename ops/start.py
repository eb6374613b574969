"""`python -m ops.start`: what `ops/run` does once everything is installed."""

import sys
from collections.abc import Sequence

from ops.wiring import run_bot


def start(arguments: Sequence[str]) -> int:
    """`python -m bot ARGUMENTS` (default: serve); the same exit codes."""
    return run_bot(arguments or ["serve"])


if __name__ == "__main__":
    sys.exit(start(sys.argv[1:]))
