"""What was read in rules, on every database: found with its vector and its correction, and read again when due."""

from dataclasses import replace
from datetime import UTC, date, datetime

import numpy as np
import pytest
from sqlalchemy import Table, Update, delete, func, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.audit.reading import SqlAuditReading
from adapters.sql.people.privacy import SqlPeopleForgetting
from adapters.sql.policies.embeddings import SqlEmbeddingStore
from adapters.sql.policies.rules import ChangedReadings, SqlKeptReadings, SqlRuleStore
from adapters.sql.policies.versions import SqlVersionStore
from adapters.sql.tables.policies import (
    chunk_readings,
    chunks,
    documents,
    embeddings,
    outbox,
    policy_changes,
    policy_rules,
    rule_corrections,
    version_texts,
    versions,
)
from bot.access.pseudonyms import ACCOUNT, Pseudonyms
from bot.audit.entries import INSTALLATION, administration, body_of
from bot.model.messages import Actor
from ingest.model.rules import Correction, ReadWith
from ingest.ports import VersionUpdate, VersionWrite
from rag_core.documents import VersionStatus
from rag_core.errors import Rejected, Unavailable
from rag_core.rules.reader import Effect, RuleReading
from rag_core.rules.rule import rules_in
from tests.fakes.documents import ACME, Section, make_version, make_write, passages_of
from tests.fakes.rules import READING
from tests.fakes.rules import read_chunks as read

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
WITH = ReadWith("reader-1", "minilm")
SECTIONS = (
    Section("Alcohol", "Ads for alcohol must not be addressed to minors. Ads for beer are allowed."),
    Section("Gambling", "Ads for betting are not allowed."),
)


@pytest.fixture
def store(engine: AsyncEngine) -> SqlRuleStore:
    return SqlRuleStore(engine)


async def saved(engine: AsyncEngine, write: VersionWrite) -> VersionWrite:
    versions_ = SqlVersionStore(engine)
    await versions_.declare(ACME)
    await versions_.save([write], [])
    return write


def ids(write: VersionWrite) -> list[str]:
    return [chunk.chunk_id for chunk in write.chunks]


async def test_what_is_kept_is_found_by_chunk_and_number_with_its_vector(
    engine: AsyncEngine, store: SqlRuleStore
) -> None:
    write = await saved(engine, make_write(sections=SECTIONS))
    alcohol, gambling = read(write)
    vector = np.array([0.6, 0.8], dtype=np.float32)
    await SqlEmbeddingStore(engine).keep("minilm", {alcohol.rules[1].text_hash: vector})
    assert await store.kept(ids(write), "minilm") == {}

    await store.keep(WITH, [alcohol])
    found = await store.kept([*ids(write), "unknown", *ids(write)], "minilm")

    assert {chunk_id: sorted(of_chunk) for chunk_id, of_chunk in found.items()} == {alcohol.chunk_id: [0, 1]}
    first, second = found[alcohol.chunk_id][0], found[alcohol.chunk_id][1]
    assert (first.reader, first.reading, first.corrected, first.vector) == ("reader-1", READING, None, None)
    assert first.rule_hash == alcohol.rules[0].rule_hash
    assert second.vector is not None
    np.testing.assert_array_equal(second.vector, vector)
    assert (await store.kept([alcohol.chunk_id], "other"))[alcohol.chunk_id][1].vector is None
    assert await store.kept([], "minilm") == {}
    passage = passages_of(write)[0]
    assert [rule.kept for rule in rules_in(passage, found[alcohol.chunk_id])] == [first, second]
    assert gambling.chunk_id not in found


STRICT = {"effects": dict.fromkeys(Effect, 0.0), "no_rule": 0.99}


@pytest.mark.parametrize(
    "change",
    [
        update(policy_rules).values(reading=STRICT),
        update(policy_rules).values(reading={}),
        update(policy_rules).values(reader="reader-2"),
        update(policy_rules).values(checksum=""),
        update(policy_rules).values(document_id="acme_other"),
        update(embeddings).values(vector=bytes(8)),
        update(embeddings).values(checksum=""),
        update(rule_corrections).values(effect="allows"),
        update(rule_corrections).values(checksum=""),
    ],
    ids=lambda each: str(each.table.name),
)
async def test_nothing_is_answered_from_what_was_changed_beside_the_texts(
    engine: AsyncEngine, store: SqlRuleStore, change: Update
) -> None:
    write = await saved(engine, make_write(sections=SECTIONS[1:]))
    (gambling,) = read(write)
    (rule,) = gambling.rules
    await SqlEmbeddingStore(engine).keep("minilm", {rule.text_hash: np.array([0.6, 0.8], dtype=np.float32)})
    await store.keep(WITH, [gambling])
    await store.correct(Correction("acme_alcohol", rule.rule_hash, Effect.LIMITS, "ops", NOON))
    kept = SqlKeptReadings(engine)
    assert (await store.kept(ids(write), "minilm"))[gambling.chunk_id][0].corrected is Effect.LIMITS
    assert await kept.changed() == ChangedReadings([], [], [])

    async with engine.begin() as connection:
        await connection.execute(change)

    told: list[str] = []
    with pytest.raises(Unavailable, match="stored_text_changed") as caught:
        await SqlRuleStore(engine, told.extend).kept(ids(write), "minilm")
    assert told == caught.value.details["ids"] == [gambling.chunk_id]
    with pytest.raises(Unavailable, match="stored_text_changed"):
        await store.kept(ids(write), "minilm")
    changed = await kept.changed()
    assert changed != ChangedReadings([], [], [])
    await kept.discard(changed)
    assert await kept.changed() == replace(changed, chunks=[], vectors=[])
    assert await store.count_lacking(WITH) == len(changed.chunks)


