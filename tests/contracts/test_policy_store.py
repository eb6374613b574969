"""PolicyStore: what answering may read, in which order, and what stays hidden."""

from dataclasses import replace
from datetime import date
from typing import Any

import pytest
from sqlalchemy import ColumnElement, func, select, true, update
from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.policies.store import SqlPolicyStore
from adapters.sql.policies.versions import SqlVersionStore
from adapters.sql.tables.policies import chunks, version_texts, versions
from ingest.ports import VersionUpdate, VersionWrite
from rag_core.documents import Classification, PolicySource, VersionStatus
from rag_core.errors import Unavailable
from tests.fakes.documents import ACME, SECTIONS, Section, make_version, make_write, passages_of

NOBODY: frozenset[str] = frozenset()
LEGAL = frozenset({"legal"})
DAY = date(2026, 6, 1)


@pytest.fixture
def store(engine: AsyncEngine) -> SqlPolicyStore:
    return SqlPolicyStore(engine)


async def saved(engine: AsyncEngine, *writes: VersionWrite) -> None:
    writer = SqlVersionStore(engine)
    for slug in {write.version.policy_source for write in writes} - {ACME.slug}:
        await writer.declare(PolicySource(slug, slug.title()))
    await writer.declare(ACME)
    await writer.save(writes, [])


def restricted(*groups: str) -> VersionWrite:
    version = make_version("acme_secret", classification=Classification.RESTRICTED, allowed_groups=frozenset(groups))
    return make_write(version)


def ids(write: VersionWrite) -> list[str]:
    return [chunk.chunk_id for chunk in write.chunks]


async def test_passages_come_in_the_order_asked_for(engine: AsyncEngine, store: SqlPolicyStore) -> None:
    write = make_write()
    await saved(engine, write)
    wanted = [ids(write)[2], ids(write)[0], ids(write)[2]]
    assert await store.passages(wanted, NOBODY, DAY) == [passages_of(write)[2], passages_of(write)[0]]


async def test_unknown_ids_are_left_out(engine: AsyncEngine, store: SqlPolicyStore) -> None:
    write = make_write()
    await saved(engine, write)
    found = await store.passages(["no-such-id", ids(write)[1], "", "'; DROP TABLE chunks; --"], NOBODY, None)
    assert found == [passages_of(write)[1]]
    assert await store.passages([], NOBODY, None) == []


async def test_more_ids_than_one_statement_takes(engine: AsyncEngine, store: SqlPolicyStore) -> None:
    write = make_write(sections=[Section(f"Rule {n}", f"Rule number {n} holds.") for n in range(1200)])
    await saved(engine, write)
    backwards = ids(write)[::-1]
    found = await store.passages([*backwards, *(f"missing-{n}" for n in range(40_000))], NOBODY, DAY)
    assert [each.chunk.chunk_id for each in found] == backwards


@pytest.mark.parametrize(
    ("day", "shown"),
    [
        (date(2025, 12, 31), False),
        (date(2026, 1, 1), True),
        (date(2026, 2, 28), True),
        (date(2026, 3, 1), False),
        (None, True),
    ],
)
async def test_a_version_holds_from_its_first_day_until_the_next_ones(
    engine: AsyncEngine, store: SqlPolicyStore, day: date | None, shown: bool
) -> None:
    write = make_write(effective_to=date(2026, 3, 1))
    await saved(engine, write)
    assert bool(await store.passages(ids(write), NOBODY, day)) is shown


async def test_a_chunk_with_days_of_its_own_keeps_to_them(engine: AsyncEngine, store: SqlPolicyStore) -> None:
    write = make_write()
    later = replace(write.chunks[0], effective_from=date(2026, 9, 1))
    await saved(engine, replace(write, chunks=(later, *write.chunks[1:])))
    assert len(await store.passages(ids(write), NOBODY, DAY)) == 2
    assert len(await store.passages(ids(write), NOBODY, date(2026, 9, 1))) == 3


async def test_no_chunk_outlives_its_version(engine: AsyncEngine, store: SqlPolicyStore) -> None:
    write = make_write(effective_to=date(2026, 3, 1))
    endless = tuple(replace(chunk, effective_from=date(2020, 1, 1), effective_to=None) for chunk in write.chunks)
    await saved(engine, replace(write, chunks=endless))
    assert len(await store.passages(ids(write), NOBODY, date(2026, 2, 1))) == 3
    for day in (date(2025, 12, 31), DAY):
        assert await store.passages(ids(write), NOBODY, day) == []


