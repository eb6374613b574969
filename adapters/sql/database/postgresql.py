"""An engine on a PostgreSQL server (14 or later), in which nothing waits for ever.

A statement ends by `statement_timeout` where the server works, and by the driver's own clock where it hangs. A
connection that took too long is dropped together with its pool, and dropped means that nobody says good-bye: that
could wait as well. A session keeps a lease (`adapters.sql.database.lease`) and settings of its own, so a pooler between
must pool sessions, not transactions.
"""

from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import URL, ExceptionContext, NullPool, event
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from adapters.sql.database.errors import DATABASE_SETTING
from adapters.sql.database.server import SERVER, Server
from rag_core.errors import Misconfigured
from rag_core.ports import Breaker

_CONNECT_SECONDS = 3.0
_POOL_SECONDS = 3.0
_RECYCLE_SECONDS = 240  # load balancers forget idle connections after 350 s (AWS) or 240 s (Azure), without a word
_DRIVER_SECONDS = 2.0  # what the driver waits longer than the server, to hear why
_IDLE_SECONDS = 60.0  # in a transaction, between two statements
_MIGRATION_SECONDS = 3_600.0
_MIGRATION_LOCK_SECONDS = 60.0  # who waits for an exclusive lock stops all who come later


@dataclass(frozen=True, slots=True)
class ServerLimits:
    """How many connections, and how long a statement and a wait for a lock may take."""

    pool_size: int
    statement_seconds: float
    lock_seconds: float
    application_name: str


def open_postgresql(url: URL, limits: ServerLimits, breaker: Breaker | None) -> AsyncEngine:
    """Raises ImportError without the driver."""
    patient = replace(limits, statement_seconds=_MIGRATION_SECONDS, lock_seconds=_MIGRATION_LOCK_SECONDS)
    server = Server(
        breaker,
        patient=lambda: _engine(url, patient, poolclass=NullPool),
        alone=lambda: _engine(url, limits, poolclass=NullPool),
    )
    return _engine(
        url,
        limits,
        execution_options={SERVER: server},
        pool_size=limits.pool_size,
        max_overflow=0,
        pool_timeout=_POOL_SECONDS,
        pool_recycle=_RECYCLE_SECONDS,
    )


def _engine(url: URL, limits: ServerLimits, **options: Any) -> AsyncEngine:
    dbapi: Any = url.get_dialect().import_dbapi()
    # the driver reads the address itself: it knows sslmode, sslrootcert and the like
    address = url.set(drivername="postgresql").render_as_string(hide_password=False)

    async def connect() -> Any:
        try:
            return await dbapi.asyncpg.connect(
                address,
                timeout=_CONNECT_SECONDS,
                command_timeout=limits.statement_seconds + _DRIVER_SECONDS,
                server_settings=_server_settings(limits),
            )
        except ValueError as exc:
            raise Misconfigured("database_refused", setting=DATABASE_SETTING) from exc

    engine = create_async_engine(url, async_creator=connect, hide_parameters=True, **options)
    event.listen(engine.sync_engine, "handle_error", _drop_what_hangs)
    for name in ("close", "close_detached"):
        event.listen(engine.sync_engine, name, _close_at_once)
    return engine


def _server_settings(limits: ServerLimits) -> dict[str, str]:
    return {
        "application_name": limits.application_name,
        "statement_timeout": _milliseconds(limits.statement_seconds),
        "lock_timeout": _milliseconds(limits.lock_seconds),
        "idle_in_transaction_session_timeout": _milliseconds(_IDLE_SECONDS),
        # what a machine held that vanished is free again after a minute; by default after two hours
        "tcp_keepalives_idle": "30",
        "tcp_keepalives_interval": "10",
        "tcp_keepalives_count": "3",
        "jit": "off",  # compiling takes longer than any statement here
    }


def _milliseconds(seconds: float) -> str:
    return str(max(1, int(seconds * 1_000)))


def _drop_what_hangs(context: ExceptionContext) -> None:
    # the driver's own clock ran out: the server hangs, or somebody between has forgotten the connection, and then
    # all others too; each of them would have to be waited for
    if isinstance(context.original_exception, TimeoutError):
        context.is_disconnect = True
        context.invalidate_pool_on_disconnect = True


def _close_at_once(dbapi_connection: Any, *_record: object) -> None:
    dbapi_connection.driver_connection.terminate()
