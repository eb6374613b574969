from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.fakes.missing import missing
from tests.fakes.workshop import Workshop, open_workshop

SHARED_DATA = Path(__file__).resolve().parents[4] / "shared" / "data"


@pytest.fixture
async def workshop(tmp_path: Path) -> AsyncIterator[Workshop]:
    async with open_workshop(tmp_path) as opened:
        yield opened


@pytest.fixture
def shared_data() -> Path:
    """The real documents beside the project."""
    if not SHARED_DATA.is_dir():
        missing("the public data sets (../shared/data) are not here")
    return SHARED_DATA
