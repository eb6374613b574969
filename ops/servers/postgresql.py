"""PostgreSQL."""

import os
import shutil
import signal
import tempfile
from pathlib import Path

import asyncpg

from ops.servers.free_ports import ANY
from ops.servers.local_server import LocalServer
from ops.servers.packages import Say
from ops.servers.processes import Account, run_program
from ops.servers.programs import postgresql_account, postgresql_programs, reachable
from ops.servers.wording import tell
from rag_core.errors import Misconfigured

_LOCALE = "C.UTF-8" if os.uname().sysname == "Linux" else "en_US.UTF-8"


class PostgresServer(LocalServer):
    """A cluster of its own, superuser `postgres` without password, on loopback TCP only.

    `volatile`: it never waits for the disk. Killed, it comes back with all; after the machine went down, with anything.
    """

    KIND = "postgresql"
    END = signal.SIGINT  # "fast": does not wait for clients to leave

    def __init__(self, folder: Path, *, volatile: bool = False, say: Say = tell) -> None:
        super().__init__(folder, {"server": ANY}, say)
        self._volatile = volatile

    @property
    def url(self) -> str:
        return f"postgresql://postgres@127.0.0.1:{self._ports['server']}/postgres"

    async def _launch(self) -> None:
        programs = await postgresql_programs(self._say)
        account = await postgresql_account()
        if not reachable(programs, account):
            raise Misconfigured("postgresql_out_of_reach", path=str(programs))
        home = self._home(account)
        if not (home / "data").exists():
            await self._make_cluster(programs, home, account)
        await self._ports.give_way()
        port = self._ports["server"]
        argv = [str(programs / "postgres"), "-D", str(home / "data"), "-p", str(port)]
        argv += ["-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories="]  # paths of sockets must be short
        argv += ["-c", "fsync=off"] if self._volatile else []
        self._process.launch(argv, cwd=home, env=_environment(), account=account)

    def _home(self, account: Account | None) -> Path:
        """A folder that the account owns and can reach: elsewhere, where the way to ours is closed to it."""
        home = self.folder / "home"
        if not home.exists():
            self.folder.mkdir(parents=True, exist_ok=True)
            if reachable(self.folder, account):
                home.mkdir()
            else:
                home.unlink(missing_ok=True)
                home.symlink_to(tempfile.mkdtemp(prefix="adpolicy-postgresql-"))
            if account is not None:
                shutil.chown(home, account.uid, account.gid)
        return home.resolve()

    async def _make_cluster(self, programs: Path, home: Path, account: Account | None) -> None:
        made = home / "data.part"  # renamed when it is complete
        shutil.rmtree(made, ignore_errors=True)
        argv = [str(programs / "initdb"), "-D", str(made), "-A", "trust", "-U", "postgres", "-E", "UTF8"]
        argv += [f"--locale={_LOCALE}", "--lc-messages=C", "--no-sync"]
        await run_program(argv, cwd=home, env=_environment(), account=account)
        made.rename(home / "data")

    async def _answers(self) -> bool:
        try:
            connection = await asyncpg.connect(
                host="127.0.0.1", port=self._ports["server"], user="postgres", database="postgres", ssl=False, timeout=2
            )
            try:
                data = await connection.fetchval("SHOW data_directory", timeout=2)
            finally:
                connection.terminate()
        except (OSError, TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError):
            return False
        return Path(data) == (self.folder / "home").resolve() / "data"


def _environment() -> dict[str, str]:
    """Ours without the settings of PostgreSQL's own programs, in the language that they print."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PG")}
    return {**kept, "LC_ALL": "C"}
