"""SourceRuns: the last look at each source, on every database."""

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.policies.sources import SqlSourceRuns
from ingest.ports import SourceRun

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)


@pytest.fixture
def runs(engine: AsyncEngine) -> SqlSourceRuns:
    return SqlSourceRuns(engine)


async def test_a_source_that_was_never_looked_at_is_missing(runs: SqlSourceRuns) -> None:
    assert await runs.known() == {}


async def test_the_last_look_replaces_the_one_before(runs: SqlSourceRuns) -> None:
    failed = SourceRun("acme", NOON, NOON + timedelta(minutes=2), "source_timeout", 3)
    await runs.keep(failed)
    await runs.keep(SourceRun("brim.docs", NOON))
    assert await runs.known() == {"acme": failed, "brim.docs": SourceRun("brim.docs", NOON)}

    again = SourceRun("acme", NOON + timedelta(hours=1), failures=3)
    await runs.keep(again)
    assert await runs.known() == {"acme": again, "brim.docs": SourceRun("brim.docs", NOON)}


async def test_moments_come_back_to_the_microsecond_and_in_utc(runs: SqlSourceRuns) -> None:
    exact = NOON.replace(microsecond=123_457)
    await runs.keep(SourceRun("acme", exact, exact))
    run = (await runs.known())["acme"]
    assert (run.started_at, run.finished_at, run.started_at.utcoffset()) == (exact, exact, timedelta(0))
