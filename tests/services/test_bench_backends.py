"""`python -m ops bench backends` on real servers: every part has its line, and nothing is left behind."""

import os
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from adapters.sql.database.engine import open_engine
from ops.backends import connect_opensearch
from ops.bench import backends, deliveries
from ops.bench.backends import bench_backends
from ops.config import Config
from tests.fakes.services import address_of

pytestmark = [pytest.mark.services, pytest.mark.timeout(900)]

NAME = f"adpolicy-bench-test{os.getpid()}"


async def left_behind(config: Config) -> list[str]:
    """Indexes and databases of this test's name."""
    client = connect_opensearch(config)
    assert client is not None
    assert config.database_url is not None
    engine = open_engine(config.database_url.get_secret_value())
    try:
        indexes = await client.call("GET", f"/_cat/indices/{NAME}*", params={"format": "json", "h": "index"})
        async with engine.connect() as connection:
            names = list((await connection.execute(text("SELECT datname FROM pg_database"))).scalars())
        return [each["index"] for each in indexes] + [each for each in names if NAME.replace("-", "_") in each]
    finally:
        await client.aclose()
        await engine.dispose()


async def test_every_part_has_its_line_and_nothing_is_left(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    kinds = {"database_url": "postgresql", "opensearch_url": "opensearch", "redis_url": "redis"}
    servers: dict[str, Any] = {setting: address_of(kind) for setting, kind in kinds.items()}
    config = Config(data_dir=tmp_path, **servers)
    numbers = iter(range(100))
    for module in (backends, deliveries):
        monkeypatch.setattr(module, "new_name", lambda: f"{NAME}-{next(numbers)}")
    assert await bench_backends(config, tmp_path, 1_000, frozenset({"scifact", "real", "callers"})) == 0
    lines = capsys.readouterr().out.splitlines()
    for begins in (
        "1,000 chunks, made of",
        "LocalIndex against bare tantivy + numpy, hybrid, depth 100: ",
        "OpenSearchIndex against bare opensearch-py, hybrid, depth 100: ",
        "LocalIndex, 1,000 chunks rebuilt from SQLite: ",
        "OpenSearchIndex, 1,000 chunks rebuilt from PostgreSQL: ",
        "first ten on the samples, OpenSearchIndex against LocalIndex over ",
        "claims (Redis): 100 of 1,000 deliveries at once ran",
        "inbox (PostgreSQL): 100 of 1,000 deliveries at once ran",
    ):
        assert sum(line.startswith(begins) for line in lines) == 1, (begins, lines)
    assert not [line for line in lines if line.startswith("left out")]
    assert await left_behind(config) == []


async def test_what_is_not_set_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = Config(data_dir=tmp_path)
    without = frozenset({"scifact", "latency", "callers"})
    assert await bench_backends(config, tmp_path / "nothing", 1_000, without) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if line.startswith("left out")] == [
        f"left out: the real policies, not found at {tmp_path / 'nothing'}",
        "left out: OpenSearchIndex, ADPOLICY_OPENSEARCH_URL is not set",
        "left out: PostgreSQL, ADPOLICY_DATABASE_URL is not set",
        "left out: claims and locks in Redis, ADPOLICY_REDIS_URL is not set",
    ]
    assert "inbox (SQLite): 100 of 1,000 deliveries at once ran" in "\n".join(lines)
