"""The one place that puts things together: what answering, ingesting and serving are made of."""

import argparse
import asyncio
import os
import sys
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from datetime import timedelta
from typing import TYPE_CHECKING

from adapters.sql.audit.answers import SqlAnswerRecords, SqlGivenAnswers
from adapters.sql.audit.log import SqlAuditLog
from adapters.sql.chat.conversations import SqlConversationMemory
from adapters.sql.chat.inbox import SqlInbox
from adapters.sql.chat.posted import SqlPostedMessages
from adapters.sql.database.lease import SqlLeaderLease
from adapters.sql.people.model_usage import SqlModelUsage
from adapters.sql.people.privacy import open_pseudonyms
from adapters.sql.policies.changes import SqlChangeFeed
from adapters.sql.policies.embeddings import SqlEmbeddingStore
from adapters.sql.policies.outbox import SqlOutbox
from adapters.sql.policies.rules import SqlRuleStore
from adapters.sql.policies.sources import SqlRemovals, SqlSourceRuns, SqlSourceStates
from adapters.sql.policies.store import SqlHiddenDocuments, SqlPolicyStore
from adapters.sql.policies.versions import SqlRawFiles, SqlVersionStore
from bot import terminal
from bot.model.links import Links
from bot.ports import AnswerRecords, AuditLog
from bot.questions.answerer import Asking
from bot.questions.conversation import Conversations, LayeredMemory, ThreadBeginnings
from bot.questions.inbox import FallbackInbox
from bot.questions.limits import SteadyClaims, SteadyLimits
from bot.questions.spool import SpooledAuditLog, SpooledRecords
from bot.render.json import reply_json
from ingest.model.labels import declared_labels
from ingest.parts import IndexingParts, IngestParts
from ops.backends import (
    Backends,
    build_embedder,
    build_index,
    build_index_writer,
    build_keepers,
    build_posting_pace,
    build_reader,
    build_request_limits,
    build_spool,
    build_vault,
    open_backends,
    open_rule_reader,
    own_keepers,
)
from ops.backends import open_engine as open_engine
from ops.chat.curated import with_curated
from ops.checkpoints.keeping import build_keeping
from ops.config import Config as Config
from ops.config import load_config
from ops.data_folder import private_files, server_lock
from ops.directories import open_access
from ops.ingest_acts import on_record as on_record
from ops.keeping.model_records import ModelRecords
from ops.models import follow_up_writer, model_reader, open_ranking, open_watched_model
from ops.monitoring.logs import ServiceEvents, set_up_logs
from ops.monitoring.metrics import Metrics
from ops.monitoring.model_calls import CallTools, WatchedModel
from ops.monitoring.model_health import ModelHealth
from ops.parts import Answering, ServerParts, new_id, utc_now
from ops.platforms import known_platforms
from ops.recorded_settings import record_settings
from ops.redaction.output import redacted_output
from ops.redaction.sources import redactor_before, redactor_of
from ops.redaction.streams import RedactedStream
from ops.wording import general as wording
from ops.wording.general import explain
from rag_core.answers import AskTrace, Reply
from rag_core.ask import Asker
from rag_core.errors import Misconfigured, PolicyBotError, Unavailable
from rag_core.ports import AnswerModel, Embedder
from rag_core.retrieval.ranking import Ranking
from rag_core.retrieval.search import PolicySearch
from rag_core.revealing import RevealingAsker
from rag_core.rules import judging
from rag_core.rules.reader import Reader
from rag_core.understanding.understand import warm_up

if TYPE_CHECKING:  # with all parsers' limits: only for who reads documents
    from adapters.slack.client import BotTokens
    from ingest.reader.process import ReadingProcess


@asynccontextmanager
async def open_answering(
    config: Config, ranking: Ranking | None = None, model: AnswerModel | None = None
) -> AsyncIterator[Answering]:
    """Everything behind a question in a terminal: nothing is counted, no limit holds. `ranking`, `model`: others than
    the settings name."""
    async with (
        open_backends(config, ServiceEvents(Metrics())) as backends,
        answering_on(backends, ranking=ranking, model=model) as answering,
    ):
        yield answering
        with suppress(Unavailable):  # the next process that can signs what is there
            await build_keeping(config, backends.engine).once()


