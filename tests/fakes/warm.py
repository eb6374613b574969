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
from contextlib import ExitStack
from pathlib import Path

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
            read, write = os.pipe()
            stack.callback(os.close, read)
            try:
                self._ask(command, env, cwd, [given.fileno(), out.fileno(), err.fileno(), write])
            finally:
                os.close(write)
            code = _ended(read, command, timeout)
            said = []
            for file in (out, err):
                file.seek(0)
                said.append(file.read().decode().replace("\r\n", "\n"))
            return subprocess.CompletedProcess(command, code, *said)

    def _ask(self, command: list[str], env: Mapping[str, str], cwd: Path, files: list[int]) -> None:
        _, _, module, *arguments = command
        asked = {"module": module, "arguments": arguments, "environment": dict(env), "folder": str(cwd)}
        body = json.dumps(asked).encode()
        with self._asking:
            socket.send_fds(self._line, [len(body).to_bytes(4, "big")], files)
            self._line.sendall(body)


def _ended(status: int, command: list[str], timeout: float) -> int:
    """The exit code; the process is killed after `timeout` seconds."""
    pid = _line(status, timeout)
    if pid is None:
        raise subprocess.TimeoutExpired(command, timeout)
    code = _line(status, timeout)
    if code is None:
        os.kill(int(pid), signal.SIGKILL)
        _line(status, timeout)
        raise subprocess.TimeoutExpired(command, timeout)
    return int(code)


def _line(status: int, timeout: float) -> bytes | None:
    line = b""
    while not line.endswith(b"\n"):
        ready, _, _ = select.select([status], [], [], timeout)
        if not ready:
            return None
        if not (read := os.read(status, 1)):
            raise RuntimeError("the server that runs the programs has ended")
        line += read
    return line


def _of_the_interpreter(environment: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environment.items() if name.startswith(_OF_THE_INTERPRETER)}
