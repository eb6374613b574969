"""A stream that lets no secret through."""

import io
import threading
from typing import TextIO

from ops.redaction.redactor import Redactor

_MOST_HELD = 64 * 1024


class RedactedStream(io.TextIOBase):
    """Writes whole lines, redacted; what has no end yet waits for it, or for a flush."""

    def __init__(self, stream: TextIO, redactor: Redactor) -> None:
        self.unredacted = stream
        self.redactor = redactor
        self._held = ""
        self._turn = threading.RLock()

    def write(self, text: str) -> int:
        with self._turn:
            self._held += text
            ready = len(self._held) if len(self._held) > _MOST_HELD else self._held.rfind("\n") + 1
            if ready:
                whole, self._held = self._held[:ready], self._held[ready:]
                self.unredacted.write(self.redactor.text(whole))
        return len(text)

    def flush(self) -> None:
        with self._turn:
            held, self._held = self._held, ""
            if held:
                self.unredacted.write(self.redactor.text(held))
            self.unredacted.flush()

    def isatty(self) -> bool:
        return self.unredacted.isatty()

    def fileno(self) -> int:
        return self.unredacted.fileno()

    def writable(self) -> bool:
        return True

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self.unredacted.encoding


def unredacted(stream: TextIO) -> TextIO:
    """What lies below: for who redacts himself."""
    return stream.unredacted if isinstance(stream, RedactedStream) else stream
