"""VersionStore: what is stored stays, whole or not at all, and in a form that can be trusted."""

import asyncio
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import pytest
from sqlalchemy import func, insert, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.policies.outbox import SqlOutbox
from adapters.sql.policies.store import SqlPolicyStore
from adapters.sql.policies.versions import SqlVersionStore
from adapters.sql.tables.policies import chunks, documents, metadata, outbox, policy_sources, version_texts, versions
from ingest.ports import VersionUpdate, VersionWrite
from rag_core.documents import Classification, ContentType, PolicyChunk, PolicySource, VersionStatus
from rag_core.errors import Rejected
from tests.fakes.documents import ACME, SECTIONS, SEEN_AT, Section, make_version, make_write

NOBODY: frozenset[str] = frozenset()
MARCH = date(2026, 3, 1)


@pytest.fixture
async def store(engine: AsyncEngine) -> SqlVersionStore:
    opened = SqlVersionStore(engine)
    await opened.declare(ACME)
    return opened


async def counts(engine: AsyncEngine) -> dict[str, int]:
    """Rows in the tables that a save writes to."""
    async with engine.connect() as connection:
        tables = (documents, versions, version_texts, chunks, outbox)
        return {t.name: await connection.scalar(select(func.count()).select_from(t)) or 0 for t in tables}


async def test_everything_comes_back_as_it_was_saved(engine: AsyncEngine, store: SqlVersionStore) -> None:
    east = timezone(timedelta(hours=5, minutes=30))
    version = make_version(
        effective_to=MARCH,
        supersedes="acme_alcohol_2025-01-01",
        classification=Classification.RESTRICTED,
        allowed_groups=frozenset({"legal", "policy"}),
        labels={"stage": "sample", "product": "shopping"},
        author="policy-team",
        posted_at=datetime(2026, 1, 1, 1, 2, 3, 456789, tzinfo=east),
        post_number=7,
        pages=3,
        url=None,
        size=5_000_000_000,
    )
    write = make_write(version)
    chunk = replace(
        write.chunks[0],
        regions_excluded=("be",),
        regions_mentioned=("fr", "de"),
        region_doubt=True,
        content_type=ContentType.VIDEO,
        lead_in="Not allowed:",
        rule_number="4.2",
        page=2,
        anchor="alcohol",
        has_cross_reference=True,
        refers_to=(3, 1),
        is_atomic=True,
        summary="no ads to minors",
        effective_to=MARCH,
    )
    await store.save([replace(write, chunks=(chunk, *write.chunks[1:]))], [])
    (stored,) = await store.stored(write.source_id)
    assert stored == write.version
    assert stored.posted_at is not None
    assert stored.posted_at.tzinfo is UTC
    (passage,) = await SqlPolicyStore(engine).section(version.doc_id, 0, 0, frozenset({"legal"}))
    assert passage.chunk == chunk


async def test_stored_is_every_version_of_one_source_in_order(store: SqlVersionStore) -> None:
    mine = [
        make_write(make_version("acme_a", MARCH, status=VersionStatus.HELD)),
        make_write(make_version("acme_b", status=VersionStatus.FAILED), sections=()),
        make_write(make_version("acme_b", MARCH)),
    ]
    await store.save([*reversed(mine), make_write(make_version("acme_c"), source_id="elsewhere")], [])
    assert await store.stored("acme-folder") == [write.version for write in mine]
    assert await store.stored("nowhere") == []


async def test_a_stored_version_is_never_overwritten(engine: AsyncEngine, store: SqlVersionStore) -> None:
    write = make_write()
    await store.save([write], [])
    before = await counts(engine)
    other_text = make_write(write.version, sections=SECTIONS[:2])
    other_bytes = replace(write, version=replace(write.version, sha256="0" * 64))
    other_source = replace(write, source_id="elsewhere")
    for other in (other_text, other_bytes, other_source):
        with pytest.raises(Rejected, match="doc_id_exists") as caught:
            await store.save([other], [])
        assert caught.value.details == {"doc_id": write.version.doc_id}
    assert await counts(engine) == before
    assert await store.stored(write.source_id) == [write.version]


