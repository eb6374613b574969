"""Asks `tests.fakes.warm_server` to run a program."""

import atexit
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import IO, Self

_ROOT = Path(__file__).resolve().parents[2]
_OF_THE_INTERPRETER = ("PYTHON", "LC_", "LD_", "LANG")
"""Settings that count when an interpreter starts, and not afterwards."""


class WarmServer:
    """One for all tests of a session. Several threads may use it at once."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._given = _of_the_interpreter(environment)
        self._asking = threading.Lock()
        self._line, theirs = socket.socketpair()
        command = [sys.executable, "-m", "tests.fakes.warm_server", str(theirs.fileno())]
        with theirs:
            self._process = subprocess.Popen(
                command,
                env=dict(environment),
                cwd=_ROOT,
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
            )
        atexit.register(self.close)

    def close(self) -> None:
        self._line.close()
        self._process.wait()

    def can_run(self, environment: Mapping[str, str]) -> bool:
        """Not with another interpreter, so to speak."""
        return _of_the_interpreter(environment) == self._given

    def run(
        self, command: list[str], env: Mapping[str, str], cwd: Path, text_in: str, timeout: float
    ) -> subprocess.CompletedProcess[str]:
        """`command`: as for `subprocess.run`, [python, "-m", module, ...]; raises what that raises."""
        with ExitStack() as stack:
            given, out, err = (stack.enter_context(tempfile.TemporaryFile()) for _ in range(3))
            given.write(text_in.encode())
            given.seek(0)
            process = stack.enter_context(self.start(command, env, cwd, (given.fileno(), out.fileno(), err.fileno())))
            try:
                code = process.wait(timeout)
            except subprocess.TimeoutExpired:
                process.kill()
                raise
            said = []
            for file in (out, err):
                file.seek(0)
                said.append(file.read().decode().replace("\r\n", "\n"))
            return subprocess.CompletedProcess(command, code, *said)

    def start(
        self, command: list[str], env: Mapping[str, str], cwd: Path, files: tuple[int, int, int]
    ) -> "WarmProcess":
        """The same, running, in a session of its own. `files`: its input, output and errors."""
        _, _, module, *arguments = command
        asked = {"module": module, "arguments": arguments, "environment": dict(env), "folder": str(cwd)}
        body = json.dumps(asked).encode()
        status, theirs = os.pipe()
        try:
            with self._asking:
                socket.send_fds(self._line, [len(body).to_bytes(4, "big")], [*files, theirs])
                self._line.sendall(body)
        finally:
            os.close(theirs)
        return WarmProcess(command, status)


class WarmProcess:
    """As much of `subprocess.Popen` as is used. Leaving its block waits for its end."""

    def __init__(self, command: list[str], status: int) -> None:
        self._command = command
        self._status = status
        self._line = b""
        self.returncode: int | None = None
        self.stdout: IO[str] | None = None
        self.pid = int(self._next_line(None))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.stdout:
            self.stdout.close()
        self.wait()
        os.close(self._status)

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def poll(self) -> int | None:
        with suppress(subprocess.TimeoutExpired):
            self.wait(0)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        if self.returncode is None:
            self.returncode = int(self._next_line(timeout))
        return self.returncode

    def _next_line(self, timeout: float | None) -> bytes:
        while not self._line.endswith(b"\n"):
            ready, _, _ = select.select([self._status], [], [], timeout)
            if not ready:
                raise subprocess.TimeoutExpired(self._command, timeout or 0)
            if not (read := os.read(self._status, 1)):
                raise RuntimeError("the server that runs the programs has ended")
            self._line += read
        line, self._line = self._line, b""
        return line


def _of_the_interpreter(environment: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environment.items() if name.startswith(_OF_THE_INTERPRETER)}
