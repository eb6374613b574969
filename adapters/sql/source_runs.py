"""When each source was looked at last."""

from dataclasses import asdict

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from adapters.sql.dialect import insert_into
from adapters.sql.tables import source_runs
from adapters.sql.transactions import fetch, write
from ingest.ports import SourceRun

_COLUMNS = ("source_id", "started_at", "finished_at", "outcome", "failures")


class SqlSourceRuns:
    """One row a source."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def known(self) -> dict[str, SourceRun]:
        rows = await fetch(self._engine, select(*(source_runs.c[name] for name in _COLUMNS)))
        return {row.source_id: SourceRun(*row) for row in rows}

    async def keep(self, run: SourceRun) -> None:
        row = asdict(run)

        async def replace(connection: AsyncConnection) -> None:
            insert = insert_into(connection, source_runs).values(row)
            changed = {name: row[name] for name in _COLUMNS[1:]}
            await connection.execute(insert.on_conflict_do_update(index_elements=["source_id"], set_=changed))

        await write(self._engine, replace)