async def test_saving_the_same_again_changes_nothing(engine: AsyncEngine, store: SqlVersionStore) -> None:
    write = make_write()
    await store.save([write], [])
    before = await counts(engine)
    later = replace(write.version, seen_at=SEEN_AT + timedelta(days=9), status=VersionStatus.HELD)
    await store.save([replace(write, version=later)], [])
    assert await counts(engine) == before
    assert await store.stored(write.source_id) == [write.version]


async def test_of_many_who_save_at_once_one_does(engine: AsyncEngine, store: SqlVersionStore) -> None:
    same = make_write()
    await asyncio.gather(*(store.save([same], []) for _ in range(8)))
    assert await counts(engine) == {
        "documents": 1,
        "versions": 1,
        "version_texts": 1,
        "chunks": 3,
        "outbox": 1,
    }
    differing = [make_write(make_version("acme_b"), [Section("Rule", f"Reading number {n}.")]) for n in range(8)]
    ended = await asyncio.gather(*(store.save([each], []) for each in differing), return_exceptions=True)
    assert sorted(str(each).split(" ", 1)[0] for each in ended) == ["None"] + ["doc_id_exists"] * 7


async def test_a_save_is_all_or_nothing(engine: AsyncEngine, store: SqlVersionStore) -> None:
    before = await counts(engine)
    twice = make_write(make_version("acme_b"))
    twice = replace(twice, chunks=(*twice.chunks, replace(twice.chunks[0], chunk_id="another")))
    with pytest.raises(Rejected, match="constraint_broken") as caught:
        await store.save([make_write(), twice], [])
    assert "chunk_index" in str(caught.value.details["constraint"])
    with pytest.raises(Rejected, match="unknown_doc_id"):
        await store.save([make_write()], [VersionUpdate("missing", None, VersionStatus.LIVE, None)])
    assert await counts(engine) == before


def spoilt(**changes: Any) -> VersionWrite:
    write = make_write()
    return replace(write, chunks=(*write.chunks[:2], replace(write.chunks[2], **changes)))


@pytest.mark.parametrize(
    ("write", "code"),
    [
        (spoilt(regions=("atlantis",)), "unknown_region"),
        (spoilt(regions_excluded=("xx-yy",)), "unknown_region"),
        (spoilt(regions_mentioned=("",)), "unknown_region"),
        (spoilt(regions=()), "region_missing"),
        (spoilt(content_type="poster"), "unknown_content_type"),
        (spoilt(chunk_text="Not a part of it."), "chunk_text_differs"),
        (spoilt(char_start=0), "chunk_text_differs"),
        (spoilt(doc_id="acme_other_2026-01-01"), "chunk_of_another_version"),
        (spoilt(policy_source="other"), "chunk_of_another_version"),
        (make_write(make_version("unheard_of")), "unknown_policy_source"),
        (make_write(make_version(effective_to=date(2025, 1, 1))), "constraint_broken"),
        (make_write(make_version(status="lively")), "constraint_broken"),
        (make_write(make_version(classification="secret")), "constraint_broken"),
    ],
)
async def test_what_could_not_be_trusted_is_rejected(
    engine: AsyncEngine, store: SqlVersionStore, write: VersionWrite, code: str
) -> None:
    with pytest.raises(Rejected, match=code):
        await store.save([write], [])
    assert not any((await counts(engine)).values())


async def test_regions_are_stored_in_the_projects_form(engine: AsyncEngine, store: SqlVersionStore) -> None:
    await store.save([spoilt(regions=("GB", " De "), regions_mentioned=("US_TX",))], [])
    last = (await SqlPolicyStore(engine).section(make_version().doc_id, 2, 2, NOBODY))[0].chunk
    assert (last.regions, last.regions_mentioned) == (("uk", "de"), ("us-tx",))


