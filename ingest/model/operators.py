"""Who runs a command, and when."""

import getpass
import os
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TextIO


def operator() -> str:
    """The operating system's name for who runs this process, or his number where he has none."""
    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError):  # a container's user has no entry anywhere
        return f"uid {os.getuid()}"


def utc_now() -> datetime:
    """The clock of the commands."""
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Confirmation:
    """What is said: the question, that there is nobody to ask, and that nothing was done."""

    question: str
    nobody: str
    refused: str


def refused(answers: TextIO, said: Confirmation) -> int | None:
    """None: the answer was yes. Else the exit code: 1 for no, 2 where nobody is there to ask."""
    if not answers.isatty():
        print(said.nobody, file=sys.stderr)
        return 2
    print(said.question, end="", file=sys.stderr, flush=True)
    if answers.readline().strip().lower() == "yes":
        return None
    print(said.refused, file=sys.stderr)
    return 1
