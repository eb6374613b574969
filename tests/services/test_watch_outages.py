"""`python -m ingest watch` over a PostgreSQL server that goes away and comes back."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.fakes.postgresql_server import PostgresqlServer, postgresql_server
from tests.fakes.program import environment
from tests.fakes.watch_process import watching

pytestmark = pytest.mark.services

CATALOGUE = """sources:
  - {{id: acme, type: folder, path: docs, schedule: {schedule}, policy_source: acme, display_name: Acme Ads}}
"""


@pytest.fixture
async def server() -> AsyncIterator[PostgresqlServer]:
    async with postgresql_server() as running:
        yield running


async def test_a_server_that_is_killed_is_waited_for_and_said_once(server: PostgresqlServer, tmp_path: Path) -> None:
    catalogue, docs = tmp_path / "catalogue.yaml", tmp_path / "docs"
    docs.mkdir()
    (docs / "beer.md").write_text("# Beer\n\nNo beer ads.\n", encoding="utf-8")
    catalogue.write_text(CATALOGUE.format(schedule="every 1h"), encoding="utf-8")
    env = environment(tmp_path / "data", DATABASE_URL=server.url)
    with watching(catalogue, env, tmp_path / "watch.log") as watch:
        await asyncio.to_thread(watch.wait_for, "1 new", 60.0)
        server.kill()
        await asyncio.to_thread(watch.wait_for, "The store does not answer")
        (docs / "wine.md").write_text("# Wine\n\nNo wine ads.\n", encoding="utf-8")
        catalogue.write_text(CATALOGUE.format(schedule="every 2h"), encoding="utf-8")
        await asyncio.sleep(8)
        await server.start()
        await asyncio.to_thread(watch.wait_for, "The store answers again.", 90.0)
        await asyncio.to_thread(watch.wait_for, "acme: Documents: 1 new, 0 changed, 1 unchanged", 60.0)
        code = await asyncio.to_thread(watch.end)
    assert code == 0
    assert watch.said.count("The store does not answer") == 1
    assert watch.said.count("The store answers again.") == 1
    assert watch.said.count("Watching 1 source") == 1
