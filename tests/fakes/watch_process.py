"""`python -m ingest watch` as an operator runs it: a process of its own."""

import contextlib
import signal
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.fakes.program import Process, started


@dataclass(frozen=True, slots=True)
class WatchProcess:
    """A watch that runs, and the file that its standard output and error go to."""

    process: Process
    log: Path

    @property
    def said(self) -> str:
        return self.log.read_text(encoding="utf-8")

    def wait_for(self, words: str, seconds: float = 30.0, times: int = 1) -> float:
        """Until `words` were said `times` times; how long that took. Raises TimeoutError, with what was said."""
        begun = time.monotonic()
        while self.said.count(words) < times:
            if time.monotonic() - begun > seconds or self.process.poll() is not None:
                raise TimeoutError(f"no {words!r} in: {self.said}")
            time.sleep(0.05)
        return time.monotonic() - begun

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(10)

    def end(self, how: signal.Signals = signal.SIGTERM) -> int:
        """The exit code after this signal."""
        self.process.send_signal(how)
        return self.process.wait(30)


@contextlib.contextmanager
def watching(catalogue: Path, env: Mapping[str, str], log: Path) -> Iterator[WatchProcess]:
    """A watch over `catalogue`; killed at the end if it still runs."""
    command = [sys.executable, "-m", "ingest", "watch", "--catalogue", str(catalogue)]
    with log.open("wb") as file:
        process = started(command, env, log.parent, file.fileno(), file.fileno())
    with process:
        try:
            yield WatchProcess(process, log)
        finally:
            process.kill()
