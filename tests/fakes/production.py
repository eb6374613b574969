"""The bot on three servers of its own, as an operator runs it, with Slack's stand-in before it."""

import asyncio
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import aiohttp
import asyncpg
from prometheus_client.parser import text_string_to_metric_families

from ops.sandbox.slack import SlackStandIn
from tests.fakes.program import SIGNING_SECRET, Ports, Server, environment, free_ports, run, running_server

QUESTION = "can I advertise alcohol in the UK"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a bot keeps everything: a database, an index and keys of its own on these servers, and a data folder."""

    folder: Path
    settings: Mapping[str, str]

    @property
    def data_dir(self) -> Path:
        return self.folder / "data"

    @property
    def environment(self) -> dict[str, str]:
        return environment(self.data_dir, **self.settings)

    def run(self, module: str, *arguments: str) -> tuple[int, str]:
        """`python -m MODULE ARGUMENTS` to its end: the exit code and all that it printed."""
        ended = run(module, *arguments, env=self.environment, cwd=self.folder)
        return ended.returncode, ended.stdout + ended.stderr

    async def rows(self, query: str) -> list[asyncpg.Record]:
        """What the database says."""
        connection = await asyncpg.connect(self.settings["DATABASE_URL"])
        try:
            return list(await connection.fetch(query))
        finally:
            await connection.close()


async def furnished(folder: Path, database: str) -> str:
    """The name of a new database with the samples in it; places are made from it."""
    place = Place(folder, {"DATABASE_URL": await _new_database(database)})
    code, said = await asyncio.to_thread(place.run, "ingest", "run", "--quiet")
    if code:
        raise RuntimeError(said)
    return urlsplit(place.settings["DATABASE_URL"]).path.lstrip("/")


async def made_place(folder: Path, database: str, opensearch: str, redis: str, template: str = "template1") -> Place:
    """A database made from `template`. The index is nowhere yet: a running bot builds it."""
    address = await _new_database(database, template)
    name = urlsplit(address).path.lstrip("/")
    settings = {
        "DATABASE_URL": address,
        "OPENSEARCH_URL": opensearch,
        "OPENSEARCH_INDEX": name,
        "OPENSEARCH_SECONDS": "5",
        "REDIS_URL": redis,
        "REDIS_PREFIX": name,
        "LOG_FORMAT": "json",
    }
    return Place(folder, settings)


async def _new_database(server: str, template: str = "template1") -> str:
    name = f"t{secrets.token_hex(6)}"
    connection = await asyncpg.connect(server)
    try:
        await connection.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}"')
        # A copied sequence believes that its next numbers are in the log already, and they are in the template's only:
        # after a crash PostgreSQL (15 and later) would give those numbers again. After a checkpoint it logs anew.
        await connection.execute("CHECKPOINT")
    finally:
        await connection.close()
    return urlsplit(server)._replace(path=f"/{name}").geturl()


@dataclass(frozen=True, slots=True)
class Bot:
    """One running process. `slack` is beside it."""

    server: Server
    slack: SlackStandIn
    web: aiohttp.ClientSession

    async def ask(self, question: str = QUESTION, **more: Any) -> tuple[int, dict[str, Any]]:
        """Status and JSON of REST."""
        async with self.web.post(f"{self.server.web_url}/api/v1/ask", json={"question": question, **more}) as response:
            return response.status, await response.json(content_type=None)

    async def answers(self, question: str = QUESTION, seconds: float = 120.0, **more: Any) -> dict[str, Any]:
        """The first answer with nothing degraded; TimeoutError after `seconds`. No other reply may say anything else
        than "restricted", or that the search is down: an index that is not there yet must not look like silence of
        the policies."""
        found: list[dict[str, Any]] = []

        async def whole() -> bool:
            status, reply = await self.ask(question, **more)
            found.append(reply)
            assert status == 503 or (status, reply["verdict"]) == (200, "restricted"), reply
            return status == 200 and not reply["degraded"]

        await until(whole, seconds)
        return found[-1]

    async def ready(self) -> tuple[int, dict[str, Any]]:
        async with self.web.get(f"{self.server.web_url}/readyz") as response:
            return response.status, await response.json()

    async def figure(self, name: str, **labels: str) -> float:
        """The sum of the samples of a metric with these labels."""
        async with self.web.get(f"{self.server.web_url}/metrics") as response:
            families = text_string_to_metric_families(await response.text())
        samples = [sample for family in families for sample in family.samples if sample.name == name]
        return sum(sample.value for sample in samples if labels.items() <= sample.labels.items())


async def until(look: Callable[[], Awaitable[bool]], seconds: float = 120.0) -> None:
    """Returns as soon as `look` says so; TimeoutError after `seconds`."""
    give_up = time.monotonic() + seconds
    while not await look():
        if time.monotonic() > give_up:
            raise TimeoutError(f"{look.__qualname__} did not come true in {seconds} s")
        await asyncio.sleep(0.2)


@asynccontextmanager
async def second_bot(
    place: Place, first: Bot, settings: Mapping[str, str], wrapper: Sequence[str] = ()
) -> AsyncIterator[Bot]:
    """Another process on the same servers and the same Slack, with a data folder of its own."""
    chat, web = free_ports(2)
    ports = Ports(chat, web, first.server.slack_port)
    folder = place.folder / "second"
    (folder / "data").mkdir(parents=True)
    with running_server(folder / "data", ports, {**place.settings, **settings}, wrapper) as server:
        yield Bot(server, first.slack, first.web)


@asynccontextmanager
async def running_bot(
    place: Place,
    settings: Mapping[str, str] | None = None,
    wrapper: Sequence[str] = (),
    slack: SlackStandIn | None = None,
) -> AsyncIterator[Bot]:
    """A server process that listens, with Slack beside it; killed at the end."""
    ports = Ports(*free_ports(3))
    given = {**place.settings, **(settings or {})}
    with running_server(place.data_dir, ports, given, wrapper) as server:
        stand_in = SlackStandIn(server.chat_url, SIGNING_SECRET)
        await stand_in.start(server.slack_port)
        try:
            async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=60)) as web:
                yield Bot(server, stand_in, web)
        finally:
            await stand_in.stop()
