"""A PostgreSQL server of a test's own, to be stopped, killed and started again."""

import asyncio
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from ops.servers.free_ports import ANY, free_port
from tests.fakes.missing import missing

_START_SECONDS = 60.0
_USER = "postgres"


class PostgresqlServer:
    """A process on loopback; what was committed is there after it was killed."""

    def __init__(self, folder: Path, programs: Path) -> None:
        self.port = free_port(ANY)
        self._folder = folder
        self._programs = programs
        # it refuses to run as root
        self._as = {"user": _USER, "group": _USER, "extra_groups": []} if os.geteuid() == 0 else {}
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"postgresql://{_USER}@127.0.0.1:{self.port}/postgres"

    def prepare(self) -> None:
        options = ["-D", "data", "-A", "trust", "-U", _USER, "-E", "UTF8", "--no-sync"]
        self._run(str(self._programs / "initdb"), *options).wait()

    async def start(self) -> None:
        """Returns when it takes connections."""
        options = ["-p", str(self.port), "-k", str(self._folder), "-c", "listen_addresses=127.0.0.1"]
        self._process = self._run(str(self._programs / "postgres"), "-D", "data", *options)
        async with asyncio.timeout(_START_SECONDS):
            while not self._is_ready():  # noqa: ASYNC110 - another process says when
                await asyncio.sleep(0.05)

    def kill(self) -> None:
        """As by a power cut: no process of it says anything any more."""
        self._signal(signal.SIGKILL)
        if self._process is not None:
            self._process.wait()

    def stop_answering(self) -> None:
        """It keeps its connections, and accepts more, but says nothing."""
        self._signal(signal.SIGSTOP)

    def answer_again(self) -> None:
        self._signal(signal.SIGCONT)

    def _signal(self, number: signal.Signals) -> None:
        """To all its processes; one may have ended since they were listed."""
        for pid in self._pids():
            with suppress(ProcessLookupError):
                os.kill(pid, number)

    def _is_ready(self) -> bool:
        asking = [str(self._programs / "pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(self.port)]
        return self._run(*asking).wait() == 0

    def _pids(self) -> list[int]:
        if self._process is None or self._process.poll() is not None:
            return []
        children = Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children").read_text("ascii")
        return [self._process.pid, *map(int, children.split())]

    def _run(self, *command: str) -> subprocess.Popen[bytes]:
        with (self._folder / "log").open("ab") as log:
            return subprocess.Popen(command, cwd=self._folder, stdout=log, stderr=log, **self._as)  # type: ignore[call-overload, no-any-return]


def _programs() -> Path:
    found = shutil.which("pg_config")
    folder = subprocess.run([found, "--bindir"], capture_output=True, text=True, check=True).stdout if found else ""
    if folder and (Path(folder.strip()) / "initdb").exists():
        return Path(folder.strip())
    return missing("the programs of a PostgreSQL server are not there: install postgresql")


@asynccontextmanager
async def postgresql_server() -> AsyncIterator[PostgresqlServer]:
    """A running server."""
    programs = _programs()
    with tempfile.TemporaryDirectory(prefix="adpolicy-pg-") as name:  # not below tmp_path, which nobody else may enter
        if os.geteuid() == 0:
            shutil.chown(name, _USER, _USER)
        server = PostgresqlServer(Path(name), programs)
        server.prepare()
        await server.start()
        try:
            yield server
        finally:
            server.kill()
