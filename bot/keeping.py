"""A question is kept before its platform is told that it came."""

import asyncio
from collections.abc import Awaitable, Callable

from bot.messages import InboundQuestion
from rag_core.errors import Unavailable

Accept = Callable[[InboundQuestion], Awaitable[bool]]
"""Keeps a question for good before it returns; False if it is known already. Raises Unavailable."""


async def is_kept(accept: Accept, question: InboundQuestion, seconds: float) -> bool:
    """Whether it is kept, now or before; then it is answered whatever happens. Raises Rejected."""
    try:
        async with asyncio.timeout(seconds):
            await accept(question)
    except (Unavailable, TimeoutError):
        return False
    return True