@pytest.mark.parametrize(
    ("groups", "asker", "shown"),
    [
        (("legal",), NOBODY, False),
        (("legal",), LEGAL, True),
        (("legal", "policy"), frozenset({"sales", "policy"}), True),
        (("legal",), frozenset({"leg", "legal2", "LEGAL", '["legal"]', "' OR 1=1 --", ""}), False),
        ((), LEGAL, False),
        (("Größe & Co", 'a"b'), frozenset({'a"b'}), True),
    ],
)
async def test_restricted_documents_are_seen_by_their_groups_alone(
    engine: AsyncEngine, store: SqlPolicyStore, groups: tuple[str, ...], asker: frozenset[str], shown: bool
) -> None:
    write = restricted(*groups)
    doc_id = write.version.doc_id
    await saved(engine, write)
    found = (
        await store.passages(ids(write), asker, DAY),
        await store.section(doc_id, 0, 99, asker),
        await store.sources(asker),
        await store.versions(asker),
        await store.versions(asker, "acme_secret"),
        await store.version_text(doc_id, asker),
    )
    assert [bool(each) for each in found] == [shown] * len(found)


class WithoutConditions(SqlPolicyStore):
    """As if the statement had lost its WHERE."""

    def _may_see(self, groups: frozenset[str]) -> ColumnElement[bool]:
        return true()

    def _visible(self, groups: frozenset[str]) -> ColumnElement[bool]:
        return true()


async def test_the_audience_is_checked_in_the_statement_and_again_on_its_rows(
    engine: AsyncEngine, store: SqlPolicyStore
) -> None:
    write = restricted("legal")
    doc_id = write.version.doc_id
    await saved(engine, write)
    async with engine.connect() as connection:
        counted = select(func.count()).select_from(versions)
        assert await connection.scalar(counted.where(store._visible(frozenset({"sales"})))) == 0
        assert await connection.scalar(counted.where(store._visible(LEGAL))) == 1
    careless = WithoutConditions(engine)
    assert await careless.passages(ids(write), NOBODY, None) == []
    assert await careless.section(doc_id, 0, 9, NOBODY) == []
    assert await careless.versions(NOBODY) == []
    assert await careless.version_text(doc_id, NOBODY) is None
    await SqlVersionStore(engine).save([make_write(make_version("acme_new", supersedes=doc_id))], [])
    assert [each.supersedes for each in await careless.versions(NOBODY)] == [None]
    assert [each.supersedes for each in await careless.versions(LEGAL, "acme_new")] == [doc_id]


@pytest.mark.parametrize("status", list(VersionStatus))
async def test_only_live_and_retired_versions_are_shown(
    engine: AsyncEngine, store: SqlPolicyStore, status: VersionStatus
) -> None:
    write = make_write(status=status)
    doc_id = write.version.doc_id
    await saved(engine, write)
    shown = status in (VersionStatus.LIVE, VersionStatus.RETIRED)
    found = (
        await store.passages(ids(write), NOBODY, DAY),
        await store.section(doc_id, 0, 99, NOBODY),
        await store.sources(NOBODY),
        await store.versions(NOBODY),
        await store.version_text(doc_id, NOBODY),
    )
    assert [bool(each) for each in found] == [shown] * len(found)


async def test_what_was_replaced_outright_is_shown_for_no_day(engine: AsyncEngine, store: SqlPolicyStore) -> None:
    write = make_write()
    doc_id, first_day = write.version.doc_id, write.version.effective_from
    await saved(engine, write)
    closing = VersionUpdate(doc_id, first_day, VersionStatus.RETIRED, None)
    await SqlVersionStore(engine).save([], [closing])
    for day in (None, first_day, DAY):
        assert await store.passages(ids(write), NOBODY, day) == []
    assert await store.section(doc_id, 0, 99, NOBODY) == []
    assert await store.versions(NOBODY) == []
    assert await store.version_text(doc_id, NOBODY) is None


async def test_a_section_is_in_order_with_both_ends(engine: AsyncEngine, store: SqlPolicyStore) -> None:
    sections = [Section(f"Rule {n}", f"Rule number {n} holds.") for n in range(12)]
    write = make_write(sections=sections)
    await saved(engine, write, make_write(make_version("acme_other")))
    assert await store.section(write.version.doc_id, 2, 10, NOBODY) == passages_of(write)[2:11]
    assert await store.section(write.version.doc_id, 5, 4, NOBODY) == []
    assert await store.section(write.version.doc_id, -5, 0, NOBODY) == passages_of(write)[:1]


