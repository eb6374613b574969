"""What comes in, and what operators take out, is on record with the change itself."""

import json
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

import pytest
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.audit.reading import SqlAuditReading
from adapters.sql.policies.sources import SqlRemovals
from adapters.sql.policies.versions import SqlVersionStore
from adapters.sql.tables.audit import audit_records
from bot.audit.entries import INSTALLATION
from bot.audit.trust import Trusted
from ingest.ports import Removal, RemovalKind, VersionUpdate
from ops.audit.verifying import check_chain
from rag_core.documents import VersionStatus
from rag_core.errors import Rejected
from tests.fakes.documents import ACME, make_version, make_write

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
REMOVAL = Removal(RemovalKind.DOCUMENT, "acme_drinks", "legal-desk", NOON, "it was a draft", all_days=False)


async def bodies(engine: AsyncEngine) -> list[dict[str, Any]]:
    async with engine.connect() as connection:
        statement = select(audit_records.c.canonical).order_by(audit_records.c.sequence)
        found = [json.loads(each) for each in (await connection.execute(statement)).scalars()]
    checked = await check_chain(SqlAuditReading(engine), INSTALLATION, Trusted(), columns=True)
    assert checked.findings == ()
    return found


async def test_a_version_that_comes_in_is_on_record_with_its_hash(engine: AsyncEngine) -> None:
    store, write = SqlVersionStore(engine), make_write(make_version("acme_drinks"))
    await store.declare(ACME)
    await store.save([write], [])
    [body] = await bodies(engine)
    [version] = body["facts"]["versions"]
    assert (body["kind"], body["chain"], body["subject"]) == ("ingest", INSTALLATION, "acme_drinks")
    assert (version["doc_id"], version["sha256"]) == (write.version.doc_id, write.version.sha256)
    assert (version["chunks"], version["status"]) == (len(write.chunks), "live")
    await store.save([write], [])
    assert len(await bodies(engine)) == 1, "nothing came in the second time"


async def test_a_version_that_ends_is_on_record(engine: AsyncEngine) -> None:
    store, write = SqlVersionStore(engine), make_write(make_version("acme_drinks"))
    await store.declare(ACME)
    await store.save([write], [])
    ended = VersionUpdate(write.version.doc_id, date(2030, 1, 1), VersionStatus.RETIRED, None)
    await store.save([], [ended])
    [update] = (await bodies(engine))[1]["facts"]["updates"]
    assert (update["doc_id"], update["status"], update["effective_to"]) == (ended.doc_id, "retired", "2030-01-01")


async def test_what_is_not_saved_is_not_on_record(engine: AsyncEngine) -> None:
    store = SqlVersionStore(engine)
    with pytest.raises(Rejected):
        await store.save([make_write(make_version("acme_drinks"))], [])
    assert await bodies(engine) == []


async def test_removing_and_undoing_are_acts_with_person_and_reason_beside(engine: AsyncEngine) -> None:
    removals = SqlRemovals(engine)
    number = await removals.record(REMOVAL)
    await removals.record(replace(REMOVAL, person="somebody-else"))
    await removals.undo(number, "ads-desk", NOON)
    removed, undone = await bodies(engine)
    assert (removed["facts"]["act"], removed["subject"]) == ("remove", "acme_drinks")
    assert (undone["facts"]["act"], undone["facts"]["removal_id"]) == ("undo_removal", number)
    assert "legal-desk" not in json.dumps(removed)
    first, second = await SqlAuditReading(engine).of_subject("acme_drinks")
    assert first.personal is not None
    assert second.personal is not None
    assert (first.personal["person"]["value"], first.personal["reason"]["value"]) == ("legal-desk", "it was a draft")
    assert second.personal["person"]["value"] == "ads-desk"
