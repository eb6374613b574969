"""A load on two workers through a platform's stand-in, a worker that is killed, and how long an answer takes."""

import asyncio
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from sqlalchemy import select

from adapters.sql.engine import open_engine
from adapters.sql.tables import inbox
from adapters.sql.vault import new_key
from ops.bench.chat import wording
from ops.bench.chat.counting import Asked, Ended, matched
from ops.bench.chat.front import open_front
from ops.bench.chat.schedule import Act, Load
from ops.bench.chat.workers import Worker, open_workers
from ops.bench.databases import own_database_if_set
from ops.bench.stores import new_name
from ops.config import Config

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

    def figures(self, name: str) -> Iterable[wording.Line]:
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
        print(wording.needs_servers("ADPOLICY_REDIS_URL", what))
        return 2
    met = True
    for name, load, within in [("load", SMALLEST, ANSWERED_WITHIN)] if smallest else _LOADS:
        async with _open(config, opened) as site:
            if site is None:
                return 2
            ended = await _measured(site, load, kills=name == "killed", within=within)
            lines = [*wording.told(name, load, ended, within), *site.played.figures(name)]
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