async def test_sources_are_those_with_documents_the_asker_may_see(engine: AsyncEngine, store: SqlPolicyStore) -> None:
    two = (make_write(make_version("zeta_a")), make_write(make_version("zeta_a", date(2026, 3, 1))))
    await saved(engine, make_write(), restricted("legal"), *two)
    await SqlVersionStore(engine).declare(PolicySource("empty", "Nothing yet"))
    assert await store.sources(NOBODY) == [
        replace(ACME, documents=1),
        PolicySource("zeta", "Zeta", documents=1),
    ]
    assert (await store.sources(LEGAL))[0].documents == 2


async def test_labels_are_those_of_documents_that_the_asker_may_see(engine: AsyncEngine, store: SqlPolicyStore) -> None:
    hidden = make_version(
        "acme_secret",
        classification=Classification.RESTRICTED,
        allowed_groups=LEGAL,
        labels={"stage": "draft", "variant": "indoor"},
    )
    held = make_version("acme_held", labels={"held": "yes"}, status=VersionStatus.HELD)
    shown = make_version("acme_shown", labels={"stage": "live"})
    other = make_version("acme_other", labels={"stage": "live", "product": "kites"})
    await saved(engine, *(make_write(each) for each in (hidden, held, shown, other)))
    assert [each.labels for each in await store.sources(NOBODY)] == [frozenset({"stage", "product"})]
    assert [each.labels for each in await store.sources(LEGAL)] == [frozenset({"stage", "product", "variant"})]


async def test_a_version_names_what_it_supersedes_to_those_who_may_see_that(
    engine: AsyncEngine, store: SqlPolicyStore
) -> None:
    hidden, old = restricted("legal"), make_write(make_version("acme_old"))
    both = f"{hidden.version.doc_id} {old.version.doc_id}"
    new = make_write(make_version("acme_new", supersedes=both))
    only = make_write(make_version("acme_only", supersedes=hidden.version.doc_id))
    await saved(engine, hidden, old, new, only)

    async def told(groups: frozenset[str]) -> list[str | None]:
        found = [(await store.versions(groups, name))[0] for name in ("acme_new", "acme_only")]
        texts = [await store.version_text(each.version.doc_id, groups) for each in (new, only)]
        assert [each.version for each in texts if each is not None] == found
        listed = {each.document_id: each for each in await store.versions(groups)}
        assert [listed["acme_new"], listed["acme_only"]] == found
        return [each.supersedes for each in found]

    assert await told(NOBODY) == [old.version.doc_id, None]
    assert await told(frozenset({"sales"})) == [old.version.doc_id, None]
    assert await told(LEGAL) == [both, hidden.version.doc_id]
    passages = [*await store.passages(ids(new), NOBODY, None), *await store.section(new.version.doc_id, 0, 9, NOBODY)]
    assert {each.version.supersedes for each in passages} == {None}


async def test_versions_are_ordered_by_document_then_day_then_id(engine: AsyncEngine, store: SqlPolicyStore) -> None:
    expected = [
        make_version("acme_B"),
        make_version("acme_a", date(2025, 5, 1)),
        make_version("acme_a", date(2026, 1, 1)),
        make_version("acme_a", date(2026, 1, 1), doc_id="acme_a_2026-01-01.2"),
        make_version("acme_a-b"),
        make_version("acme_ab"),
        make_version("acme_é"),
    ]
    writes = [make_write(version) for version in expected]
    await saved(engine, *reversed(writes))
    assert await store.versions(NOBODY) == [write.version for write in writes]
    assert await store.versions(NOBODY, "acme_a") == [write.version for write in writes[1:4]]
    assert await store.versions(NOBODY, "acme") == []


async def test_a_versions_text_is_the_one_its_chunks_count_in(engine: AsyncEngine, store: SqlPolicyStore) -> None:
    body = "Ads for „Glühwein“ 🍷 — see rule 4."
    write = make_write(sections=[*SECTIONS, Section("Überschrift", body)])
    await saved(engine, write)
    found = await store.version_text(write.version.doc_id, NOBODY)
    assert found is not None
    assert found.version == write.version
    chunk = (await store.section(write.version.doc_id, 3, 3, NOBODY))[0].chunk
    assert found.text[chunk.char_start : chunk.char_end] == chunk.chunk_text == body
    assert await store.version_text("no-such-version", NOBODY) is None


