"""`python -m ops bench access`: all roads taken on fresh stores, and a table of what came out."""

import tempfile
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from ops.bench.access import wording
from ops.bench.access.register import ROADS
from ops.bench.access.running import Taken, take_all
from ops.bench.access.world import World, open_world
from ops.bench.databases import own_database_if_set
from ops.bench.stores import embedded, new_name, on_servers, remove_all
from ops.config import Config


async def bench_access(config: Config, *, smallest: bool = False) -> int:
    """On the embedded default; where servers are set, on them as well, with databases, indexes and keys of their own.
    1 if anything came out, or an attempt proved nothing. `smallest`: one attempt on each road."""
    found: list[Taken] = []
    for is_embedded in (True, False) if config.opensearch_url is not None else (True,):
        async with worlds(config, is_embedded=is_embedded) as (world, without):
            print(wording.header(is_embedded=is_embedded), flush=True)
            found += await take_all(ROADS, world, without, _told, most=1 if smallest else None)
    print(wording.total(found))
    return 0 if all(each.holds for each in found) else 1


def _told(taken: Taken) -> None:
    print(wording.row(taken), *wording.findings(taken), sep="\n", flush=True)


@asynccontextmanager
async def worlds(config: Config, *, is_embedded: bool) -> AsyncIterator[tuple[World, World]]:
    """One with hidden documents, one without; nothing is left of them."""
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="adpolicy-bench-")))
        opened = []
        for name, hidden in (("with", True), ("without", False)):
            own = embedded(config, folder) if is_embedded else await _own(config, folder, stack)
            opened.append(await stack.enter_async_context(open_world(own, folder / name, hidden=hidden)))
        yield opened[0], opened[1]


async def _own(config: Config, folder: Path, stack: AsyncExitStack) -> Config:
    """The servers that are set, with a place of its own on each."""
    name = new_name()
    own = on_servers(config, folder, name, await own_database_if_set(config, name, stack))
    stack.push_async_callback(remove_all, own)
    return own.model_copy(update={"redis_url": config.redis_url, "redis_prefix": name, "model": "none"})