async def test_characters_no_database_takes_do_not_move_the_others(engine: AsyncEngine, store: SqlVersionStore) -> None:
    write = make_write(sections=[Section("Nul", "Before\x00 and after."), *SECTIONS])
    await store.save([write], [])
    await store.save([write], [])
    found = await SqlPolicyStore(engine).version_text(write.version.doc_id, NOBODY)
    assert found is not None
    chunk = write.chunks[0]
    assert found.text[chunk.char_start : chunk.char_end] == "Before\ufffd and after."


async def test_an_update_closes_a_version_and_its_chunks(engine: AsyncEngine, store: SqlVersionStore) -> None:
    old, new = make_write(), make_write(make_version(effective_from=MARCH))
    await store.save([old], [])
    closing = VersionUpdate(old.version.doc_id, MARCH, VersionStatus.RETIRED, None)
    await store.save([new], [closing])
    stored = await store.stored(old.source_id)
    assert stored == [replace(old.version, effective_to=MARCH, status=VersionStatus.RETIRED), new.version]
    ends = [each.chunk.effective_to for each in await SqlOutbox(engine).chunks(old.version.doc_id)]
    assert ends == [MARCH] * 3
    reopening = VersionUpdate(old.version.doc_id, None, VersionStatus.LIVE, "acme_alcohol_2025")
    await store.save([], [reopening])
    assert (await store.stored(old.source_id))[0] == replace(old.version, supersedes="acme_alcohol_2025")


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (VersionUpdate("missing", None, VersionStatus.LIVE, None), "unknown_doc_id"),
        (VersionUpdate(make_version().doc_id, None, "lively", None), "unknown_status"),
        (VersionUpdate(make_version().doc_id, date(2020, 1, 1), "retired", None), "constraint_broken"),
    ],
)
async def test_an_update_that_cannot_be_is_rejected(store: SqlVersionStore, change: VersionUpdate, code: str) -> None:
    write = make_write()
    await store.save([write], [])
    with pytest.raises(Rejected, match=code):
        await store.save([], [change])
    assert await store.stored(write.source_id) == [write.version]


async def test_a_version_that_was_never_shown_may_begin_later(engine: AsyncEngine, store: SqlVersionStore) -> None:
    waiting = make_write(make_version(status=VersionStatus.HELD))
    await store.save([waiting], [])
    await store.save([], [VersionUpdate(waiting.version.doc_id, None, VersionStatus.LIVE, None, MARCH)])
    assert await store.stored(waiting.source_id) == [
        replace(waiting.version, status=VersionStatus.LIVE, effective_from=MARCH)
    ]
    days = [each.chunk.effective_from for each in await SqlOutbox(engine).chunks(waiting.version.doc_id)]
    assert days == [MARCH] * 3


async def test_the_text_of_any_version_can_be_read(store: SqlVersionStore) -> None:
    waiting = make_write(make_version(status=VersionStatus.HELD))
    await store.save([waiting], [])
    assert await store.text(waiting.version.doc_id) == waiting.text
    assert await store.text("missing") is None


async def test_what_is_held_is_listed_from_all_sources(store: SqlVersionStore) -> None:
    first = make_write(make_version("acme_b", MARCH, status=VersionStatus.HELD), source_id="elsewhere")
    second = make_write(make_version("acme_a", status=VersionStatus.HELD))
    live = make_write(make_version("acme_b"))
    await store.save([first, second, live], [])
    assert await store.held() == [second.version, first.version]
    assert await store.history("acme_b") == [live.version, first.version]
    assert await store.history("missing") == []
    assert await store.source_of(first.version.doc_id) == "elsewhere"
    assert await store.source_of("missing") is None


async def test_a_document_stays_with_who_publishes_it(store: SqlVersionStore) -> None:
    await store.declare(PolicySource("other", "Other"))
    await store.save([make_write()], [])
    with pytest.raises(Rejected, match="document_id_taken"):
        await store.save([make_write(make_version(effective_from=MARCH, policy_source="other"))], [])


