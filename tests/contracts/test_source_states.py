"""What is remembered of sources, and the bytes of documents, on every database."""

from datetime import UTC, datetime

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.policies.sources import SqlSourceStates
from adapters.sql.policies.versions import SqlRawFiles
from ingest.ports import ItemState
from rag_core.errors import Rejected

LATER = datetime(2026, 6, 1, 12, tzinfo=UTC)
HELLO = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"  # pragma: allowlist secret


@pytest.fixture
def states(engine: AsyncEngine) -> SqlSourceStates:
    return SqlSourceStates(engine)


@pytest.fixture
def raw_files(engine: AsyncEngine) -> SqlRawFiles:
    return SqlRawFiles(engine)


async def test_what_is_kept_comes_back_by_origin(states: SqlSourceStates) -> None:
    whole = ItemState("b/ü.html", 'W/"1"', misses=2, failures=1, failed_with="fetch_failed", retry_at=LATER)
    await states.keep("acme", [whole, ItemState("a.md")])
    assert await states.known("acme") == {"a.md": ItemState("a.md"), "b/ü.html": whole}
    assert await states.known("brim") == {}


async def test_keeping_again_replaces(states: SqlSourceStates) -> None:
    await states.keep("acme", [ItemState("a.md", "1", failures=3, failed_with="x", retry_at=LATER), ItemState("b.md")])
    await states.keep("acme", [ItemState("a.md", "2")])
    assert await states.known("acme") == {"a.md": ItemState("a.md", "2"), "b.md": ItemState("b.md")}


async def test_what_is_forgotten_is_unknown_and_others_stay(states: SqlSourceStates) -> None:
    await states.keep("acme", [ItemState("a.md"), ItemState("b.md")])
    await states.keep("brim", [ItemState("a.md")])
    await states.forget("acme", ["a.md", "never there"])
    assert list(await states.known("acme")) == ["b.md"]
    assert list(await states.known("brim")) == ["a.md"]


async def test_thousands_of_items_at_once(states: SqlSourceStates) -> None:
    many = [ItemState(f"page-{number:05}", str(number)) for number in range(3_000)]
    await states.keep("acme", many)
    assert await states.known("acme") == {each.origin: each for each in many}


async def test_bytes_are_kept_once_and_come_back(raw_files: SqlRawFiles) -> None:
    await raw_files.keep(HELLO, b"hello")
    await raw_files.keep(HELLO, b"hello")
    assert await raw_files.read(HELLO) == b"hello"
    assert await raw_files.read("0" * 64) is None


async def test_bytes_that_are_not_what_their_key_says_are_refused(raw_files: SqlRawFiles) -> None:
    with pytest.raises(Rejected, match="raw_file_differs"):
        await raw_files.keep(HELLO, b"hello!")
    assert await raw_files.read(HELLO) is None
