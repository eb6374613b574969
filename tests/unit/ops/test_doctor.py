"""doctor and reindex on a real store and a real index; only the model is a fake, so that what it embeds is counted."""

import shutil
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.database.engine import open_engine
from adapters.sql.policies.rules import SqlKeptReadings
from adapters.sql.policies.store import SqlKeptPassages
from ingest.model.fingerprints import fingerprint
from ingest.ports import IndexedChunk, IndexEntry
from ops.commands.doctor import check_readings, check_texts, compare, mend_texts, rebuild
from tests.fakes.documents import make_version, make_write
from tests.fakes.indexes import in_batches, vectorised
from tests.fakes.sources import FakeSource
from tests.fakes.workshop import Workshop, open_workshop

DOCUMENTS: dict[str, str] = {
    "alcohol.md": "# Alcohol\n\n## Rules\n\nAds for alcohol are for adults.\n\n## UK\n\nIn the UK, 18 or older.\n",
    "games.md": "# Games\n\n## Rules\n\nAds for games of chance are not allowed.\n",
}


@dataclass
class Clinic:
    shop: Workshop
    capsys: pytest.CaptureFixture[str]

    async def doctor(self) -> tuple[int, str]:
        """Exit code and what is printed."""
        code = await compare(self.shop)
        return code, self.capsys.readouterr().out

    async def reindex(self) -> list[str]:
        """What had to be embedded for it."""
        self.shop.embedder.embedded.clear()
        assert await rebuild(self.shop) == 0
        return list(self.shop.embedder.embedded)


