"""A load on two workers through a platform's stand-in, a worker that is killed, and how long an answer takes."""

import asyncio
import itertools
import signal
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import aiohttp
from aiohttp import web
from sqlalchemy import select

from adapters.sql.database.engine import open_engine
from adapters.sql.database.vault import new_key
from adapters.sql.tables.policies import inbox
from ops.bench.chat.load import Act, Asked, Ended, Line, Load, matched, needs_servers, told
from ops.bench.processes import environment
from ops.bench.stores import new_name, own_database_if_set
from ops.config import Config
from ops.servers.free_ports import ANY, free_port

_SECONDS = aiohttp.ClientTimeout(total=10.0, connect=1.0)
_NOT_PASSED_ON = frozenset({"host", "content-length", "transfer-encoding", "connection", "content-encoding"})


class Front:
    """A load balancer on loopback. A worker that does not take a connection, or breaks it before it answers, is left
    out for that request: the next one gets it, as a real balancer's retry would have it."""

    def __init__(self, workers: Sequence[str], session: aiohttp.ClientSession) -> None:
        self._workers = workers
        self._turn = itertools.count()
        self._session = session

    async def pass_on(self, request: web.Request) -> web.Response:
        body = await request.read()
        headers = {name: value for name, value in request.headers.items() if name.lower() not in _NOT_PASSED_ON}
        first = next(self._turn)
        for offset in range(len(self._workers)):
            worker = self._workers[(first + offset) % len(self._workers)]
            try:
                async with self._session.request(
                    request.method, worker + request.path_qs, data=body, headers=headers, timeout=_SECONDS
                ) as answer:
                    passed = {k: v for k, v in answer.headers.items() if k.lower() not in _NOT_PASSED_ON}
                    return web.Response(status=answer.status, body=await answer.read(), headers=passed)
            except aiohttp.ClientError:
                continue
        return web.Response(status=503)


@asynccontextmanager
async def open_front(workers: Sequence[str]) -> AsyncIterator[str]:
    """The address in front of these, of which more may come."""
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0), auto_decompress=True) as session:
        app = web.Application(client_max_size=2**21)
        app.router.add_route("*", "/{path:.*}", Front(workers, session).pass_on)
        running = web.AppRunner(app, access_log=None, shutdown_timeout=0.2)
        await running.setup()
        try:
            await web.TCPSite(running, "127.0.0.1", 0).start()
            yield f"http://127.0.0.1:{running.addresses[0][1]}"
        finally:
            await running.cleanup()


_START_SECONDS, _LOOK_SECONDS, _STOP_SECONDS = 300.0, 0.2, 45.0
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
    chat, pages = free_port(ANY), free_port(ANY)
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


HEAVY = Load(rate=20.0, seconds=60.0, burst=100)
KILLED = Load(rate=40.0, seconds=16.0, seed=11)
"""More than two workers can answer at once, so that the one that is killed has several in hand."""
LIGHT = Load(rate=5.0, seconds=40.0, again=0.0, malformed=0.0, seed=13)
SMALLEST = Load(rate=8.0, seconds=1.0, burst=2, channels=10, people=10)
EARLY_SECONDS, KILL_AT_SECONDS = 20.0, 8.0
WORKERS = 2
ANSWERED_WITHIN, ANSWERED_WITHIN_AFTER_KILL = 30.0, 60.0
LATE_SECONDS = 60.0
"""What has no answer by then counts as lost; until then it is only late."""

_LOADS = [
    ("load", HEAVY, ANSWERED_WITHIN),
    ("killed", KILLED, ANSWERED_WITHIN_AFTER_KILL),
    ("light", LIGHT, ANSWERED_WITHIN),
]
_ANSWERED = frozenset({200, 400, 401})
_STILL_SECONDS = 3.0


@dataclass(frozen=True, slots=True)
class Attempt:
    """A request to the bot: what it answered (0: not at all), after how many seconds."""

    status: int
    seconds: float


class Played(Protocol):
    """A stand-in with the people who do what a load says. `asked` grows with each question that was delivered;
    `broken` counts malformed ones that broke the server."""

    @property
    def asked(self) -> Sequence[Asked]: ...

    @property
    def broken(self) -> int: ...

    @property
    def attempts(self) -> Sequence[Attempt]: ...

    def populate(self, load: Load) -> None: ...

    async def act(self, act: Act) -> None:
        """Returns when the bot has acknowledged, or has not in time."""
        ...

    async def catch_up(self) -> None:
        """Until everything is delivered."""
        ...

    def shown(self) -> Sequence[tuple[str, float]]:
        """Terminal messages: the question that each answers, as `named` has it, and when it was posted."""
        ...

    def named(self, question_ids: Mapping[str, str]) -> Mapping[str, str]:
        """Claim key -> how `shown` names its question. `question_ids`: claim key -> id, as the inbox has them."""
        ...

    def figures(self, name: str) -> Iterable[Line]:
        """Lines on what is measured of this platform alone, with the load of that name."""
        ...


