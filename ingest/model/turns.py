"""Work that one process at a time may do; the others wait for their turn."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from ingest.ports import LeaderLease
from rag_core.errors import Unavailable

OTHERS_SECONDS = 900.0
"""How long to wait while another process reads the same source, or writes to the index."""


def reading_of_source(source_id: str) -> str:
    """The name under which `LeaderLease` keeps two processes from reading the same source."""
    return f"source:{source_id}"


@asynccontextmanager
async def turn(lease: LeaderLease, work: str) -> AsyncIterator[None]:
    """Ours until the end of the block. Raises Unavailable("work_busy", work=..., seconds=...)."""
    async with lease.hold(work, OTHERS_SECONDS) as is_ours:
        if not is_ours:
            raise Unavailable("work_busy", work=work, seconds=OTHERS_SECONDS)
        yield
