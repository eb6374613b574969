"""What an engine knows beyond its pool when its database is a server."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncEngine

from rag_core.ports import Breaker

SERVER = "adpolicy_server"
"""The option of an engine."""


@dataclass(frozen=True, slots=True)
class Server:
    """`patient` and `alone` make engines whose connections are not of the pool: for migrations, which may take
    long, and for leases, which are kept long. Who makes one disposes of it."""

    breaker: Breaker | None
    patient: Callable[[], AsyncEngine]
    alone: Callable[[], AsyncEngine]


def server_of(engine: AsyncEngine) -> Server | None:
    """None: there is no server, the database is a file."""
    found: Server | None = engine.get_execution_options().get(SERVER)
    return found


def guard(engine: AsyncEngine) -> AbstractAsyncContextManager[None]:
    """Around every call: raises Unavailable("circuit_open") while the server is left alone."""
    server = server_of(engine)
    return nullcontext() if server is None or server.breaker is None else server.breaker.guard()