@dataclass(frozen=True, slots=True)
class Site:
    """Workers behind one address, and the platform that talks to them."""

    played: Played
    workers: Sequence[Worker]
    database: str


Open = Callable[[str], AbstractAsyncContextManager[tuple[Played, Mapping[str, str]]]]
"""Takes the bot's address; gives the platform, and the settings with which the bot meets it."""


async def bench_platform(config: Config, what: str, opened: Open, *, smallest: bool = False) -> int:
    """0; 1 where a figure is missed, 2 without the servers that it takes. `smallest`: one load, of a few questions."""
    if config.redis_url is None:
        print(needs_servers("ADPOLICY_REDIS_URL", what))
        return 2
    met = True
    for name, load, within in [("load", SMALLEST, ANSWERED_WITHIN)] if smallest else _LOADS:
        async with _open(config, opened) as site:
            if site is None:
                return 2
            ended = await _measured(site, load, kills=name == "killed", within=within)
            lines = [*told(name, load, ended, within), *site.played.figures(name)]
        for line in lines:
            print(line.text, flush=True)
            met &= line.is_met
    return 0 if met else 1


@asynccontextmanager
async def _open(config: Config, opened: Open) -> AsyncIterator[Site | None]:
    async with AsyncExitStack() as stack:
        address = await own_database_if_set(config, new_name(), stack)
        if address is None or config.redis_url is None:
            yield None
            return
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="adpolicy-bench-")))
        behind: list[str] = []  # filled below: workers have to know where the platform is, and it where they are
        front = await stack.enter_async_context(open_front(behind))
        played, settings = await stack.enter_async_context(opened(front))
        shared = {
            "ADPOLICY_DATABASE_URL": address,
            "ADPOLICY_REDIS_URL": config.redis_url.get_secret_value(),
            "ADPOLICY_REDIS_PREFIX": new_name(),
            "ADPOLICY_SECRET_KEY": new_key(),
            "ADPOLICY_LIMIT_WORKSPACE": "100000/minute",  # one workspace stands for many
        }
        workers = await stack.enter_async_context(open_workers({**shared, **settings}, folder, WORKERS))
        behind.extend(each.chat_url for each in workers)
        yield Site(played, workers, address)


async def _measured(site: Site, load: Load, *, kills: bool, within: float) -> Ended:
    played, early = site.played, dict[str, float]()
    played.populate(load)
    began, running = time.monotonic(), set[asyncio.Task[None]]()
    killed = False
    for act in load.acts():
        await asyncio.sleep(max(0.0, began + act.at - time.monotonic()))
        if not early and act.at >= min(EARLY_SECONDS, load.seconds / 2):
            early = {each.chat_url: each.megabytes() for each in site.workers}
        if kills and not killed and act.at >= KILL_AT_SECONDS:
            killed = True
            site.workers[0].kill()
        running.add(asyncio.create_task(played.act(act)))
    await asyncio.gather(*running)
    await played.catch_up()
    await _until_quiet(played, within)
    return await _counted(site, early)


async def _until_quiet(played: Played, within: float) -> None:
    """Until as many answers are there as there were questions, and then a moment for any that should not come."""
    due = sum(each.is_due for each in played.asked)
    until = time.monotonic() + within + LATE_SECONDS
    while len({each for each, _ in played.shown()}) < due:
        if time.monotonic() > until:
            return
        await asyncio.sleep(0.2)
    await asyncio.sleep(_STILL_SECONDS)


async def _counted(site: Site, early: dict[str, float]) -> Ended:
    played = site.played
    names = played.named(await _question_ids(site.database))
    seconds, lost, twice, foreign = matched(played.asked, names, played.shown())
    return Ended(
        questions=sum(each.is_due for each in played.asked),
        acknowledged=[each.seconds for each in played.attempts],
        answered=seconds,
        lost=lost,
        twice=twice,
        foreign=foreign,
        refused=sum(each.status not in _ANSWERED for each in played.attempts) + played.broken,
        megabytes={
            each.chat_url.rpartition(":")[2]: (early.get(each.chat_url, 0.0), each.megabytes())
            for each in site.workers
            if each.process.returncode is None
        },
    )


async def _question_ids(database: str) -> dict[str, str]:
    engine = open_engine(database)
    try:
        async with engine.connect() as connection:
            rows = await connection.execute(select(inbox.c.claim_key, inbox.c.question_id))
            return {str(key): str(question_id) for key, question_id in rows}
    finally:
        await engine.dispose()