async def test_a_reading_that_was_changed_is_not_taken_for_the_same_words_elsewhere(
    engine: AsyncEngine, store: SqlRuleStore
) -> None:
    write = await saved(engine, make_write(sections=SECTIONS))
    await store.keep(WITH, read(write))
    hashes = [rule.text_hash for each in read(write) for rule in each.rules]
    async with engine.begin() as connection:
        await connection.execute(update(policy_rules).where(policy_rules.c.rule_number == 0).values(reading=STRICT))
    assert await store.known("reader-1", hashes) == {hashes[1]: READING}


async def test_a_vector_that_is_gone_is_made_again(engine: AsyncEngine, store: SqlRuleStore) -> None:
    write = await saved(engine, make_write(sections=SECTIONS[1:]))
    await store.keep(WITH, read(write))
    assert await SqlKeptReadings(engine).changed() == ChangedReadings(ids(write), [], [])


async def test_a_reading_of_other_words_is_never_taken_for_a_rules_own(
    engine: AsyncEngine, store: SqlRuleStore
) -> None:
    write = await saved(engine, make_write(sections=SECTIONS))
    await store.keep(WITH, read(write))
    kept = (await store.kept(ids(write), "minilm"))[ids(write)[0]]
    turned_round = {0: kept[1], 1: kept[1]}
    assert [rule.kept for rule in rules_in(passages_of(write)[0], turned_round)] == [None, kept[1]]


async def test_chunks_lack_a_reading_until_they_were_read_with_all_of_what_reads_now(
    engine: AsyncEngine, store: SqlRuleStore
) -> None:
    write = await saved(engine, make_write(sections=(*SECTIONS, Section("Contact", "—"))))
    assert await store.count_lacking(WITH) == 3
    lacking = await store.lacking(WITH, 10)
    assert [each.chunk.chunk_id for each in lacking] == sorted(ids(write))
    assert lacking[0].version.doc_id == write.version.doc_id
    assert await store.lacking(WITH, 2) == lacking[:2]
    assert await store.lacking(WITH, 2, lacking[1].chunk.chunk_id) == lacking[2:]

    await store.keep(WITH, read(write))  # one of them has no rules, and is read all the same

    assert (await store.count_lacking(WITH), await store.lacking(WITH, 10)) == (0, [])
    for other in (replace(WITH, reader="reader-2"), replace(WITH, model="other"), replace(WITH, rules="0")):
        assert (await store.count_lacking(other), len(await store.lacking(other, 10))) == (3, 3)


async def test_reading_again_replaces_what_was_read(engine: AsyncEngine, store: SqlRuleStore) -> None:
    write = await saved(engine, make_write(sections=SECTIONS))
    await store.keep(WITH, read(write))
    other = RuleReading(dict(zip(Effect, (0.1, 0.7, 0.05, 0.05, 0.05), strict=True)), 0.05)
    newer = replace(WITH, reader="reader-2")
    alcohol = read(write, other)[0]

    await store.keep(newer, [replace(alcohol, rules=alcohol.rules[:1])])
    await store.keep(newer, [replace(alcohol, rules=alcohol.rules[:1])])

    found = await store.kept(ids(write), "minilm")
    assert {n: (each.reader, each.reading) for n, each in found[alcohol.chunk_id].items()} == {0: ("reader-2", other)}
    assert [each.chunk.chunk_id for each in await store.lacking(newer, 10)] == ids(write)[1:]
    hashes = [rule.text_hash for each in read(write) for rule in each.rules]
    assert await store.known("reader-2", hashes) == {alcohol.rules[0].text_hash: other}
    assert set(await store.known("reader-1", hashes)) == {hashes[2]}
    assert await store.known("reader-1", []) == {}


@pytest.mark.parametrize("status", list(VersionStatus))
async def test_only_versions_that_are_shown_for_some_day_are_read(
    engine: AsyncEngine, store: SqlRuleStore, status: VersionStatus
) -> None:
    await saved(engine, make_write(sections=SECTIONS, status=status))
    shown = status in (VersionStatus.LIVE, VersionStatus.RETIRED)
    assert await store.count_lacking(WITH) == len(await store.lacking(WITH, 10)) == (2 if shown else 0)


