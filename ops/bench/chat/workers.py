"""The bot as it runs in production, as processes that can be counted, weighed and killed."""

import asyncio
import signal
import socket
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import aiohttp

from ops.bench.processes import environment

_START_SECONDS, _LOOK_SECONDS, _STOP_SECONDS = 120.0, 0.2, 45.0
_ROOT = Path(__file__).resolve().parents[3]


@dataclass(frozen=True, slots=True)
class Worker:
    """`chat_url`: where a platform reaches it."""

    process: asyncio.subprocess.Process
    chat_url: str
    web_url: str

    def megabytes(self) -> float:
        """Resident memory of the process itself; 0 once it is gone."""
        try:
            lines = Path(f"/proc/{self.process.pid}/status").read_text(encoding="utf-8").splitlines()
        except OSError:
            return 0.0
        [kilobytes] = [int(line.split()[1]) for line in lines if line.startswith("VmRSS:")] or [0]
        return kilobytes / 1024

    def kill(self) -> None:
        """As `kill -9` does: nothing is finished."""
        self.process.send_signal(signal.SIGKILL)


@asynccontextmanager
async def open_workers(settings: Mapping[str, str], folder: Path, count: int) -> AsyncIterator[Sequence[Worker]]:
    """Servers with these settings, each with a data folder of its own; what they say goes to `worker-N.log` in
    `folder`. Raises TimeoutError when one does not become ready."""
    workers: list[Worker] = []
    try:
        for number in range(count):  # one after the other: the first one makes the tables and reads the documents
            workers.append(await _start(settings, folder / f"worker-{number}"))
        yield workers
    finally:
        await asyncio.gather(*(_stop(each) for each in workers))


async def _start(settings: Mapping[str, str], folder: Path) -> Worker:
    chat, pages = _free_port(), _free_port()
    own = environment(DATA_DIR=str(folder), CHAT_BIND=f"127.0.0.1:{chat}", WEB_BIND=f"127.0.0.1:{pages}")
    with (folder.parent / f"{folder.name}.log").open("wb") as log:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "bot", "serve", env={**own, **settings}, cwd=_ROOT, stdout=log, stderr=log
        )
    worker = Worker(process, f"http://127.0.0.1:{chat}", f"http://127.0.0.1:{pages}")
    await _until_ready(worker)
    return worker


async def _until_ready(worker: Worker) -> None:
    async with aiohttp.ClientSession() as session:
        for _ in range(int(_START_SECONDS / _LOOK_SECONDS)):
            if await _is_ready(session, worker):
                return
            await asyncio.sleep(_LOOK_SECONDS)
    raise TimeoutError(worker.web_url)


async def _is_ready(session: aiohttp.ClientSession, worker: Worker) -> bool:
    if worker.process.returncode is not None:
        raise TimeoutError(worker.process.returncode)
    try:
        async with session.get(f"{worker.web_url}/readyz") as answer:
            return answer.ok
    except aiohttp.ClientError:
        return False


async def _stop(worker: Worker) -> None:
    if worker.process.returncode is None:
        worker.process.terminate()
    try:
        async with asyncio.timeout(_STOP_SECONDS):
            await worker.process.wait()
    except TimeoutError:
        worker.kill()
        await worker.process.wait()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
