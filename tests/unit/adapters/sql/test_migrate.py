"""Migrations: the only way to tables, up and down, all or nothing, from several processes at once."""

import asyncio
import shutil
import subprocess
import sys
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, inspect, select, text, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.audit.reading import SqlAuditCheckpoints
from adapters.sql.database.engine import open_engine
from adapters.sql.database.migrate import downgrade, upgrade
from adapters.sql.database.revision import HEAD_REVISION, needs_upgrade
from adapters.sql.policies.embeddings import SqlEmbeddingStore
from adapters.sql.policies.rules import ChangedReadings, SqlKeptReadings, SqlRuleStore
from adapters.sql.policies.store import SqlPolicyStore
from adapters.sql.policies.versions import SqlVersionStore
from adapters.sql.tables.people import api_tokens
from adapters.sql.tables.policies import policy_sources, versions
from ingest.model.rules import Correction, ReadWith
from rag_core.documents import PolicySource
from rag_core.errors import Misconfigured, PolicyBotError
from rag_core.rules.reader import Effect
from tests.fakes.databases import KINDS, SCRIPTS, empty_database
from tests.fakes.documents import ACME, Section, make_write
from tests.fakes.every_table import metadata
from tests.fakes.rules import read_chunks

NOBODY: frozenset[str] = frozenset()


def described(connection: Connection) -> dict[str, Any]:
    """All that a database knows of its tables, by table."""
    seen = inspect(connection)

    def sorted_by_name(found: list[Any]) -> list[str]:
        return sorted(str(each) for each in found)

    return {
        table: {
            "columns": [(c["name"], str(c["type"]), c["nullable"], c["primary_key"]) for c in columns(seen, table)],
            "keys": seen.get_pk_constraint(table)["constrained_columns"],
            "foreign": sorted_by_name(seen.get_foreign_keys(table)),
            "unique": sorted_by_name(seen.get_unique_constraints(table)),
            "checks": sorted_by_name([(c["name"], c["sqltext"]) for c in seen.get_check_constraints(table)]),
            "indexes": sorted_by_name([(i["name"], i["column_names"]) for i in seen.get_indexes(table)]),
        }
        for table in sorted(seen.get_table_names())
        if table != "alembic_version"
    }


def columns(seen: Any, table: str) -> list[Any]:
    return [{"primary_key": 0, **column} for column in seen.get_columns(table)]


async def tables_of(engine: AsyncEngine) -> dict[str, Any]:
    async with engine.connect() as connection:
        return await connection.run_sync(described)


async def test_the_migrations_make_the_tables_the_code_expects(engine: AsyncEngine) -> None:
    async with engine.connect() as connection:
        differences = await connection.run_sync(
            lambda sync: compare_metadata(MigrationContext.configure(sync, opts={"compare_type": True}), metadata)
        )
    assert differences == []
    assert metadata.tables["api_tokens"] is api_tokens  # imported: what nobody imports is not compared


async def test_constraints_are_those_the_code_expects_too(engine: AsyncEngine) -> None:
    migrated = await tables_of(engine)
    await downgrade(engine, SCRIPTS, "base")
    async with engine.begin() as connection:
        await connection.run_sync(metadata.create_all)
    assert await tables_of(engine) == migrated
    assert set(migrated) == set(metadata.tables)


async def test_down_leaves_nothing_and_up_works_again(engine: AsyncEngine) -> None:
    await SqlVersionStore(engine).declare(ACME)
    await SqlVersionStore(engine).save([make_write()], [])
    migrated = await tables_of(engine)
    await downgrade(engine, SCRIPTS, "base")
    assert await tables_of(engine) == {}
    assert await needs_upgrade(engine)
    await upgrade(engine, SCRIPTS)
    assert await tables_of(engine) == migrated
    assert await SqlPolicyStore(engine).versions(NOBODY) == []


def test_the_code_knows_the_newest_migration() -> None:
    config = Config()
    config.set_main_option("script_location", str(SCRIPTS))
    assert ScriptDirectory.from_config(config).get_heads() == [HEAD_REVISION]


@pytest.mark.parametrize("kind", KINDS)
async def test_a_new_database_needs_an_upgrade_once(tmp_path: Path, kind: str) -> None:
    async with empty_database(tmp_path, kind) as address:
        engine = open_engine(address)
        assert await needs_upgrade(engine)
        await upgrade(engine, SCRIPTS)
        assert not await needs_upgrade(engine)
        await upgrade(engine, SCRIPTS)
        await engine.dispose()


async def test_a_database_of_newer_code_is_left_alone(engine: AsyncEngine) -> None:
    before = await tables_of(engine)
    async with engine.begin() as connection:
        await connection.execute(text("UPDATE alembic_version SET version_num = 'from-the-future'"))
    assert await needs_upgrade(engine)
    with pytest.raises(Misconfigured, match="store_revision_unknown"):
        await upgrade(engine, SCRIPTS)
    assert await tables_of(engine) == before


@pytest.mark.parametrize("kind", KINDS)
async def test_many_may_upgrade_at_once(tmp_path: Path, kind: str) -> None:
    async with empty_database(tmp_path, kind) as address:
        engines = [open_engine(address) for _ in range(8)]
        await asyncio.gather(*(upgrade(engine, SCRIPTS) for engine in engines))
        assert not any([await needs_upgrade(engine) for engine in engines])
        for engine in engines:
            await engine.dispose()


