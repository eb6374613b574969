"""Makes the real things behind the ports, as the settings say: files in the data folder, or servers.

What is large, or not in the light set, is imported in the function that builds it: the embedded default starts quickly,
and without the drivers and SDKs that it does not use.
"""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.local.claims import LocalClaims
from adapters.local.limits import LocalPostingPace, LocalRateLimits
from adapters.local.locks import LocalLocks
from adapters.local.memory import LocalConversationMemory
from adapters.local.spool import LocalSpool
from adapters.sql.database.engine import open_engine as open_sql_engine
from adapters.sql.database.revision import HEAD_REVISION, needs_upgrade, revision
from adapters.sql.database.vault import Vault
from bot.ports import Claims, ConversationMemory, FastMemory, Locks, RateLimits
from bot.questions.limits import Allowances, SteadyLimits, allowances_from, limit_from
from bot.questions.pace import PostingPace, SteadyPace
from ingest.ports import IndexWriter
from ops.acts import record_act
from ops.config import Config
from ops.data_folder import prepare_folder, secret_keys
from ops.models import model_breakers
from ops.monitoring.breakers import DATABASE, EMBEDDER, OPENSEARCH, REDIS, BreakerWatch, CircuitBreaker, GuardedEmbedder
from rag_core.errors import Misconfigured
from rag_core.ports import Embedder, IndexCopies, SearchIndex
from rag_core.retrieval.fusion import Fusion, FusionMethod

if TYPE_CHECKING:
    from adapters.models.rule_reader import OnnxRuleReader
    from adapters.opensearch.client import OpenSearchClient
    from adapters.redis.client import RedisClient
    from ingest.reader.process import ReadingLimits, ReadingProcess
MIGRATIONS = Path(__file__).resolve().parent / "migrations"


@dataclass(frozen=True, slots=True)
class Backends:
    """What a process talks to: one of each, shared by all who need it. None: that part is in the data folder."""

    config: Config
    engine: AsyncEngine
    embedder: Embedder
    opensearch: "OpenSearchClient | None"
    redis: "RedisClient | None"
    breakers: dict[str, CircuitBreaker]


@asynccontextmanager
async def open_backends(config: Config, watch: BreakerWatch) -> AsyncIterator[Backends]:
    """All of them, closed at the end; the database at the newest revision."""
    breakers = {name: CircuitBreaker(name, watch) for name in (DATABASE, OPENSEARCH, REDIS, EMBEDDER)}
    breakers |= model_breakers(watch)
    async with AsyncExitStack() as stack:
        engine = await stack.enter_async_context(open_engine(config, breakers[DATABASE]))
        opensearch = connect_opensearch(config, breakers[OPENSEARCH])
        if opensearch is not None:
            stack.push_async_callback(opensearch.aclose)
        redis = connect_redis(config, breakers[REDIS])
        if redis is not None:
            stack.push_async_callback(redis.aclose)
        embedder = GuardedEmbedder(build_embedder(config), breakers[EMBEDDER])
        yield Backends(config, engine, embedder, opensearch, redis, breakers)


@asynccontextmanager
async def open_engine(config: Config, breaker: CircuitBreaker | None = None) -> AsyncIterator[AsyncEngine]:
    """The database, at the newest revision."""
    engine = open_sql_engine(
        _database_address(config),
        pool_size=config.database_pool,
        statement_seconds=config.database_seconds,
        breaker=breaker,
    )
    try:
        if await needs_upgrade(engine):
            from adapters.sql.database.migrate import upgrade

            before = await revision(engine)
            await upgrade(engine, MIGRATIONS)
            if before is not None:  # else it was made just now
                await record_act(engine, "migrate", facts={"before": before, "after": HEAD_REVISION})
        yield engine
    finally:
        await engine.dispose()


def build_embedder(config: Config) -> Embedder:
    """The embedding model; it is loaded at its first use."""
    from adapters.models.onnx import OnnxEmbedder

    return OnnxEmbedder(config.embedding_model)


@asynccontextmanager
async def open_rule_reader(config: Config, threads: int | None = None) -> "AsyncIterator[OnnxRuleReader | None]":
    """What judges rules, with `threads` threads (None: one a core); its weights are loaded at first use. None where the
    settings want none."""
    from adapters.models.rule_reader import WEIGHTS, OnnxRuleReader

    if config.rule_reader == "none":
        yield None
        return
    reader = OnnxRuleReader(WEIGHTS if config.rule_reader == "packaged" else Path(config.rule_reader), threads)
    try:
        yield reader
    finally:
        await reader.aclose()


def build_reader(config: Config, limits: "ReadingLimits | None" = None, processes: int = 2) -> "ReadingProcess":
    """What reads documents, in processes of their own, and counts as the embedding model does."""
    from adapters.models.model_files import reading_program
    from ingest.reader.process import ReadingProcess

    return ReadingProcess(lambda: reading_program(config.embedding_model), limits, processes)


def connect_opensearch(config: Config, breaker: CircuitBreaker | None = None) -> "OpenSearchClient | None":
    """A client of the cluster that the settings name, which connects at its first request."""
    if config.opensearch_url is None:
        return None
    try:
        from adapters.opensearch.client import connect
        from adapters.opensearch.settings import OpenSearchSettings
    except ImportError as exc:
        raise _driver_missing("opensearch-py", "ADPOLICY_OPENSEARCH_URL") from exc

    urls = config.opensearch_url.get_secret_value()
    password = config.opensearch_password
    settings = OpenSearchSettings(
        urls=tuple(each.strip() for each in urls.split(",")),
        username=config.opensearch_username,
        password=password.get_secret_value() if password else "",
        ca_file=config.opensearch_ca_file,
        aws_region=config.opensearch_aws_region,
        aws_service=config.opensearch_aws_service,
        prefix=config.opensearch_index,
        shards=config.opensearch_shards,
        replicas=config.opensearch_replicas,
        seconds=config.opensearch_seconds,
    )
    if not settings.aws_region:
        return connect(settings, breaker=breaker)
    try:
        from adapters.opensearch.aws import signing
    except ImportError as exc:
        raise _driver_missing("awscrt", "ADPOLICY_OPENSEARCH_AWS_REGION") from exc
    return connect(settings, breaker=breaker, connection_class=signing(settings))


