"""The one place that makes real things and puts them together.

Each adapter is imported in the function that builds it: the embedded default starts without the drivers, SDKs and
models that it does not use.
"""

import argparse
import asyncio
import os
import sys
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from sqlalchemy.ext.asyncio import AsyncEngine

from bot import cli
from bot.asking import Asking
from bot.links import Links
from bot.ports import Inbox
from bot.render.json import reply_json
from ingest.ports import IndexWriter
from ops.config import Config as Config
from ops.config import load_config
from ops.data_folder import prepare_folder, secret_keys, server_lock
from ops.parts import Answering, IngestParts, new_id, utc_now
from ops.wording import explain
from rag_core.answers import AskTrace, Reply
from rag_core.ask import Asker
from rag_core.errors import PolicyBotError, Unavailable
from rag_core.ports import Embedder, SearchIndex
from rag_core.regions import find_regions
from rag_core.retrieval.search import PolicySearch

MIGRATIONS = Path(__file__).resolve().parent / "migrations"


@asynccontextmanager
async def open_engine(config: Config) -> AsyncIterator[AsyncEngine]:
    """The database, at the newest revision."""
    from adapters.sql.engine import open_engine as open_sql_engine
    from adapters.sql.schema import needs_upgrade

    folder = prepare_folder(config.data_dir)
    engine = open_sql_engine(f"sqlite:///{folder / 'adpolicy.sqlite3'}")
    try:
        if await needs_upgrade(engine):
            from adapters.sql.migrate import upgrade

            await upgrade(engine, MIGRATIONS)
        yield engine
    finally:
        await engine.dispose()


def build_embedder(config: Config) -> Embedder:
    """The embedding model; it is loaded at its first use."""
    from adapters.models.onnx import OnnxEmbedder

    return OnnxEmbedder(config.embedding_model)


def build_index(config: Config, embedder: Embedder) -> SearchIndex:
    """The search index, for reading."""
    from adapters.local.index import LocalIndex
    from rag_core.retrieval.fusion import Fusion, FusionMethod

    return LocalIndex(
        config.data_dir / "index",
        model=embedder.model,
        dimensions=embedder.dimensions,
        fusion=Fusion(FusionMethod(config.fusion)),
    )


def build_index_writer(config: Config, embedder: Embedder) -> IndexWriter:
    """The search index, for writing."""
    from adapters.local.index import LocalIndexWriter

    return LocalIndexWriter(config.data_dir / "index", model=embedder.model, dimensions=embedder.dimensions)


@asynccontextmanager
async def open_answering(config: Config) -> AsyncIterator[Answering]:
    """Everything behind a question, closed at the end."""
    from adapters.sql.answer_records import SqlAnswerRecords
    from adapters.sql.policy_store import SqlPolicyStore

    find_regions("")  # place names come from files: read them before anything waits
    async with AsyncExitStack() as stack:
        engine = await stack.enter_async_context(open_engine(config))
        store = SqlPolicyStore(engine)
        embedder = build_embedder(config)
        index = build_index(config, embedder)
        stack.push_async_callback(index.aclose)
        search = PolicySearch(index, store, embedder)
        names: dict[str, str] = {}
        links = Links(config.web_address, names)

        def shape(answer_id: str, reply: Reply, trace: AskTrace) -> dict[str, object]:
            return reply_json(answer_id, reply, links, trace.timings_ms)

        asking = Asking(
            Asker(search, store),
            SqlAnswerRecords(engine),
            shape=shape,
            now=utc_now,
            new_id=new_id,
            deadline_seconds=config.ask_seconds,
        )
        answering = Answering(asking, search, store, index, embedder, links, names, engine)
        await answering.refresh_names()
        yield answering


@asynccontextmanager
async def open_ingest(config: Config) -> AsyncIterator[IngestParts]:
    """Everything that documents are written to, closed at the end."""
    from adapters.sql.embedding_store import SqlEmbeddingStore
    from adapters.sql.outbox import SqlOutbox
    from adapters.sql.version_store import SqlVersionStore

    async with open_engine(config) as engine:
        embedder = build_embedder(config)
        yield IngestParts(
            SqlVersionStore(engine),
            SqlEmbeddingStore(engine),
            SqlOutbox(engine),
            build_index_writer(config, embedder),
            embedder,
        )


def build_inbox(config: Config, engine: AsyncEngine) -> Inbox:
    """The durable queue of questions."""
    from adapters.sql.inbox import SqlInbox
    from adapters.sql.vault import Vault

    return SqlInbox(engine, Vault(secret_keys(config)))


async def run_command(args: argparse.Namespace, config: Config) -> int:
    """One command of `python -m bot`."""
    if args.command == "serve":
        return await _serve(config)
    async with open_answering(config) as answering:
        command = cli.ask if args.command == "ask" else cli.chat
        return await command(args, answering.asking, answering.links)


async def _serve(config: Config) -> int:
    from ops.logs import set_up_logs
    from ops.serving import serve

    set_up_logs(config)
    with server_lock(config.data_dir):
        async with open_answering(config) as answering:
            return await serve(config, answering, build_inbox(config, answering.engine))


async def has_documents(config: Config) -> bool:
    """Whether anything was ever ingested."""
    from adapters.sql.version_store import SqlVersionStore

    async with open_engine(config) as engine:
        return await SqlVersionStore(engine).has_documents()


async def ingest_catalogue(config: Config) -> bool:
    """Read everything that the configured catalogue names, with progress on standard error; whether any was read."""
    from ingest.cli import ingest_catalogue as read_all

    async with open_ingest(config) as parts:
        report = await read_all(config.catalogue, parts)
    return bool(report.new or report.changed or report.unchanged)


def run_bot(argv: Sequence[str]) -> int:
    """`python -m bot`: 0, 1 for a question that cannot work, 2 for the operator to act on, 3 for "try again"."""
    args = cli.parse(argv)
    return guarded(lambda config: run_command(args, config))


def guarded(command: Callable[[Config], Coroutine[None, None, int]]) -> int:
    """The exit code of `command`, run with the settings; expected failures are explained on standard error."""
    try:
        return asyncio.run(command(load_config()))
    except Unavailable as exc:
        print(explain(exc), file=sys.stderr)
        return 3
    except PolicyBotError as exc:
        print(explain(exc), file=sys.stderr)
        return 2
    except BrokenPipeError:  # the reader of our output, `head` say, has gone: there is nobody to tell
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except KeyboardInterrupt:
        return 130
