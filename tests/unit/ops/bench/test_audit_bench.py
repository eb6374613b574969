"""The benchmark of the record measures what verifies."""

from pathlib import Path

from adapters.sql.audit.reading import SqlAuditReading
from bot.audit.trust import Trusted
from ops.audit.verifying import check_chain
from ops.bench.audit import load, write_records
from ops.bench.timing import Rate
from ops.bench.wording import audit_verified, audit_written
from ops.cli import parse
from tests.fakes.databases import migrated_engine


async def test_what_is_loaded_in_bulk_is_a_chain(tmp_path: Path) -> None:
    async with migrated_engine(tmp_path) as engine:
        await load(engine, 2_300)
        reading = SqlAuditReading(engine)
        checked = await check_chain(reading, "bench-loaded", Trusted(), columns=True)
    assert (checked.records, checked.findings) == (2_300, ())


async def test_what_the_writers_say_they_wrote_is_there(tmp_path: Path) -> None:
    async with migrated_engine(tmp_path) as engine:
        written = await write_records("", str(engine.url.render_as_string(hide_password=False)), 3, 0.2)
        checked = await check_chain(SqlAuditReading(engine), "bench-written", Trusted(), columns=True)
    assert written > 0
    assert (checked.records, checked.findings) == (written, ())


def test_the_figures_are_said_with_their_targets() -> None:
    rate = Rate(5_000, 10.0, 200)
    assert "500 records a second for 10 s (target 200" in audit_written("SQLite", 1, 8, rate)
    assert "8 processes" in audit_written("SQLite", 8, 8, rate)
    assert "from the stored bytes: 500" in audit_verified("SQLite", columns=False, rate=rate)
    assert parse(["bench", "audit"]).what == "audit"
