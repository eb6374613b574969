"""One database a test, of every kind."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.database import postgresql
from tests.fakes.databases import KINDS, migrated_engine

_PATIENT_SECONDS = 60.0
"""For a connection: on a busy machine a server that is there may take longer to greet than a bot waits for it."""


@pytest.fixture(autouse=True)
def patient_connections(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("_CONNECT_SECONDS", "_POOL_SECONDS"):
        assert hasattr(postgresql, name)
        monkeypatch.setattr(postgresql, name, _PATIENT_SECONDS)


@pytest.fixture(params=KINDS)
async def engine(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[AsyncEngine]:
    async with migrated_engine(tmp_path, request.param) as opened:
        yield opened
