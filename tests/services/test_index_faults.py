"""What can happen between the store and the index, and that a running bot heals it without a hand."""

import asyncio
import subprocess
import sys
from typing import Any

import aiohttp
import pytest

from ops.servers.opensearch import OpenSearchServer
from ops.servers.postgresql import PostgresServer
from tests.fakes.production import Bot, Place, running_bot, until

pytestmark = [pytest.mark.services, pytest.mark.timeout(600)]

NEW = "# Kites\n\n## United Kingdom\n\nAds for power kites are not allowed in the United Kingdom.\n"
KITES = "are ads for power kites allowed in the UK"
RUN = ("ingest", "run", "--quiet", "kites", "--policy-source", "acme", "--display-name", "Acme Ads")


@pytest.fixture
def kites(place: Place) -> Place:
    (place.folder / "kites").mkdir()
    (place.folder / "kites" / "kites.2026-01-01.md").write_text(NEW, encoding="utf-8")
    return place


async def call(server: OpenSearchServer, method: str, path: str, body: object = None) -> Any:
    async with aiohttp.ClientSession() as session, session.request(method, server.url + path, json=body) as response:
        return await response.json(content_type=None)


async def said_of_kites(bot: Bot, seconds: float = 120) -> None:
    """Returns when the new document is found."""

    async def prohibited() -> bool:
        status, reply = await bot.ask(KITES)
        return status == 200 and reply["verdict"] == "prohibited"

    await until(prohibited, seconds)


async def all_is_well(place: Place) -> None:
    code, said = await asyncio.to_thread(place.run, "ops", "doctor")
    assert code == 0, said


async def waiting(place: Place) -> int:
    [row] = await place.rows("SELECT count(*) FROM outbox")
    return int(row[0])


async def test_an_ingest_while_the_search_is_down_is_found_later(
    kites: Place, opensearch_server: OpenSearchServer
) -> None:
    async with running_bot(kites) as bot:
        await bot.answers()
        await opensearch_server.kill()
        code, said = await asyncio.to_thread(kites.run, *RUN)
        assert code == 3, said
        assert "Documents: 1 new" in said
        assert "Everything is stored, but the search index does not show it yet" in said
        assert await waiting(kites) == 1
        await opensearch_server.start()
        await said_of_kites(bot)
    await all_is_well(kites)


async def test_an_ingest_killed_between_store_and_index_is_found_later(
    kites: Place, opensearch_server: OpenSearchServer
) -> None:
    async with running_bot(kites) as bot:
        await bot.answers()
        await opensearch_server.pause()
        command = [sys.executable, "-m", *RUN]
        dying = await asyncio.create_subprocess_exec(*command, cwd=kites.folder, env=kites.environment)
        await until(lambda: _is_stored(kites))
        dying.kill()
        assert await dying.wait() == -9
        await opensearch_server.resume()
        await said_of_kites(bot)
    await all_is_well(kites)


async def _is_stored(place: Place) -> bool:
    return await waiting(place) == 1


async def test_an_index_that_takes_no_writes_for_a_while(kites: Place, opensearch_server: OpenSearchServer) -> None:
    async with running_bot(kites) as bot:
        await bot.answers()
        indexes = f"/{kites.settings['OPENSEARCH_INDEX']}-*/_settings"
        await call(opensearch_server, "PUT", indexes, {"index.blocks.read_only_allow_delete": True})
        code, said = await asyncio.to_thread(kites.run, *RUN)
        assert code == 3, said
        await bot.answers()  # reading goes on
        await call(opensearch_server, "PUT", indexes, {"index.blocks.read_only_allow_delete": None})
        await said_of_kites(bot)
    await all_is_well(kites)


async def test_an_index_of_an_older_version_is_replaced_and_never_believed(
    place: Place, opensearch_server: OpenSearchServer
) -> None:
    prefix = place.settings["OPENSEARCH_INDEX"]
    async with running_bot(place) as bot:
        before = await bot.answers()
    aliases = await call(opensearch_server, "GET", f"/{prefix}-*/_alias")
    [name] = aliases
    [alias] = aliases[name]["aliases"]
    older = {"mappings": {"_meta": {"schema": 0}, "properties": {"body": {"type": "text"}}}}
    await call(opensearch_server, "PUT", f"/{prefix}-older", older)
    moves = [
        {"remove": {"index": name, "alias": alias}},
        {"add": {"index": f"{prefix}-older", "alias": alias}},
    ]
    await call(opensearch_server, "POST", "/_aliases", {"actions": moves})
    async with running_bot(place) as bot:
        after = await bot.answers()
        assert after["statements"] == before["statements"]
        assert await bot.figure("adpolicy_index_rebuilds_total") == 1
    await all_is_well(place)


async def test_an_index_that_is_deleted_is_built_again_and_nothing_wrong_is_said_meanwhile(
    place: Place, opensearch_server: OpenSearchServer
) -> None:
    async with running_bot(place) as bot:
        before = await bot.answers()
        await call(opensearch_server, "DELETE", f"/{place.settings['OPENSEARCH_INDEX']}-*")
        after = await bot.answers()
        assert after["statements"] == before["statements"]
    await all_is_well(place)


async def test_the_database_goes_away_in_the_middle_of_an_ingest(kites: Place, postgres_server: PostgresServer) -> None:
    """Nothing half done stays; the next run does it."""
    async with running_bot(kites) as bot:
        await bot.answers()
        for number in range(30):
            text = NEW.replace("kites", f"kites{number}")
            (kites.folder / "kites" / f"kites{number}.2026-01-01.md").write_text(text, encoding="utf-8")
        command = [sys.executable, "-m", *RUN]
        running = await asyncio.create_subprocess_exec(
            *command, cwd=kites.folder, env=kites.environment, stderr=subprocess.DEVNULL
        )
        await until(lambda: _some_are_stored(kites))
        await postgres_server.kill()
        code = await running.wait()
        await postgres_server.start()
        assert code in (0, 3)  # a restart within a second or two is only waited for
        code, said = await asyncio.to_thread(kites.run, *RUN)
        assert code == 0, said
        await said_of_kites(bot)
    [row] = await kites.rows("SELECT count(*) FROM versions WHERE policy_source = 'acme'")
    assert row[0] == 31
    await all_is_well(kites)


async def _some_are_stored(place: Place) -> bool:
    [row] = await place.rows("SELECT count(*) FROM versions WHERE policy_source = 'acme'")
    return int(row[0]) > 3
