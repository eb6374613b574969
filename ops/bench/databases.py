"""A database of a benchmark's own, beside the one that is set."""

from contextlib import AsyncExitStack

from sqlalchemy import make_url, text

from adapters.sql.engine import open_engine
from adapters.sql.errors import translated
from ops.bench import wording
from ops.config import Config
from ops.wording import explain
from rag_core.errors import PolicyBotError


async def own_database_if_set(config: Config, name: str, stack: AsyncExitStack) -> str | None:
    """The address of a new database on the server that is set, dropped when the stack ends; None, and why is
    printed, where none is set or none can be made."""
    if config.database_url is None:
        print(wording.not_set("PostgreSQL", "ADPOLICY_DATABASE_URL"))
        return None
    beside = config.database_url.get_secret_value()
    made = make_url(beside).set(database=name.replace("-", "_"))
    try:
        await _run(beside, f'CREATE DATABASE "{made.database}"')
    except PolicyBotError as exc:
        print(wording.no_own_database(explain(exc)))
        return None
    stack.push_async_callback(_run, beside, f'DROP DATABASE "{made.database}" WITH (FORCE)')
    return made.render_as_string(hide_password=False)


async def _run(url: str, statement: str) -> None:
    engine = open_engine(url, statement_seconds=60.0)
    try:
        with translated(engine):
            async with engine.execution_options(isolation_level="AUTOCOMMIT").connect() as connection:
                await connection.execute(text(statement))
    finally:
        await engine.dispose()