async def test_a_correction_outlives_the_version_it_was_made_for_and_no_other_document_has_it(
    engine: AsyncEngine, store: SqlRuleStore
) -> None:
    old = await saved(engine, make_write(sections=SECTIONS))
    new = make_write(make_version(effective_from=date(2026, 5, 1), supersedes=old.version.doc_id), SECTIONS[::-1])
    other = await saved(engine, make_write(make_version("acme_other"), SECTIONS))
    await SqlVersionStore(engine).save(
        [new], [VersionUpdate(old.version.doc_id, date(2026, 5, 1), VersionStatus.RETIRED, None)]
    )
    for write in (old, new, other):
        await store.keep(WITH, read(write))
    betting = read(old)[1].rules[0].rule_hash
    correction = Correction("acme_alcohol", betting, Effect.LIMITS, "ops", NOON, "see the licence")

    await store.correct(replace(correction, effect=Effect.ALLOWS))
    await store.correct(correction)

    assert await store.corrections("acme_alcohol") == {betting: correction}
    assert await store.corrections("acme_other") == {}
    found = await store.kept([*ids(old), *ids(new), *ids(other)], "minilm")
    corrected = {
        chunk_id: each.corrected for chunk_id, rules in found.items() for each in rules.values() if each.corrected
    }
    assert corrected == {ids(old)[1]: Effect.LIMITS, ids(new)[0]: Effect.LIMITS}

    assert await store.withdraw("acme_alcohol", betting, "legal", NOON) == correction
    assert await store.corrections("acme_alcohol") == {}
    assert (await store.kept([ids(new)[0]], "minilm"))[ids(new)[0]][0].corrected is None
    with pytest.raises(Rejected, match="unknown_correction"):
        await store.withdraw("acme_alcohol", betting, "legal", NOON)


async def test_corrections_and_their_end_are_on_record(engine: AsyncEngine, store: SqlRuleStore) -> None:
    write = await saved(engine, make_write(sections=SECTIONS))
    hash_ = read(write)[0].rules[0].rule_hash
    await store.correct(Correction("acme_alcohol", hash_, Effect.LIMITS, "ops", NOON, "see the licence"))
    await store.withdraw("acme_alcohol", hash_, "legal", NOON)
    with pytest.raises(Rejected, match="unknown_document"):
        await store.correct(Correction("acme_none", hash_, Effect.LIMITS, "ops", NOON))

    told = (await SqlAuditReading(engine).of_subject("acme_alcohol"))[-2:]
    facts = {"rule_hash": hash_, "effect": "limits"}
    assert [body_of(each.canonical)["facts"] for each in told] == [
        {"act": "correct_rule", **facts},
        {"act": "withdraw_rule_correction", **facts},
    ]
    people = [{name: each["value"] for name, each in (one.personal or {}).items()} for one in told]
    assert people == [{"person": "ops", "reason": "see the licence"}, {"person": "legal"}]
    assert await SqlAuditReading(engine).of_subject("acme_none") == []


async def test_who_corrected_a_rule_can_be_forgotten_and_the_correction_stays(
    engine: AsyncEngine, store: SqlRuleStore
) -> None:
    write = await saved(engine, make_write(sections=SECTIONS))
    hash_ = read(write)[0].rules[0].rule_hash
    await store.correct(Correction("acme_alcohol", hash_, Effect.LIMITS, "ops", NOON))
    forgetting = SqlPeopleForgetting(engine, Actor(ACCOUNT, INSTALLATION, "ops"), Pseudonyms(bytes(32)))
    assert (await forgetting.counts())["corrected rules"] == 1

    removed = await forgetting.record(lambda counts: administration("1", "forget", NOON, facts={"removed": counts}), {})

    assert removed["corrected rules"] == 1
    assert (await forgetting.counts())["corrected rules"] == 0
    correction = (await store.corrections("acme_alcohol"))[hash_]
    assert (correction.effect, correction.person) == (Effect.LIMITS, forgetting.person)


async def test_what_was_read_goes_with_its_version_and_corrections_with_the_document(
    engine: AsyncEngine, store: SqlRuleStore
) -> None:
    write = await saved(engine, make_write(sections=SECTIONS))
    await store.keep(WITH, read(write))
    hash_ = read(write)[0].rules[0].rule_hash
    await store.correct(Correction("acme_alcohol", hash_, Effect.LIMITS, "ops", NOON))
    async with engine.begin() as connection:
        for table in (outbox, policy_changes, version_texts, chunks):
            await connection.execute(delete(table))
        await connection.execute(delete(versions))
    assert [await count(engine, table) for table in (policy_rules, chunk_readings, rule_corrections)] == [0, 0, 1]
    async with engine.begin() as connection:
        await connection.execute(delete(documents))
    assert await count(engine, rule_corrections) == 0


async def test_the_database_refuses_what_was_read_in_no_chunk(engine: AsyncEngine, store: SqlRuleStore) -> None:
    row = {"chunk_id": "none", "rules": "1", "reader": "reader-1", "model": "minilm"}
    async with engine.connect() as connection:
        with pytest.raises(IntegrityError):
            await connection.execute(chunk_readings.insert(), row)
    await store.keep(WITH, [])


async def count(engine: AsyncEngine, table: Table) -> int:
    async with engine.connect() as connection:
        return int(await connection.scalar(select(func.count()).select_from(table)) or 0)