def connect_redis(config: Config, breaker: CircuitBreaker | None = None) -> "RedisClient | None":
    """A client of the Redis that the settings name, which connects when first used."""
    if config.redis_url is None:
        return None
    try:
        from adapters.redis.client import RedisClient, RedisSettings
    except ImportError as exc:
        raise _driver_missing("redis", "ADPOLICY_REDIS_URL") from exc
    settings = RedisSettings(config.redis_url.get_secret_value(), config.redis_prefix, config.redis_seconds)
    return RedisClient(settings, breaker)


def build_index(
    config: Config,
    embedder: Embedder,
    client: "OpenSearchClient | None",
    changed: Callable[[Sequence[str]], None] | None = None,
) -> tuple[SearchIndex, IndexCopies | None]:
    """The search index, for reading, and the copies it keeps of public documents. `changed`: see
    `OpenSearchCopies`."""
    fusion = Fusion(FusionMethod(config.fusion))
    model, dimensions = embedder.model, embedder.dimensions
    if client is None:
        from adapters.local.index import LocalIndex

        return LocalIndex(config.data_dir / "index", model=model, dimensions=dimensions, fusion=fusion), None
    from adapters.opensearch.copies import OpenSearchCopies
    from adapters.opensearch.index import OpenSearchIndex

    index = OpenSearchIndex(client, model=model, dimensions=dimensions, fusion=fusion)
    return index, OpenSearchCopies(client, model=model, dimensions=dimensions, changed=changed)


def build_index_writer(config: Config, embedder: Embedder, client: "OpenSearchClient | None") -> IndexWriter:
    """The search index, for writing."""
    model, dimensions = embedder.model, embedder.dimensions
    if client is None:
        from adapters.local.index import LocalIndexWriter

        return LocalIndexWriter(config.data_dir / "index", model=model, dimensions=dimensions)
    from adapters.opensearch.index_writer import OpenSearchIndexWriter

    return OpenSearchIndexWriter(client, model=model, dimensions=dimensions)


@dataclass(frozen=True, slots=True)
class Keepers:
    """What is known of conversations and deliveries for a while. `fast`: the memory, to be emptied."""

    memory: ConversationMemory
    claims: Claims
    locks: Locks
    limits: RateLimits
    fast: FastMemory


def build_keepers(config: Config, client: "RedisClient | None") -> Keepers:
    """In Redis, or in this process. Raises Misconfigured("limit_invalid")."""
    if client is None:
        return own_keepers(config)
    from adapters.redis.claims import RedisClaims
    from adapters.redis.limits import RedisRateLimits
    from adapters.redis.locks import RedisLocks
    from adapters.redis.memory import RedisConversationMemory

    memory = RedisConversationMemory(client, seconds=config.memory_hours * 3600)
    limits = RedisRateLimits(client, allowances(config))
    return Keepers(memory, RedisClaims(client), RedisLocks(client), limits, memory)


def build_posting_pace(client: "RedisClient | None") -> PostingPace:
    """Turns to post in a channel: of all processes, or of this one."""
    own = LocalPostingPace()
    if client is None:
        return own
    from adapters.redis.posting_pace import RedisPostingPace

    return SteadyPace(RedisPostingPace(client), own)


def build_request_limits(config: Config, client: "RedisClient | None") -> SteadyLimits:
    """How much those who are known may do on the web listener. Raises Misconfigured("limit_invalid")."""
    allowed = Allowances(
        person=limit_from(config.limit_requests, "ADPOLICY_LIMIT_REQUESTS"),
        workspace=limit_from(config.limit_all_requests, "ADPOLICY_LIMIT_ALL_REQUESTS"),
    )
    own = LocalRateLimits(allowed)
    if client is None:
        return SteadyLimits(own, own)
    from adapters.redis.limits import RedisRateLimits

    return SteadyLimits(RedisRateLimits(client, allowed), own)


def own_keepers(config: Config) -> Keepers:
    """In this process."""
    memory = LocalConversationMemory(seconds=config.memory_hours * 3600)
    return Keepers(memory, LocalClaims(), LocalLocks(), LocalRateLimits(allowances(config)), memory)


def allowances(config: Config) -> Allowances:
    """How often somebody may ask. Raises Misconfigured("limit_invalid")."""
    return allowances_from(config.limit_person, config.limit_channel, config.limit_workspace)


def build_vault(config: Config) -> Vault:
    """What encrypts at rest."""
    from adapters.sql.database.vault import Vault

    return Vault(secret_keys(config))


def build_spool(config: Config, vault: Vault) -> LocalSpool:
    """Room in the data folder for what the database cannot take."""
    return LocalSpool(
        prepare_folder(config.data_dir) / "spool",
        encrypt=vault.encrypt,
        decrypt=vault.decrypt,
        most_bytes=config.spool_megabytes * 1024 * 1024,
    )


def _database_address(config: Config) -> str:
    folder = prepare_folder(config.data_dir)
    return config.database_url.get_secret_value() if config.database_url else f"sqlite:///{folder / 'adpolicy.sqlite3'}"


def _driver_missing(driver: str, setting: str) -> Misconfigured:
    return Misconfigured("driver_missing", driver=driver, setting=setting)
