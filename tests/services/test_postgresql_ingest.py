"""Several processes that ingest into one PostgreSQL at once, and processes whose clocks are wrong."""

import asyncio
import json
import sys
from collections import Counter
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.database import moments
from adapters.sql.database.engine import open_engine
from adapters.sql.database.transactions import fetch
from adapters.sql.database.types import utc_now
from adapters.sql.policies.outbox import SqlOutbox
from adapters.sql.policies.store import SqlPolicyStore
from adapters.sql.policies.versions import SqlVersionStore
from adapters.sql.tables.policies import outbox, versions
from tests.fakes.databases import SCRIPTS, migrated_database
from tests.fakes.documents import ACME, make_version, make_write

pytestmark = pytest.mark.services

NOBODY: frozenset[str] = frozenset()
DOCUMENTS = 12


@pytest.fixture
async def address(tmp_path: Path) -> AsyncIterator[str]:
    async with migrated_database(tmp_path, "postgresql") as made:
        yield made


@pytest.fixture
async def engine(address: str) -> AsyncIterator[AsyncEngine]:
    opened = open_engine(address)
    yield opened
    await opened.dispose()


def write_documents(folder: Path, word: str) -> None:
    folder.mkdir(exist_ok=True)
    for number in range(DOCUMENTS):
        body = f"# Rule {number}\n\n## Alcohol\n\nAds for {word} number {number} are not allowed.\n"
        (folder / f"rule-{number:02}.md").write_text(body, encoding="utf-8")


async def ingest_elsewhere(address: str, documents: Path, index: Path) -> dict[str, Any]:
    command = (sys.executable, "-m", "tests.fakes.ingest_process", address, str(documents), str(index))
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(*command, stdout=pipe, stderr=pipe, cwd=SCRIPTS.parents[1])
    out, err = await process.communicate()
    assert process.returncode == 0, err.decode()
    found: dict[str, Any] = json.loads(out)
    return found


async def test_two_processes_that_ingest_the_same_do_it_once(address: str, engine: AsyncEngine, tmp_path: Path) -> None:
    documents, index = tmp_path / "documents", tmp_path / "index"
    for turn, word in enumerate(("beer", "wine"), 1):
        write_documents(documents, word)
        reports = await asyncio.gather(*(ingest_elsewhere(address, documents, index) for _ in range(2)))
        assert [report["failed"] for report in reports] == [[], []]
        assert sorted(report["unchanged"] for report in reports) == [0, DOCUMENTS]
        stored = await SqlVersionStore(engine).stored("acme-docs")
        assert set(Counter(version.document_id for version in stored).values()) == {turn}
        assert len(stored) == DOCUMENTS * turn
        assert await SqlOutbox(engine).waiting() == []
    shown = [passage async for batch in SqlOutbox(engine).all_passages() for passage in batch]
    assert Counter("wine" in passage.chunk.chunk_text for passage in shown) == {True: DOCUMENTS}


async def test_two_savers_without_a_lease_lose_and_double_nothing(address: str) -> None:
    """As if the lease had been lost in the middle: the rows alone keep order."""
    writes = [make_write(make_version(f"acme_{number:02}")) for number in range(20)]
    engines = [open_engine(address) for _ in range(2)]
    stores = [SqlVersionStore(engine) for engine in engines]

    async def save(store: SqlVersionStore, order: int) -> None:
        await store.declare(ACME)
        for start in range(0, 20, 4):
            await store.save(writes[start : start + 4][::order], [])

    await asyncio.gather(*(save(store, order) for store in stores for order in (1, -1)))
    assert await stores[0].stored("acme-folder") == [each.version for each in writes]
    assert len(await SqlOutbox(engines[0]).waiting()) == 20
    for engine in engines:
        await engine.dispose()


@pytest.mark.parametrize("minutes", [-5, 5])
async def test_a_clock_that_is_wrong_holds_nothing_back_and_hurries_nothing(
    engine: AsyncEngine, monkeypatch: pytest.MonkeyPatch, minutes: int
) -> None:
    monkeypatch.setattr(moments, "utc_now", lambda: utc_now() + timedelta(minutes=minutes))
    store, box = SqlVersionStore(engine), SqlOutbox(engine)
    await store.declare(ACME)
    await store.save([make_write(), make_write(make_version("acme_b"))], [])
    first, second = await box.pending(9)
    await box.failed(first.item_id, "down")
    assert await box.pending(9) == [second]
    row = (await fetch(engine, select(outbox).where(outbox.c.item_id == first.item_id)))[0]
    assert timedelta(seconds=4) < row.next_try_at - row.created_at < timedelta(seconds=7)
    lag = await box.lag()
    assert lag.oldest is not None
    assert abs(lag.oldest - utc_now()) < timedelta(minutes=1)
    assert len(await fetch(engine, select(versions.c.doc_id))) == len(await SqlPolicyStore(engine).versions(NOBODY))
