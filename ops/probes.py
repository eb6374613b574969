"""What `/readyz` asks and what is sampled for `/metrics`, of the parts of a server."""

from functools import partial

from adapters.sql.chat.notices import SqlNoticeQueue
from ops.backends import Backends
from ops.monitoring.breakers import DATABASE, EMBEDDER, MODEL, OPENSEARCH, REDIS
from ops.monitoring.readiness import Dependency, Probe, ReadinessChecks, backlog_probe
from ops.monitoring.sampling import Sampler, look_at_inbox, look_at_notices, look_at_outbox, look_at_spool
from ops.parts import ServerParts, utc_now
from rag_core.errors import Unavailable

_EVERYBODY: frozenset[str] = frozenset()


def sampler(parts: ServerParts) -> Sampler:
    """Looks at everything that waits."""
    looks = {
        "inbox": look_at_inbox(parts.inbox.backlog, utc_now),
        "notices": look_at_notices(SqlNoticeQueue(parts.answering.engine).backlog, utc_now),
        "outbox": look_at_outbox(parts.indexing.outbox.lag, utc_now),
        "spool": look_at_spool(parts.spool),
    }
    return Sampler(looks, parts.metrics)


def readiness(parts: ServerParts, backends: Backends, looks: Sampler) -> ReadinessChecks:
    """Without the index nothing is answered; without the store only where the index has copies to answer from."""
    on_server = backends.opensearch is not None
    breakers = backends.breakers
    dependencies = [
        Dependency("store", _store(parts), breakers[DATABASE], needed=not on_server),
        Dependency("index", _index(parts), breakers[OPENSEARCH] if on_server else None, needed=True),
        Dependency("embedder", None, breakers[EMBEDDER]),
        *(Dependency(name, backlog_probe(partial(looks.seen, name))) for name in ("inbox", "outbox", "spool")),
    ]
    if backends.redis is not None:
        dependencies.append(Dependency("redis", _redis(backends), breakers[REDIS]))
    if parts.answering.model is not None:
        # Never needed: without it an answer is made of quotes.
        dependencies.append(Dependency("model", parts.answering.model_health.reason, breakers[MODEL]))
    return ReadinessChecks(dependencies)


def _store(parts: ServerParts) -> Probe:
    async def probe() -> str:
        await parts.answering.store.sources(_EVERYBODY)
        return ""

    return probe


def _index(parts: ServerParts) -> Probe:
    async def probe() -> str:
        if not await parts.indexing.writer.is_current():
            raise Unavailable("index_outdated")
        return ""

    return probe


def _redis(backends: Backends) -> Probe:
    async def probe() -> str:
        if backends.redis is not None:
            await backends.redis.check()
        return ""

    return probe