async def test_a_database_gets_an_id_of_its_own(engine: AsyncEngine) -> None:
    first = await SqlAuditCheckpoints(engine).database()
    await downgrade(engine, SCRIPTS, "base")
    await upgrade(engine, SCRIPTS)
    second = await SqlAuditCheckpoints(engine).database()
    assert (first.has_unnamed, second.has_unnamed) == (False, False)
    assert len({first.database_id, second.database_id, ""}) == 3


def test_to_find_that_nothing_is_to_be_done_takes_no_alembic() -> None:
    packages = "adapters.sql.database.revision, adapters.sql.policies.versions, adapters.sql.policies.store"
    modules = f"{packages}, adapters.sql.chat.inbox"
    program = f"import sys, {modules}; sys.exit('alembic' in sys.modules)"
    subprocess.run([sys.executable, "-c", program], cwd=SCRIPTS.parents[1], check=True)


NEXT = """
import sqlalchemy as sa
from alembic import op

revision, down_revision = "9999", "{head}"


def upgrade() -> None:
{body}
"""


def with_next(tmp_path: Path, *lines: str) -> Path:
    """The migrations with one more in a folder whose name needs care."""
    scripts = tmp_path / "100% mine"
    shutil.copytree(SCRIPTS, scripts, ignore=shutil.ignore_patterns("__pycache__"))
    body = "\n".join(f"    {line}" for line in lines)
    (scripts / "versions" / "9999_next.py").write_text(NEXT.format(body=body, head=HEAD_REVISION))
    return scripts


async def test_a_table_that_others_point_to_can_be_changed(engine: AsyncEngine, tmp_path: Path) -> None:
    await SqlVersionStore(engine).declare(ACME)
    await SqlVersionStore(engine).save([make_write()], [])
    lines = (
        'with op.batch_alter_table("versions", recreate="auto") as batch:',
        '    batch.add_column(sa.Column("note", sa.Text()))',
        '    batch.alter_column("title", nullable=True)',
        'with op.batch_alter_table("policy_sources") as batch:',
        '    batch.alter_column("display_name", nullable=True)',
    )
    await upgrade(engine, with_next(tmp_path, *lines))
    assert len(await SqlPolicyStore(engine).section(make_write().version.doc_id, 0, 9, NOBODY)) == 3
    async with engine.connect() as connection:
        with pytest.raises(IntegrityError):
            await connection.execute(update(versions).values(policy_source="unheard-of"))


async def test_a_migration_that_fails_half_way_changes_nothing(engine: AsyncEngine, tmp_path: Path) -> None:
    before = await tables_of(engine)
    lines = (
        'op.create_table("extra", sa.Column("id", sa.Integer()))',
        'op.drop_table("feedback")',
        'op.execute("INSERT INTO no_such_table VALUES (1)")',
    )
    with pytest.raises(PolicyBotError, match="store_not_migrated"):
        await upgrade(engine, with_next(tmp_path, *lines))
    assert await tables_of(engine) == before
    assert not await needs_upgrade(engine)


async def test_a_migration_that_breaks_references_changes_nothing(engine: AsyncEngine, tmp_path: Path) -> None:
    store = SqlVersionStore(engine)
    await store.declare(ACME)
    await store.declare(PolicySource("zeta", "Zeta"))
    await store.save([make_write()], [])
    scripts = with_next(tmp_path, "op.execute(\"DELETE FROM policy_sources WHERE slug = 'acme'\")")
    with pytest.raises(PolicyBotError, match=r"store_references_broken|constraint_broken"):
        await upgrade(engine, scripts)
    async with engine.connect() as connection:
        slugs = (await connection.execute(select(policy_sources.c.slug))).scalars()
        assert sorted(slugs) == ["acme", "zeta"]


async def test_what_was_stored_before_there_were_checksums_gets_them(engine: AsyncEngine) -> None:
    sections = [Section(f"Règle {n}", f"„Rule“ {n}: kites\nare not allowed.", ("uk", "de")) for n in range(600)]
    write = make_write(sections=sections, effective_to=date(2030, 1, 1))
    store = SqlPolicyStore(engine)
    await SqlVersionStore(engine).declare(ACME)
    await SqlVersionStore(engine).save([write], [])
    rules = SqlRuleStore(engine)
    chunks = read_chunks(write)
    hashes = {rule.text_hash: np.ones(2, np.float32) for chunk in chunks for rule in chunk.rules}
    await SqlEmbeddingStore(engine).keep("minilm", hashes)
    await rules.keep(ReadWith("reader-1", "minilm"), chunks)
    noon = datetime(2026, 6, 1, 12, tzinfo=UTC)
    await rules.correct(Correction("acme_alcohol", chunks[0].rules[0].rule_hash, Effect.LIMITS, "ops", noon))
    await downgrade(engine, SCRIPTS, "0020")
    await upgrade(engine, SCRIPTS)
    assert len(await rules.kept([chunk.chunk_id for chunk in chunks], "minilm")) == 600
    assert await SqlKeptReadings(engine).changed() == ChangedReadings([], [], [])
    assert len(await store.section(write.version.doc_id, 0, 999, NOBODY)) == 600
    assert await store.version_text(write.version.doc_id, NOBODY) is not None
