"""The servers of one folder, shared by everyone who uses that folder at the same time."""

import asyncio
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import IO

from ops.servers import wording
from ops.servers.folders import locked, open_lock, remove, try_lock
from ops.servers.local_server import LocalServer
from ops.servers.opensearch import OpenSearchServer
from ops.servers.packages import Say
from ops.servers.postgresql import PostgresServer
from ops.servers.processes import ServerProcess
from ops.servers.redis import RedisServer
from rag_core.errors import PolicyBotError

SETTINGS = {
    "postgresql": "ADPOLICY_DATABASE_URL",
    "opensearch": "ADPOLICY_OPENSEARCH_URL",
    "redis": "ADPOLICY_REDIS_URL",
}
Failures = dict[str, PolicyBotError]


class ServerSet:
    """PostgreSQL, OpenSearch and Redis of one folder.

    What `up` started stays until `down`; what `lease` started stays until the last who leases has gone.
    `volatile`: what is started here need not outlive the machine.
    """

    def __init__(self, folder: Path, say: Say = wording.tell, *, volatile: bool = False) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._say = say
        self._servers: Mapping[str, LocalServer] = {
            "postgresql": PostgresServer(folder / "postgresql", volatile=volatile, say=say),
            "opensearch": OpenSearchServer(folder / "opensearch", say=say),
            "redis": RedisServer(folder / "redis", say=say),
        }

    def settings(self, kinds: Sequence[str]) -> dict[str, str]:
        """Name and value of the settings of those."""
        return {name: self._servers[kind].url for kind, name in SETTINGS.items() if kind in kinds}

    async def up(self, kinds: Sequence[str]) -> Failures:
        """Start what is not running, to stay. Those that could not be started, and why."""
        async with self._changing():
            failures = await self._start(kinds)
            for kind in set(kinds) - set(failures):
                self._kept(kind).touch()
        return failures

    async def down(self, kinds: Sequence[str]) -> None:
        """Stop them and remove their data."""
        async with self._changing():
            dropped = [await self._drop(kind) for kind in kinds]
        if not any(dropped):
            self._say(wording.NOTHING_RUNS)

    @asynccontextmanager
    async def lease(self, kinds: Sequence[str]) -> AsyncIterator[Failures]:
        """They run meanwhile, but for those that could not be started."""
        with open_lock(self._folder / "users.lock") as users:
            try:
                yield await self._join(kinds, users)
            finally:
                await self._leave(users)

    async def _join(self, kinds: Sequence[str], users: IO[bytes]) -> Failures:
        async with self._changing():
            try_lock(users, shared=True)  # held alone only while `_changing` is
            for kind in kinds:
                if not self._stays(kind) and not self._process(kind).running():
                    remove(self._folder / kind)  # left by one who was killed
            return await self._start(kinds)

    async def _leave(self, users: IO[bytes]) -> None:
        async with self._changing():
            if not try_lock(users, shared=False):
                return
            for kind in self._servers:
                if not self._stays(kind):
                    await self._drop(kind)

    async def _start(self, kinds: Sequence[str]) -> Failures:
        failures: Failures = {}
        async with asyncio.TaskGroup() as group:
            for kind in kinds:
                group.create_task(self._start_one(kind, failures))
        return failures

    async def _start_one(self, kind: str, failures: Failures) -> None:
        begun = time.monotonic()
        if not self._process(kind).running():
            self._say(wording.starting(kind))
        try:
            new = await self._servers[kind].start()
        except PolicyBotError as exc:
            failures[kind] = exc
            return
        url = self._servers[kind].url
        self._say(wording.started(kind, url, time.monotonic() - begun) if new else wording.found(kind, url))

    async def _drop(self, kind: str) -> bool:
        """Whether there was something to stop."""
        ran = self._process(kind).running()
        await self._servers[kind].stop()
        await asyncio.to_thread(remove, self._folder / kind)
        if ran:
            self._say(wording.stopped(kind))
        return ran

    def _process(self, kind: str) -> ServerProcess:
        return ServerProcess(self._folder / kind, kind)

    def _stays(self, kind: str) -> bool:
        return self._kept(kind).exists()

    def _kept(self, kind: str) -> Path:
        return self._folder / kind / "kept"

    def _changing(self) -> AbstractAsyncContextManager[object]:
        return locked(self._folder / "change.lock", waiting=lambda: self._say(wording.WAITING))
