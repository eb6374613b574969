"""One question at a time in a conversation, in the order in which they came."""

from collections import deque
from collections.abc import Hashable
from typing import Generic, TypeVar

Work = TypeVar("Work")


class Turns(Generic[Work]):
    """A line for each conversation that is worked on. Nobody waits in it: who works on it works it off.

    So a conversation with many questions keeps one worker busy, and the others are free for the rest.
    """

    def __init__(self) -> None:
        self._lines: dict[Hashable, deque[Work]] = {}

    @property
    def waiting(self) -> int:
        """How much is in line, in all conversations together."""
        return sum(len(line) for line in self._lines.values())

    def begin(self, conversation: Hashable, work: Work) -> bool:
        """True if nobody works on the conversation: then the caller does, until `following` gives None.

        Otherwise the work joins the line.
        """
        line = self._lines.get(conversation)
        if line is None:
            self._lines[conversation] = deque()
            return True
        line.append(work)
        return False

    def following(self, conversation: Hashable) -> Work | None:
        """What is next in line; None ends the caller's turn."""
        line = self._lines[conversation]
        if line:
            return line.popleft()
        del self._lines[conversation]
        return None
