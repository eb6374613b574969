"""Groups in every search index: by the letter."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from rag_core.documents import Classification
from rag_core.ports import IndexFilter
from tests.fakes.documents import Section, make_version, make_write
from tests.fakes.indexes import INDEX_MAKERS, INDEX_PARAMS, IndexPair

LEGAL = frozenset({"legal"})
RESTRICTED = Classification.RESTRICTED


@pytest.fixture(params=INDEX_PARAMS)
async def pair(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[IndexPair]:
    async with INDEX_MAKERS[request.param](tmp_path / "index") as made:
        yield made


@pytest.mark.parametrize("name", ["Legal", "LEGAL", " legal", "legal ", "legal*", "group:legal", "le", "*", ""])
async def test_a_group_whose_name_is_written_otherwise_is_another_one(pair: IndexPair, name: str) -> None:
    secret = make_version("acme_x", classification=RESTRICTED, allowed_groups=LEGAL)
    nobodys = make_version("acme_y", classification=RESTRICTED)
    await pair.fill(*(make_write(each, [Section("Alcohol", "whisky")]) for each in (secret, nobodys)))
    assert await pair.find("whisky", IndexFilter(groups=frozenset({name}))) == []