async def test_a_version_with_an_open_start_is_read_for_earlier_days_until_its_end(
    engine: AsyncEngine, store: SqlPolicyStore
) -> None:
    undated = make_write(make_version(date_stated=False, open_start=True))
    await saved(engine, undated)
    early = date(2020, 1, 1)
    assert await store.passages(ids(undated), NOBODY, early) == passages_of(undated)

    closing = VersionUpdate(undated.version.doc_id, date(2026, 5, 1), "live", None, open_start=False)
    await SqlVersionStore(engine).save([], [closing])
    assert await store.passages(ids(undated), NOBODY, early) == []
    assert len(await store.passages(ids(undated), NOBODY, date(2026, 2, 1))) == 3


async def change_chunk(engine: AsyncEngine, chunk_id: str, **values: Any) -> None:
    """As somebody may who writes into the database past this code."""
    async with engine.begin() as connection:
        await connection.execute(update(chunks).where(chunks.c.chunk_id == chunk_id).values(**values))


@pytest.mark.parametrize(
    "changed",
    [
        {"chunk_text": "In Germany, alcohol ads are now allowed before films for children."},
        {"lead_in": "Allowed:"},
        {"policy_path": "Acme Alcohol > What is allowed"},
        {"regions": ["global"]},
        {"regions_excluded": ["de"]},
        {"effective_from": date(2025, 1, 1)},
        {"effective_to": date(2030, 1, 1)},
        {"content_type": "video"},
        {"checksum": ""},
    ],
    ids=lambda changed: next(iter(changed)),
)
async def test_nothing_is_read_from_a_chunk_that_was_changed_in_the_database(
    engine: AsyncEngine, changed: dict[str, Any]
) -> None:
    told: list[str] = []
    store = SqlPolicyStore(engine, told.extend)
    write = make_write()
    await saved(engine, write)
    await change_chunk(engine, ids(write)[2], **changed)
    assert len(await store.passages(ids(write)[:2], NOBODY, DAY)) == 2
    with pytest.raises(Unavailable, match="stored_text_changed") as caught:
        await store.passages(ids(write), NOBODY, DAY)
    assert caught.value.details == {"ids": [ids(write)[2]]}
    with pytest.raises(Unavailable, match="stored_text_changed"):
        await store.section(write.version.doc_id, 1, 2, NOBODY)
    assert told == [ids(write)[2]] * 2


async def test_that_a_hidden_chunk_was_changed_is_told_to_nobody_who_may_not_see_it(
    engine: AsyncEngine, store: SqlPolicyStore
) -> None:
    write = restricted("legal")
    await saved(engine, write)
    await change_chunk(engine, ids(write)[0], chunk_text="now allowed")
    assert await store.passages(ids(write), NOBODY, DAY) == []
    with pytest.raises(Unavailable, match="stored_text_changed"):
        await store.passages(ids(write), LEGAL, DAY)


async def test_the_text_of_a_version_that_was_changed_in_the_database_is_not_shown(engine: AsyncEngine) -> None:
    told: list[str] = []
    store = SqlPolicyStore(engine, told.extend)
    write, other = make_write(), make_write(make_version("acme_other"))
    await saved(engine, write, other)
    mine = version_texts.c.doc_id == write.version.doc_id
    async with engine.begin() as connection:
        await connection.execute(update(version_texts).where(mine).values(text=write.text.replace("not ", "now ")))
    with pytest.raises(Unavailable, match="stored_text_changed"):
        await store.version_text(write.version.doc_id, NOBODY)
    assert told == [write.version.doc_id]
    assert await store.version_text(other.version.doc_id, NOBODY) is not None


async def test_what_no_database_takes_is_replaced_before_its_checksum_is_made(
    engine: AsyncEngine, store: SqlPolicyStore
) -> None:
    write = make_write(sections=[Section("Kites\x00", "Kites \x00 are not allowed.\r\n \u2028é")])
    await saved(engine, write)
    assert len(await store.passages(ids(write), NOBODY, DAY)) == 1
    assert await store.version_text(write.version.doc_id, NOBODY) is not None


async def test_new_days_of_a_version_hide_no_change_of_its_chunks(engine: AsyncEngine, store: SqlPolicyStore) -> None:
    write = make_write()
    await saved(engine, write)
    await change_chunk(engine, ids(write)[0], chunk_text="now allowed")
    update_ = VersionUpdate(write.version.doc_id, date(2027, 1, 1), VersionStatus.LIVE, None)
    await SqlVersionStore(engine).save([], [update_])
    intact = await store.passages(ids(write)[1:], NOBODY, DAY)
    assert [each.chunk.effective_to for each in intact] == [date(2027, 1, 1)] * 2
    with pytest.raises(Unavailable, match="stored_text_changed"):
        await store.passages(ids(write), NOBODY, DAY)