@asynccontextmanager
async def answering_on(
    backends: Backends,
    events: ServiceEvents | None = None,
    records: AnswerRecords | None = None,
    ranking: Ranking | None = None,
    audit: AuditLog | None = None,
    tokens: "BotTokens | None" = None,
    model: AnswerModel | None = None,
) -> AsyncIterator[Answering]:
    """Everything behind a question. With `events`, questions are counted against the limits, and in the figures.
    `tokens`: of Slack's workspaces, where somebody has them open already."""
    warm_up(utc_now().date())  # words and names come from files: read them before anything waits
    judging.warm_up()
    config = backends.config
    labels = await asyncio.to_thread(declared_labels, config.catalogue)
    watch = events or ServiceEvents(Metrics())
    store = SqlPolicyStore(backends.engine, watch.stored_texts_changed)
    index, copies = build_index(config, backends.embedder, backends.opensearch, watch.stored_texts_changed)
    search = PolicySearch(index, store, backends.embedder, copies)
    keepers = build_keepers(config, backends.redis)
    pseudonyms = await open_pseudonyms(backends.engine, build_vault(config))
    durable = SqlConversationMemory(backends.engine, most_quiet=timedelta(hours=config.memory_hours))
    names: dict[str, str] = {}
    links = Links(config.web_address, names)

    def shape(answer_id: str, reply: Reply, trace: AskTrace) -> dict[str, object]:
        return reply_json(answer_id, reply, links, trace.timings_ms)

    stack = AsyncExitStack()
    access = await stack.enter_async_context(open_access(config, watch, tokens, backends.engine))
    health, watched = await stack.enter_async_context(watched_model(backends, events, model))
    ranking = ranking or await stack.enter_async_context(open_ranking(config))
    reader = await stack.enter_async_context(open_rule_reader(config))
    asker = Asker(
        search,
        store,
        copies,
        SqlChangeFeed(backends.engine),
        labels=labels,
        multilingual=config.embedding_multilingual,
        platforms=known_platforms(),
        ranking=ranking,
        reader=reader,
        readings=SqlRuleStore(backends.engine, watch.stored_texts_changed),
        language_model=model_reader(config, watched),
        follow_ups=follow_up_writer(watched),
    )
    log = SqlAuditLog(backends.engine)
    by_policies = RevealingAsker(asker, SqlHiddenDocuments(backends.engine)) if config.reveal_restricted else asker
    asking = Asking(
        with_curated(by_policies, backends.engine, backends.embedder, store, labels),
        records or SqlAnswerRecords(backends.engine, log),
        shape=shape,
        now=utc_now,
        new_id=new_id,
        deadline_seconds=config.ask_seconds,
        conversations=Conversations(
            LayeredMemory(keepers.memory, durable), keepers.locks, beginnings=_beginnings(backends)
        ),
        limits=SteadyLimits(keepers.limits, own_keepers(config).limits) if events else None,
        events=events,
        audit=audit or log,
        access=access,
        pseudonyms=pseudonyms,
    )
    answering = Answering(
        asking,
        asker,
        search,
        store,
        index,
        backends.embedder,
        links,
        names,
        backends.engine,
        watched,
        health,
        access,
        pseudonyms,
        keepers.fast,
    )
    try:
        await answering.refresh_names()
        yield answering
    finally:
        await stack.aclose()
        await index.aclose()


def _beginnings(backends: Backends) -> ThreadBeginnings:
    return ThreadBeginnings(SqlPostedMessages(backends.engine), SqlGivenAnswers(backends.engine))


@asynccontextmanager
async def watched_model(
    backends: Backends, events: ServiceEvents | None = None, own: AnswerModel | None = None
) -> AsyncIterator[tuple[ModelHealth, WatchedModel | None]]:
    """The language model that the settings name, or `own`, every call of it on record; how the last one ended."""
    config = backends.config
    records = ModelRecords(
        SqlModelUsage(backends.engine),
        events or ServiceEvents(Metrics()),
        keep=timedelta(days=config.model_usage_days),
        now=utc_now,
    )
    health = ModelHealth(records)
    tools = CallTools(health, utc_now, new_id)
    async with records.recording(), open_watched_model(config, backends.breakers, tools, own) as model:
        yield health, model


@asynccontextmanager
async def open_model_alone(config: Config) -> AsyncIterator[WatchedModel]:
    """The model that the settings name, for who only looks whether it answers; calls are on record all the same."""
    events = ServiceEvents(Metrics())
    async with (
        open_backends(config, events) as backends,
        watched_model(backends, events) as (_, model),
    ):
        if model is None:
            raise Misconfigured("model_setting_missing", setting="ADPOLICY_MODEL")
        yield model


@asynccontextmanager
async def open_ingest(config: Config) -> AsyncIterator[IngestParts]:
    """Everything that documents are written to, closed at the end."""
    from ingest.catalogue import SourceTools
    from ingest.fetching.fetcher import Fetcher, user_agent

    async with AsyncExitStack() as stack:
        backends = await stack.enter_async_context(open_backends(config, ServiceEvents(Metrics())))
        fetcher, reader = Fetcher(user_agent(config.public_url)), build_reader(config)
        stack.push_async_callback(fetcher.aclose)
        stack.push_async_callback(reader.aclose)
        rule_reader = await stack.enter_async_context(open_rule_reader(config))
        states = SqlSourceStates(backends.engine)
        parts = indexing_parts(backends, rule_reader)
        yield IngestParts(
            SqlVersionStore(backends.engine),
            parts.embeddings,
            parts.outbox,
            parts.writer,
            parts.embedder,
            parts.lease,
            parts.rules,
            rule_reader,
            states,
            SqlRawFiles(backends.engine),
            SqlRemovals(backends.engine),
            SqlSourceRuns(backends.engine),
            reader,
            SqlChangeFeed(backends.engine),
            SourceTools(fetcher, config.data_dir / "repositories", states),
        )


