"""The program as an operator runs it: other processes, a data folder, free ports."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from ops.servers.free_ports import ANY, free_port
from tests.fakes.warm import WarmProcess, WarmServer

ROOT = Path(__file__).resolve().parents[2]
SIGNING_SECRET = "a-signing-secret"
Process = subprocess.Popen[str] | WarmProcess
_LONGEST = 240.0
_warm: list[WarmServer] = []
_warming = threading.Lock()


def environment(data_dir: Path, **settings: str) -> dict[str, str]:
    """This process's environment with these settings (names without the prefix) and no others."""
    inherited = {key: value for key, value in os.environ.items() if not key.startswith("ADPOLICY_")}
    given = {f"ADPOLICY_{name}": value for name, value in settings.items()}
    return {**inherited, **given, "ADPOLICY_DATA_DIR": str(data_dir), "PYTHONPATH": str(ROOT), "COLUMNS": "100"}


def run(
    module: str, *arguments: str, env: Mapping[str, str], cwd: Path, text_in: str = ""
) -> subprocess.CompletedProcess[str]:
    """`python -m MODULE ARGUMENTS`, to its end: a process of its own, but what it is made of was loaded before."""
    if server := _warm_for(env):
        return server.run([sys.executable, "-m", module, *arguments], env, cwd, text_in, _LONGEST)
    return run_cold(module, *arguments, env=env, cwd=cwd, text_in=text_in)


def _warm_for(env: Mapping[str, str]) -> WarmServer | None:
    with _warming:  # tests ask from several threads
        if not _warm:
            _warm.append(WarmServer(env))
    return _warm[0] if _warm[0].can_run(env) else None


def run_cold(
    module: str, *arguments: str, env: Mapping[str, str], cwd: Path, text_in: str = ""
) -> subprocess.CompletedProcess[str]:
    """The same, loaded anew as for everybody else: it takes two seconds longer."""
    return subprocess.run(
        [sys.executable, "-m", module, *arguments],
        env=dict(env),
        cwd=cwd,
        input=text_in,
        capture_output=True,
        encoding="utf-8",
        timeout=_LONGEST,
        check=False,
    )


def without_prefix(settings: Mapping[str, str]) -> dict[str, str]:
    """Settings as an operator writes them, by the names that `environment` takes."""
    return {name.removeprefix("ADPOLICY_"): value for name, value in settings.items()}


def free_ports(count: int) -> list[int]:
    """Ports on loopback where nothing listens, all different, and no connection of another process begins."""
    found: set[int] = set()
    while len(found) < count:
        found.add(free_port(ANY))
    return list(found)


@dataclass(frozen=True, slots=True)
class Server:
    """A running `python -m bot serve`, and where Slack is for it."""

    process: Process
    data_dir: Path
    chat_url: str
    web_url: str
    slack_port: int

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(10)

    def terminate(self) -> None:
        self.process.send_signal(signal.SIGTERM)


@dataclass(frozen=True, slots=True)
class Ports:
    """`slack`: where Slack is; 0 where there is none."""

    chat: int
    web: int
    slack: int = 0

    @property
    def settings(self) -> dict[str, str]:
        found = {"CHAT_BIND": f"127.0.0.1:{self.chat}", "WEB_BIND": f"127.0.0.1:{self.web}"}
        return {**found, **self._of_slack} if self.slack else found

    @property
    def _of_slack(self) -> dict[str, str]:
        return {
            "SLACK_API_URL": f"http://127.0.0.1:{self.slack}/api/",
            "SLACK_BOT_TOKEN": "xoxb-sandbox",
            "SLACK_SIGNING_SECRET": SIGNING_SECRET,
        }


@contextlib.contextmanager
def running_server(
    data_dir: Path,
    ports: Ports | None = None,
    settings: Mapping[str, str] | None = None,
    wrapper: Sequence[str] = (),
) -> Iterator[Server]:
    """A server that listens; killed at the end if it still runs. What it logs is in `server.log` beside the folder.

    `settings` (names without the prefix) come on top; `wrapper` is a command that runs it.
    """
    ports = ports or Ports(*free_ports(3))
    env = environment(data_dir, **{**ports.settings, **(settings or {})})
    with (data_dir.parent / "server.log").open("a", encoding="utf-8") as log:
        process = _started([*wrapper, sys.executable, "-m", "bot", "serve"], env, data_dir.parent, log)
    with process:
        try:
            assert process.stdout is not None
            first = process.stdout.readline()  # printed when both listeners are up; "" when it ended
            if not first:
                raise RuntimeError((data_dir.parent / "server.log").read_text(encoding="utf-8"))
            yield Server(
                process, data_dir, f"http://127.0.0.1:{ports.chat}", f"http://127.0.0.1:{ports.web}", ports.slack
            )
        finally:
            with contextlib.suppress(ProcessLookupError):  # a wrapper may have made a process of its own
                os.killpg(process.pid, signal.SIGKILL)


def _started(command: list[str], env: Mapping[str, str], cwd: Path, log: IO[Any]) -> Process:
    """In a session of its own; what it prints is to be read from `stdout`."""
    read, write = os.pipe()
    try:
        process = started(command, env, cwd, write, log.fileno())
    finally:
        os.close(write)
    process.stdout = os.fdopen(read, encoding="utf-8")
    return process


def started(command: list[str], env: Mapping[str, str], cwd: Path, out: int, err: int) -> Process:
    """A program that runs, in a session of its own: one of ours, [python, "-m", ...], was loaded before."""
    with Path(os.devnull).open("rb") as nothing:
        if command[0] == sys.executable and (server := _warm_for(env)):
            return server.start(command, env, cwd, (nothing.fileno(), out, err))
        return subprocess.Popen(
            command,
            env=dict(env),
            cwd=cwd,
            stdin=nothing,
            stdout=out,
            stderr=err,
            encoding="utf-8",
            start_new_session=True,
        )
