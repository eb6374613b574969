"""One process at a time: a lock of the server's, or one beside the database file."""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout
from sqlalchemy import BigInteger, func, literal, select
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from adapters.sql.database.errors import FOLDER_SETTING, translated
from adapters.sql.database.server import Server, guard, server_of
from rag_core.errors import Misconfigured, PolicyBotError

_POLL_SECONDS = 0.1


class SqlLeaderLease:
    """On a server the lock belongs to a connection of its own and ends with the process, the machine or that
    connection: who holds it does nothing that two might not do. On a file the operating system ends it."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    def hold(self, work: str, wait_seconds: float) -> AbstractAsyncContextManager[bool]:
        server = server_of(self._engine)
        if server is None:
            return _hold_file(_beside(self._engine, work), wait_seconds)
        return _hold_session(self._engine, server, work, wait_seconds)


@asynccontextmanager
async def _hold_session(engine: AsyncEngine, server: Server, work: str, wait_seconds: float) -> AsyncIterator[bool]:
    key = literal(int.from_bytes(_digest(work)[:8], signed=True), BigInteger)
    async with AsyncExitStack() as stack:
        alone = server.alone()
        stack.push_async_callback(alone.dispose)
        async with guard(engine):
            with translated(engine):
                connection = await stack.enter_async_context(alone.connect())
                await connection.execution_options(isolation_level="AUTOCOMMIT")

        async def take() -> bool:
            return await _ask(engine, connection, func.pg_try_advisory_lock(key))

        is_ours = await _in_time(take, wait_seconds)
        try:
            yield is_ours
        finally:
            if is_ours:
                with suppress(PolicyBotError):  # the lock ends with the connection, if not like this
                    await _ask(engine, connection, func.pg_advisory_unlock(key))


async def _ask(engine: AsyncEngine, connection: AsyncConnection, what: Any) -> bool:
    async with guard(engine):
        with translated(engine):
            return bool(await connection.scalar(select(what)))


@asynccontextmanager
async def _hold_file(file: Path, wait_seconds: float) -> AsyncIterator[bool]:
    lock = FileLock(file, thread_local=False)

    async def take() -> bool:
        trying = asyncio.ensure_future(asyncio.to_thread(_try, lock))
        try:
            return await asyncio.shield(trying)
        except asyncio.CancelledError:
            await trying  # it does not wait for anybody, and what it took is let go below
            raise

    try:
        yield await _in_time(take, wait_seconds)
    finally:
        await asyncio.to_thread(lock.release)


def _try(lock: FileLock) -> bool:
    try:
        lock.acquire(blocking=False)
    except Timeout:
        return False
    except PermissionError as exc:
        raise Misconfigured("data_dir_unwritable", path=lock.lock_file, setting=FOLDER_SETTING) from exc
    return True


async def _in_time(take: Callable[[], Awaitable[bool]], wait_seconds: float) -> bool:
    loop = asyncio.get_running_loop()
    give_up = loop.time() + wait_seconds
    while not await take():
        if (left := give_up - loop.time()) <= 0:
            return False
        await asyncio.sleep(min(_POLL_SECONDS, left))
    return True


def _beside(engine: AsyncEngine, work: str) -> Path:
    database = (engine.url.database or "").removeprefix("file:")
    return Path(f"{database}.{_digest(work).hex()[:16]}.lock")


def _digest(work: str) -> bytes:
    return hashlib.sha256(work.encode()).digest()