@asynccontextmanager
async def open_preview(config: Config) -> AsyncIterator[tuple[Embedder, "ReadingProcess", Reader | None]]:
    """What reading one document takes: the model's tokenizer, a reader of documents and one of rules."""
    reader = build_reader(config)
    try:
        async with open_rule_reader(config) as rule_reader:
            yield build_embedder(config), reader, rule_reader
    finally:
        await reader.aclose()


def indexing_parts(backends: Backends, rule_reader: Reader | None = None) -> IndexingParts:
    """Store and index, open for writing."""
    engine, embedder = backends.engine, backends.embedder
    return IndexingParts(
        SqlVersionStore(engine),
        SqlEmbeddingStore(engine),
        SqlOutbox(engine),
        build_index_writer(backends.config, embedder, backends.opensearch),
        embedder,
        SqlLeaderLease(engine),
        SqlRuleStore(engine),
        rule_reader,
    )


async def run_command(args: argparse.Namespace, config: Config) -> int:
    """One command of `python -m bot`. A store without documents is filled from the catalogue first."""
    if args.command == "serve":
        set_up_logs(config)
    if not await _has_documents(config):
        print(wording.FIRST_INGEST, file=sys.stderr, flush=True)
        if not await _ingest_catalogue(config):
            return 2
    if args.command == "serve":
        with server_lock(config.data_dir):
            return await _serve(config)
    async with open_answering(config) as answering:
        command = terminal.ask if args.command == "ask" else terminal.chat
        return await command(args, answering.asking, answering.links)


async def _serve(config: Config) -> int:
    from ops.probes import readiness, sampler
    from ops.serving import serve
    from ops.slack_installing import open_connection
    from ops.teams_connection import open_teams_connection

    metrics = Metrics()
    events = ServiceEvents(metrics)
    vault = build_vault(config)
    spool = build_spool(config, vault)
    async with (
        open_backends(config, events) as backends,
        open_connection(config, backends.engine) as slack,
        open_teams_connection(config) as teams,
        open_rule_reader(config, threads=1) as rule_reader,  # beside the questions, not before them
    ):
        log, kept = SqlAuditLog(backends.engine), spool if config.unrecorded == "spool" else None
        records = SpooledRecords(SqlAnswerRecords(backends.engine, log), kept, events)
        audit = SpooledAuditLog(log, kept, events)
        await record_settings(config, backends.engine, audit)
        claims = SteadyClaims(build_keepers(config, backends.redis).claims, own_keepers(config).claims)
        inbox = FallbackInbox(SqlInbox(backends.engine, vault), claims, spool, events)
        tokens = slack.workspaces.tokens if slack else None
        async with answering_on(backends, events, records, audit=audit, tokens=tokens) as answering:
            indexing, looked_at = indexing_parts(backends, rule_reader), build_spool(config, vault)
            requests = build_request_limits(config, backends.redis)
            pace = build_posting_pace(backends.redis)
            parts = ServerParts(
                config, answering, inbox, records, audit, looked_at, indexing, events, metrics, requests, claims, pace,
                slack, teams,
            )  # fmt: skip
            looks = sampler(parts)
            return await serve(parts, readiness(parts, backends, looks), looks)


async def _has_documents(config: Config) -> bool:
    async with open_engine(config) as engine:
        return await SqlVersionStore(engine).has_documents()


async def _ingest_catalogue(config: Config) -> bool:
    """Read everything that the configured catalogue names, with progress on standard error; whether any was read."""
    from ingest.cli import ingest_catalogue

    async with open_ingest(config) as parts:
        report = await ingest_catalogue(config.catalogue, parts)
    return bool(report.documents)


def quiet(config: Config) -> Config:
    """For commands that somebody reads in a terminal: only what is wrong is logged, unless everything is wanted."""
    return config if config.log_level == "DEBUG" else config.model_copy(update={"log_level": "ERROR"})


def run_bot(argv: Sequence[str]) -> int:
    """`python -m bot`: 0, 1 for a question that cannot work, 2 for the operator to act on, 3 for "try again"."""
    args = terminal.parse(argv)
    return guarded(lambda config: run_command(args, config))


def guarded(command: Callable[[Config], Coroutine[None, None, int]]) -> int:
    """The exit code of `command`, run with the settings; expected failures are explained on standard error."""
    with redacted_output(redactor_before(os.environ)) as output, private_files():
        return _explained(command, output)


def _explained(command: Callable[[Config], Coroutine[None, None, int]], output: RedactedStream) -> int:
    try:
        config = load_config()
        output.redactor = redactor_of(config)
        set_up_logs(quiet(config))
        return asyncio.run(command(config))
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
