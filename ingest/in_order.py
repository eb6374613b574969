"""Two steps for each of many things: the first for one after the other, the second for several at once."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Iterable
from typing import TypeVar

Item = TypeVar("Item")
Half = TypeVar("Half")
Done = TypeVar("Done")


async def in_order(
    items: Iterable[Item],
    first: Callable[[Item], Awaitable[Half]],
    then: Callable[[Item, Half], Coroutine[None, None, Done]],
    at_once: int,
) -> AsyncGenerator[Done, None]:
    """What `then` made of each item and of what `first` gave for it, in the order of the items.

    `first` is never at work twice; `then` may be, for `at_once` items, and no more than those wait to be given out:
    all but the one that is given out go on meanwhile.
    What either of them raises comes out at its item's turn. Close it (`contextlib.aclosing`): what is not given out
    by then is cancelled, and has ended when that returns.
    """
    running: deque[asyncio.Task[Done]] = deque()
    try:
        for item in items:
            try:
                half = await first(item)
            except Exception:
                while running:
                    yield await running.popleft()
                raise
            running.append(asyncio.create_task(then(item, half)))
            if len(running) >= at_once:
                yield await running.popleft()
        while running:
            yield await running.popleft()
    finally:
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
