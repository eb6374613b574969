"""A question in a terminal before something is done that cannot be taken back."""

import sys
from dataclasses import dataclass
from typing import TextIO


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