async def test_declaring_again_changes_the_names(engine: AsyncEngine, store: SqlVersionStore) -> None:
    await store.save([make_write()], [])
    await store.declare(PolicySource("acme", "Acme Advertising", ("ACME",)))
    (source,) = await SqlPolicyStore(engine).sources(NOBODY)
    assert source == PolicySource("acme", "Acme Advertising", ("ACME",), documents=1)


@pytest.mark.parametrize("slug", ["", " acme", "Acme"])
async def test_a_slug_is_stripped_lower_case(store: SqlVersionStore, slug: str) -> None:
    with pytest.raises(Rejected, match="constraint_broken"):
        await store.declare(PolicySource(slug, "Acme"))


async def test_checked_moves_forwards_only(store: SqlVersionStore) -> None:
    first, second = make_write(), make_write(make_version("acme_b"))
    await store.save([first, second], [])
    later = SEEN_AT + timedelta(days=1)
    await store.checked([first.version.doc_id, *(f"missing-{n}" for n in range(2500))], later)
    await store.checked([first.version.doc_id], SEEN_AT)
    assert [each.checked_at for each in await store.stored(first.source_id)] == [later, SEEN_AT]
    await store.checked([], later)


NULLABLE = {
    "versions": {"url", "effective_to", "pages", "supersedes", "author", "posted_at", "post_number"},
    "chunks": {"rule_number", "page", "effective_to", "doc_url", "anchor"},
    "outbox": {"last_reason"},
}


@pytest.mark.parametrize("table", [policy_sources, documents, versions, version_texts, chunks, outbox], ids=str)
async def test_the_database_demands_every_value_that_is_not_optional(
    engine: AsyncEngine, store: SqlVersionStore, table: Any
) -> None:
    await store.save([make_write()], [])
    for column in table.c:
        if column.primary_key or column.name in NULLABLE.get(table.name, ()):
            continue
        async with engine.connect() as connection:
            with pytest.raises(IntegrityError):
                await connection.execute(update(table).values({column: None}))


@pytest.mark.parametrize(
    ("table", "changes"),
    [
        ("chunks", {"content_type": "poster"}),
        ("chunks", {"policy_source": "unheard-of"}),
        ("chunks", {"doc_id": "unheard-of"}),
        ("chunks", {"chunk_index": 1}),
        ("chunks", {"chunk_index": -1}),
        ("chunks", {"char_start": -1}),
        ("chunks", {"char_end": 0, "char_start": 1}),
        ("chunks", {"effective_to": date(2025, 1, 1)}),
        ("versions", {"status": "lively"}),
        ("versions", {"classification": "secret"}),
        ("versions", {"policy_source": "unheard-of"}),
        ("versions", {"document_id": "unheard-of"}),
        ("versions", {"effective_to": date(2025, 1, 1)}),
        ("versions", {"size": -1}),
        ("versions", {"chunk_count": -1}),
        ("documents", {"policy_source": "unheard-of"}),
        ("policy_sources", {"slug": "Acme"}),
        ("version_texts", {"doc_id": "unheard-of"}),
        ("outbox", {"doc_id": "unheard-of"}),
    ],
)
async def test_the_database_itself_refuses_what_breaks_the_design(
    engine: AsyncEngine, store: SqlVersionStore, table: str, changes: dict[str, Any]
) -> None:
    await store.save([make_write()], [])
    target = metadata.tables[table]
    async with engine.connect() as connection:
        with pytest.raises(IntegrityError):
            await connection.execute(update(target).values(changes))


@pytest.mark.parametrize("table", [policy_sources, documents, versions, version_texts, chunks], ids=str)
async def test_the_database_itself_keeps_ids_unique(engine: AsyncEngine, store: SqlVersionStore, table: Any) -> None:
    await store.save([make_write()], [])
    async with engine.connect() as connection:
        row = (await connection.execute(select(table))).mappings().first()
        with pytest.raises(IntegrityError):
            await connection.execute(insert(table), dict(row or {}))


def test_the_fields_of_a_chunk_are_those_of_its_table() -> None:
    assert {column.name for column in chunks.c} == {*PolicyChunk.__dataclass_fields__, "checksum"}
