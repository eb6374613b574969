"""How long the one who asks will still wait: a deadline that travels with the request into every adapter."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from contextvars import ContextVar

LEAST_SECONDS = 0.01
"""What `remaining` gives at the end: many clients read 0 as "for ever"."""

_end: ContextVar[float | None] = ContextVar("deadline", default=None)
"""The loop's time at which the request's patience ends. Tasks begun inside inherit it."""


@asynccontextmanager
async def within(seconds: float) -> AsyncIterator[None]:
    """Raises TimeoutError when the block takes longer; nested ones only shorten the time of those around them.

    Where the time of an outer one runs out, it is the outer one that raises: nobody inside can swallow that.
    """
    end = asyncio.get_running_loop().time() + max(0.0, seconds)
    outer = _end.get()
    end = end if outer is None else min(end, outer)
    _end.set(end)
    try:
        async with asyncio.timeout_at(end):
            yield
    finally:
        _end.set(outer)


def remaining(cap: float) -> float:
    """Seconds that a call may take: `cap`, or what is left of the deadline if that is less (LEAST_SECONDS at least)."""
    end = _end.get()
    if end is None:
        return cap
    return min(cap, max(LEAST_SECONDS, end - asyncio.get_running_loop().time()))


def is_over() -> bool:
    """Whether the deadline has passed, or is about to; never where there is none."""
    end = _end.get()
    return end is not None and end - asyncio.get_running_loop().time() < LEAST_SECONDS
