"""How fast a model reads, as measured, and how many tokens of a prompt that leaves room for in the time there is.

A model in the process reads a full prompt in a second or in a minute, as the processor has it. One that is still
reading when the time is up has written nothing.
"""

from collections import deque
from dataclasses import dataclass, field

READING_SHARE = 0.5
"""Of the time for an answer; the rest is for writing."""

LEAST_TOKENS = 200
"""Room for a rule or two, however slow it seems: else a bad measurement would be the last one."""

_REMEMBERED = 8
_TELLING_TOKENS = 50
"""A shorter prompt measures the overhead."""

_TELLING_SECONDS = 1.0


@dataclass(slots=True)
class ReadingPace:
    """Tokens a second, the fastest of the last prompts: a slow one may have waited for another question's."""

    _measured: deque[float] = field(default_factory=lambda: deque(maxlen=_REMEMBERED))

    def read(self, tokens: int, seconds: float) -> None:
        """A prompt of `tokens` was read in `seconds`, when the first word came."""
        if tokens >= _TELLING_TOKENS and seconds > 0:
            self._measured.append(tokens / seconds)

    def gave_up(self, tokens: int, seconds: float) -> None:
        """After `seconds` no word had come: whatever was measured before, it is no faster than that now.

        Who went away at once says nothing about it.
        """
        known = self.tokens_per_second
        if (known is None and seconds >= _TELLING_SECONDS) or (
            known is not None and tokens / max(seconds, 1e-6) < known
        ):
            self._measured.clear()
            self._measured.append(tokens / seconds)

    @property
    def tokens_per_second(self) -> float | None:
        """None before the first measurement."""
        return max(self._measured, default=None)

    def room(self, seconds: float, framing: int) -> int | None:
        """Tokens of documents beside `framing` that can be read in time, where `seconds` are left for all; None: not
        known."""
        pace = self.tokens_per_second
        return None if pace is None else max(LEAST_TOKENS, int(pace * seconds * READING_SHARE) - framing)
