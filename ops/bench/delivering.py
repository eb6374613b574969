"""Who runs what is delivered many times at once, on every kind of claims, locks and inbox that is set."""

from contextlib import AsyncExitStack
from pathlib import Path

from adapters.sql.inbox import SqlInbox
from bot.ports import Claims, Inbox, Locks
from ops.backends import build_keepers, build_vault, connect_redis, own_keepers
from ops.bench import wording
from ops.bench.claims import bench_claims
from ops.bench.databases import own_database_if_set
from ops.bench.stores import embedded, new_name, on_servers, open_store
from ops.config import Config


async def deliveries(config: Config, folder: Path) -> list[str]:
    """A line for each; what is written stands in databases and under a prefix of its own."""
    own = embedded(config, folder)
    keepers = own_keepers(own)
    claims: dict[str, Claims] = {"in the process": keepers.claims}
    locks: dict[str, Locks] = {"in the process": keepers.locks}
    async with AsyncExitStack() as stack:
        inboxes: dict[str, Inbox] = {"SQLite": await _inbox(own, stack)}
        if address := await own_database_if_set(config, new_name(), stack):
            inboxes["PostgreSQL"] = await _inbox(on_servers(config, folder, new_name(), address), stack)
        client = connect_redis(config.model_copy(update={"redis_prefix": new_name()}))
        if client is None:
            print(wording.not_set("claims and locks in Redis", "ADPOLICY_REDIS_URL"))
        else:
            stack.push_async_callback(client.aclose)
            kept = build_keepers(config, client)
            claims["Redis"], locks["Redis"] = kept.claims, kept.locks
        return [wording.claims(figure) for figure in await bench_claims(claims, locks, inboxes)]


async def _inbox(config: Config, stack: AsyncExitStack) -> Inbox:
    store = await stack.enter_async_context(open_store(config))
    return SqlInbox(store.engine, build_vault(config))
