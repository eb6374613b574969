"""Redis."""

import os
from pathlib import Path

from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from ops.servers.free_ports import ANY
from ops.servers.local_server import LocalServer
from ops.servers.packages import Say
from ops.servers.programs import redis_program
from ops.servers.wording import tell


class RedisServer(LocalServer):
    """Every write is in its log when it is answered, so that a killed server comes back with all."""

    KIND = "redis"
    START_SECONDS = 30

    def __init__(self, folder: Path, *, say: Say = tell) -> None:
        super().__init__(folder, {"server": ANY}, say)

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self._ports['server']}/0"

    async def _launch(self) -> None:
        program = await redis_program(self._say)
        home = self.folder / "home"
        home.mkdir(parents=True, exist_ok=True)
        await self._ports.give_way()
        argv = [str(program), "--port", str(self._ports["server"]), "--bind", "127.0.0.1", "--dir", str(home)]
        argv += ["--save", "", "--appendonly", "yes", "--daemonize", "no"]
        self._process.launch(argv, cwd=home, env=os.environ)

    async def _answers(self) -> bool:
        client = Redis(
            host="127.0.0.1", port=self._ports["server"], socket_timeout=2, socket_connect_timeout=2,
            retry=Retry(NoBackoff(), 0), decode_responses=True,
        )  # fmt: skip
        try:
            found = await client.config_get("dir")
        except (RedisError, OSError, TimeoutError):
            return False
        finally:
            await client.aclose()
        return bool(found["dir"] == str(self.folder / "home"))