@pytest.fixture
async def clinic(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> AsyncIterator[Clinic]:
    async with open_workshop(tmp_path) as shop:
        await shop.run(FakeSource({**DOCUMENTS}))
        yield Clinic(shop, capsys)


async def test_all_is_well(clinic: Clinic) -> None:
    code, said = await clinic.doctor()
    assert code == 0
    assert [line[:4] for line in said.splitlines()] == ["ok  "] * 3
    assert "3 chunks of 2 document versions" in said


async def test_an_empty_store_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    async with open_workshop(tmp_path) as shop:
        for is_built in (False, True):
            if is_built:
                await shop.writer.rebuild(in_batches([]))
            code, said = await Clinic(shop, capsys).doctor()
            assert code == 1
            assert said.startswith("FAIL  store: no documents; run `python -m ingest run`\n")
            assert ("FAIL  index: missing" in said) is not is_built
            assert "reindex" not in said  # there is nothing to build it from


async def test_an_index_that_is_missing_is_named_after_the_store_and_built(clinic: Clinic, tmp_path: Path) -> None:
    shutil.rmtree(tmp_path / "index")
    code, said = await clinic.doctor()
    assert code == 1
    assert [line[:11] for line in said.splitlines()][:2] == ["ok    store", "FAIL  index"]
    assert "not in the index" not in said
    assert "python -m ops reindex" in said
    assert await clinic.reindex() == []
    assert (await clinic.doctor())[0] == 0


async def test_what_the_index_lacks_is_found_and_repaired_without_the_model(clinic: Clinic) -> None:
    passages = await clinic.shop.passages()
    await clinic.shop.writer.write(passages[0].chunk.doc_id, [])
    await clinic.shop.writer.commit()
    code, said = await clinic.doctor()
    assert code == 1
    assert "FAIL  index" in said
    assert "in the store but not in the index: " in said
    assert passages[0].chunk.chunk_id in said
    assert "python -m ops reindex" in said
    assert await clinic.reindex() == []
    assert (await clinic.doctor())[0] == 0
    assert await clinic.shop.writer.indexed() == {
        each.chunk.chunk_id: IndexedChunk(each.chunk.doc_id, fingerprint(each)) for each in passages
    }


async def test_orphans_in_the_index_are_found_and_removed_without_the_model(clinic: Clinic) -> None:
    orphan = make_write(make_version("acme_orphan"))
    await clinic.shop.writer.write("acme_orphan_2026-01-01", vectorised(orphan))
    await clinic.shop.writer.commit()
    code, said = await clinic.doctor()
    assert code == 1
    assert "in the index but not in the store: " in said
    assert await clinic.reindex() == []
    assert (await clinic.doctor())[0] == 0


async def test_many_differences_are_counted_and_few_shown(clinic: Clinic) -> None:
    for number in range(4):
        orphan = make_write(make_version(f"acme_orphan{number}"))
        await clinic.shop.writer.write(orphan.version.doc_id, vectorised(orphan))
    await clinic.shop.writer.commit()
    code, said = await clinic.doctor()
    [shown] = [line for line in said.splitlines() if "in the index but not in the store" in line]
    total = 4 * len(orphan.chunks)
    assert code == 1
    assert shown.endswith(f" and {total - 5} more")


async def test_versions_that_were_not_indexed_yet_are_named(clinic: Clinic) -> None:
    write = make_write(make_version("acme_late"))
    await clinic.shop.versions.save([write], [])
    code, said = await clinic.doctor()
    assert code == 1
    assert "FAIL  outbox: 1 version not indexed yet, the oldest for 0 s; a running server" in said
    assert "reindex" not in said
    embedded = await clinic.reindex()
    assert len(embedded) == len(write.chunks)  # these, and none of the others
    assert (await clinic.doctor())[0] == 0


async def test_what_the_index_has_in_an_older_state_is_found(clinic: Clinic) -> None:
    """The ids agree, what filters look at does not: a document that was restricted since, say."""
    [first, *_] = await clinic.shop.passages()
    of_version = [each for each in await clinic.shop.passages() if each.chunk.doc_id == first.chunk.doc_id]
    as_it_was = [replace(each, version=replace(each.version, labels={"stage": "former"})) for each in of_version]
    vectors = await clinic.shop.embedder.embed([each.chunk.search_text for each in as_it_was])
    entries = [IndexEntry(*each) for each in zip(as_it_was, vectors, strict=True)]
    await clinic.shop.writer.write(first.chunk.doc_id, entries)
    await clinic.shop.writer.commit()
    code, said = await clinic.doctor()
    assert code == 1
    assert f"indexed differently from what the store has: {first.chunk.chunk_id}" in said
    assert await clinic.reindex() == []
    assert (await clinic.doctor())[0] == 0


async def test_a_version_that_fails_is_named_with_its_reason(clinic: Clinic) -> None:
    write = make_write(make_version("acme_poisoned"))
    await clinic.shop.versions.save([write], [])
    [item] = await clinic.shop.outbox.pending(1)
    await clinic.shop.outbox.failed(item.item_id, "mapper_parsing_exception")
    code, said = await clinic.doctor()
    assert code == 1
    assert "1 failed before (mapper_parsing_exception)" in said


@pytest.fixture
async def engine(clinic: Clinic, tmp_path: Path) -> AsyncIterator[AsyncEngine]:
    opened = open_engine(f"sqlite:///{tmp_path / 'store.sqlite3'}")
    yield opened
    await opened.dispose()


async def execute(engine: AsyncEngine, statement: str) -> None:
    async with engine.begin() as connection:
        await connection.execute(text(statement))


@pytest.mark.parametrize(
    ("statements", "texts"),
    [
        (("UPDATE chunks SET chunk_text = replace(chunk_text, 'not', 'now')",), 1),
        (("UPDATE version_texts SET text = replace(text, 'not', 'now')",), 1),
        (
            (
                "UPDATE chunks SET chunk_text = replace(chunk_text, 'not', 'now')",
                "UPDATE version_texts SET text = replace(text, 'not', 'now')",
            ),
            2,
        ),
    ],
    ids=["chunk", "version", "both"],
)
async def test_changed_texts_are_found_and_put_back_from_the_stored_bytes(
    clinic: Clinic, engine: AsyncEngine, statements: tuple[str, ...], texts: int
) -> None:
    kept = SqlKeptPassages(engine)
    assert await check_texts(kept) == 0
    assert clinic.capsys.readouterr().out == "ok    texts: as they were stored\n"
    before = await clinic.shop.passages()
    for statement in statements:
        await execute(engine, statement)
    found = await kept.changed()
    assert len(found.chunks) + len(found.versions) == texts
    assert await check_texts(kept) == 1
    said = clinic.capsys.readouterr().out
    assert said.startswith("FAIL  texts: changed in the database")
    assert all(each in said for each in (*found.chunks, *found.versions, "python -m ops reindex"))
    assert "now allowed" not in said
    assert await mend_texts(clinic.shop, engine) == texts
    assert await check_texts(kept) == 0
    assert await clinic.shop.passages() == before


@pytest.mark.parametrize(
    "statements",
    [
        ("UPDATE chunks SET policy_path = 'What is allowed' WHERE chunk_text LIKE '%games%'",),
        (
            "UPDATE chunks SET chunk_text = replace(chunk_text, '18', '8')",
            "UPDATE raw_files SET content = zeroblob(size)",
        ),
    ],
    ids=["headings", "bytes lost"],
)
async def test_what_the_stored_bytes_do_not_bring_back_goes_on_being_named(
    clinic: Clinic, engine: AsyncEngine, statements: tuple[str, ...]
) -> None:
    for statement in statements:
        await execute(engine, statement)
    assert await mend_texts(clinic.shop, engine) == 0
    assert await check_texts(SqlKeptPassages(engine)) == 1
    assert "from a backup" in clinic.capsys.readouterr().out


async def test_changed_readings_are_found_and_made_again_by_reindex(clinic: Clinic, engine: AsyncEngine) -> None:
    kept = SqlKeptReadings(engine)
    assert await check_readings(kept) == 0
    assert clinic.capsys.readouterr().out == "ok    readings: as they were stored\n"
    await execute(engine, "UPDATE embeddings SET vector = zeroblob(length(vector))")
    assert await check_readings(kept) == 1
    said = clinic.capsys.readouterr().out
    assert said.startswith("FAIL  readings: changed in the database")
    assert "python -m ops reindex" in said
    await kept.discard(await kept.changed())
    assert await rebuild(clinic.shop) == 0
    assert await check_readings(kept) == 0
