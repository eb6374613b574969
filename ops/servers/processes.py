"""The processes of one server: started, found again, signalled."""

import asyncio
import json
import os
import signal
import subprocess
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from rag_core.errors import Unavailable

_LOG_LINES = 15


@dataclass(frozen=True, slots=True)
class Account:
    """The user whom a program runs as. Only root can choose."""

    name: str
    uid: int
    gid: int


class ServerProcess:
    """One server process and those that it started, known by `process.json` in the server's folder."""

    def __init__(self, folder: Path, kind: str) -> None:
        self.log = folder / "log"
        self._kind = kind
        self._record = folder / "process.json"
        self._child: subprocess.Popen[bytes] | None = None

    def launch(self, argv: Sequence[str], *, cwd: Path, env: Mapping[str, str], account: Account | None = None) -> None:
        """Start it in a session of its own: neither Ctrl-C nor the end of this process reaches it.

        It must stay in `cwd` or below: that tells it from a later process of the same number.
        """
        uid, gid, groups = _ids(account)
        with self.log.open("wb") as log:
            self._child = subprocess.Popen(
                argv, cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
                user=uid, group=gid, extra_groups=groups,
            )  # fmt: skip
        self._record.write_text(json.dumps({"pid": self._child.pid, "cwd": str(cwd.resolve())}), encoding="utf-8")

    def running(self) -> bool:
        """Whether it is there, paused or not."""
        return self._recorded() is not None

    def send(self, number: signal.Signals) -> None:
        """A signal to all its processes, those too that came while it was sent; nothing if they are gone."""
        reached: set[psutil.Process] = set()
        while new := [each for each in self._everyone() if each not in reached]:
            for each in new:
                _send(each, number)
            reached.update(new)

    async def end(self, number: signal.Signals, seconds: float = 30.0) -> None:
        """Ask it to end, and make it when it does not in time; returns when all its processes are gone."""
        self.send(signal.SIGCONT)
        everyone = self._everyone()
        for main in everyone[:1]:
            _send(main, number)
        if not await self._gone(everyone, seconds):
            await self.kill()

    async def kill(self) -> None:
        """SIGKILL to all; returns when they are gone."""
        for main in self._everyone()[:1]:
            _send(main, signal.SIGSTOP)  # it starts no others meanwhile
        everyone = self._everyone()
        for each in everyone:
            _send(each, signal.SIGKILL)
        if not await self._gone(everyone, 10.0):
            raise Unavailable("server_stays", server=self._kind)

    async def wait_until(self, answers: Callable[[], Awaitable[bool]], seconds: float) -> None:
        """Until it answers. Unavailable, with the end of its log: it ended first, or was silent for so long."""
        deadline = asyncio.get_running_loop().time() + seconds
        while not await answers():
            if not self.running():
                await self._gone(self._everyone(), 10.0)
                raise Unavailable("server_ended", server=self._kind, path=str(self.log), log=self._last_lines())
            if asyncio.get_running_loop().time() > deadline:
                log = self._last_lines()
                raise Unavailable("server_silent", server=self._kind, seconds=seconds, path=str(self.log), log=log)
            await asyncio.sleep(0.05)

    async def _gone(self, processes: list[psutil.Process], seconds: float) -> bool:
        _, alive = await asyncio.to_thread(psutil.wait_procs, processes, timeout=seconds)
        if self._child is not None and not alive:
            await asyncio.to_thread(self._child.wait, seconds)  # one that ended stays listed until its parent asks
        return not alive

    def _everyone(self) -> list[psutil.Process]:
        """The main process first, then those that it started; none if it is gone."""
        main = self._recorded()
        try:
            return [main, *main.children(recursive=True)] if main else []
        except psutil.NoSuchProcess:
            return []

    def _recorded(self) -> psutil.Process | None:
        try:
            known = json.loads(self._record.read_text(encoding="utf-8"))
            process = psutil.Process(known["pid"])
            ours = process.status() != psutil.STATUS_ZOMBIE and Path(process.cwd()).is_relative_to(known["cwd"])
        except (FileNotFoundError, psutil.Error):
            return None
        return process if ours else None

    def _last_lines(self) -> str:
        lines = self.log.read_text(encoding="utf-8", errors="replace").splitlines() if self.log.exists() else []
        return "\n".join(lines[-_LOG_LINES:])


def _send(process: psutil.Process, number: signal.Signals) -> None:
    with suppress(psutil.NoSuchProcess):
        process.send_signal(number)


async def run_program(
    argv: Sequence[str],
    *,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    account: Account | None = None,
) -> str:
    """What it printed, both streams. Unavailable, with the end of that: it failed or is not there."""
    uid, gid, groups = _ids(account)
    try:
        process = await asyncio.create_subprocess_exec(
            *argv, cwd=cwd, env=env or os.environ, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT, user=uid, group=gid, extra_groups=groups,
        )  # fmt: skip
    except OSError as exc:
        raise Unavailable("program_failed", program=argv[0], log=str(exc)) from exc
    try:
        printed, _ = await process.communicate()
    except asyncio.CancelledError:
        process.kill()
        await process.wait()
        raise
    text = printed.decode("utf-8", "replace")
    if process.returncode:
        raise Unavailable("program_failed", program=argv[0], log="\n".join(text.splitlines()[-_LOG_LINES:]))
    return text


def _ids(account: Account | None) -> tuple[int | None, int | None, list[int] | None]:
    """User, group and further groups for a new process; None: those of this one."""
    return (account.uid, account.gid, [account.gid]) if account else (None, None, None)
