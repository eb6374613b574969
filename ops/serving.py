"""`python -m bot serve`: two listeners and the workers on the inbox, until a signal."""

import asyncio
import errno
import os
import signal
import sys
from collections.abc import AsyncIterator, Collection, Coroutine, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress

from aiohttp import web

from adapters.sql.chat.notices import SqlNoticeQueue
from adapters.sql.policies.changes import SqlChangeFeed
from adapters.web.app import chat_app, web_app
from adapters.web.http_server import MOST_CONNECTIONS, runner
from adapters.web.parts import WebParts
from bot.model.channels import ChannelSettings
from bot.questions.delivery import Pace
from bot.questions.service import QuestionService
from bot.wording import listed
from ops.chat.alerts import notice_works
from ops.chat.curated import build_checks, keep_checking
from ops.chat.people import giving_feedback, own_answers
from ops.chat.platforms import ChatListening, ChatSide, open_chats
from ops.checkpoints.keeping import build_keeping
from ops.config import names
from ops.keeping.index import IndexKeeping
from ops.keeping.rules import RuleKeeping
from ops.monitoring.logs import NamedAsking
from ops.monitoring.readiness import ReadinessChecks
from ops.monitoring.sampling import Sampler
from ops.parts import ServerParts, new_id, utc_now
from ops.privacy.forgotten_elsewhere import ForgottenElsewhere
from ops.privacy.retention import build_retention
from ops.web_access import WebAccess, open_web_access
from ops.wording.general import NO_PLATFORMS, NOT_FINISHED, STOPPING, serving
from ops.wording.web_access import protection
from rag_core.errors import Misconfigured, Unavailable

DRAIN_SECONDS = 30.0
"""How long a stop waits for what is being answered; the inbox keeps the rest."""

_ENTER_SECONDS = 2.0
_CHAT_BIND = "ADPOLICY_CHAT_BIND"


async def serve(parts: ServerParts, checks: ReadinessChecks, looks: Sampler) -> int:
    """Run until SIGTERM or SIGINT; then finish what is being answered. Raises Misconfigured."""
    config, answering = parts.config, parts.answering
    stopped = stop_signal()
    signing = build_keeping(config, answering.engine, parts.events)
    keeping = IndexKeeping(parts.indexing, parts.indexing.lease, parts.events)
    rules = RuleKeeping(parts.indexing, parts.events)
    async with open_chats(parts) as (chats, channel_settings):
        service = _service(parts, chats, channel_settings)
        apps = [each.listening(service.accept) for each in chats]
        await answering.embedder.embed(["warm"])
        async with (
            working(service) as at_work,
            _beside(
                answering.keep_names(),
                keeping.run(),
                rules.run(),
                looks.run(),
                enter_what_was_kept(parts),
                signing.run(),
                build_retention(config, answering.engine, parts.events).run(),
                ForgottenElsewhere(answering.engine, answering.fast, parts.events).run(),
                *_model_probing(parts),
                *notice_works(parts, {each.platform: each.notices for each in chats}),
                keep_checking(build_checks(answering.engine, SqlNoticeQueue(answering.engine)), parts.events),
            ),
            # Listeners close first: what they accept, the workers still answer.
            _listening(chat_app([route for app in apps for route in app.routes()]), config.chat_bind, _CHAT_BIND),
            _connected(apps),
            open_web_access(config, answering.engine, answering.access) as access,
            _listening(
                _web(parts, checks, access),
                config.web_bind,
                "ADPOLICY_WEB_BIND",
                MOST_CONNECTIONS,
                frozenset(names(config.trusted_proxies)),
            ),
        ):
            let_in = protection(tokens=config.web_tokens, issuer=config.oidc_issuer)
            platforms = listed([each.title for each in chats], "and") or NO_PLATFORMS
            print(serving(config.web_address, config.chat_bind, platforms, let_in), flush=True)
            await _either(stopped, at_work)
            print(STOPPING, file=sys.stderr, flush=True)
        with suppress(Unavailable):  # what was answered last is signed, too; if not now, at the next start
            await signing.once()
    return 0


def _model_probing(parts: ServerParts) -> Iterator[Coroutine[None, None, None]]:
    answering = parts.answering
    if answering.model is not None:
        yield answering.model_health.keep_probing(answering.model, parts.config.model_seconds)


async def enter_what_was_kept(parts: ServerParts) -> None:
    """Until cancelled: what was kept while the database was down goes into it when it is back."""
    while True:
        await asyncio.sleep(_ENTER_SECONDS)
        try:
            await parts.inbox.settle(Pace().lease)
            await parts.records.enter_spooled()
            await parts.audit.enter_spooled()
        except Unavailable as exc:
            parts.events.unavailable("-", exc, 0)


async def _either(stopped: asyncio.Event, working: asyncio.Task[None]) -> None:
    """Until a signal, or until the workers end by themselves: then there is nobody to answer what is accepted."""
    signalled = asyncio.create_task(stopped.wait())
    await asyncio.wait({signalled, working}, return_when=asyncio.FIRST_COMPLETED)
    signalled.cancel()


def stop_signal() -> asyncio.Event:
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopped.set)
    return stopped


@asynccontextmanager
async def _connected(apps: Sequence[ChatListening]) -> AsyncIterator[None]:
    async with AsyncExitStack() as stack:
        for app in apps:
            await stack.enter_async_context(app.connected())
        yield


def _service(parts: ServerParts, chats: Sequence[ChatSide], settings: ChannelSettings) -> QuestionService:
    return QuestionService(
        parts.inbox,
        NamedAsking(parts.answering.asking, new_id),
        {kind: sink for each in chats for kind, sink in each.sinks.items()},
        parts.events,
        worker=f"{os.uname().nodename}:{os.getpid()}",
        now=utc_now,
        pace=Pace(workers=parts.config.workers),
        admissions={each.platform: each.admission for each in chats},
        settings=settings if chats else None,
        progress={kind: progress for each in chats for kind, progress in each.progresses.items()},
    )


def _web(parts: ServerParts, checks: ReadinessChecks, access: WebAccess) -> web.Application:
    config, answering = parts.config, parts.answering
    return web_app(
        WebParts(
            ask=NamedAsking(answering.asking, new_id).ask,
            search=answering.search.search,
            store=answering.store,
            changes=SqlChangeFeed(answering.engine),
            read_answer=own_answers(answering).read,
            give_feedback=giving_feedback(answering).give,
            links=answering.links,
            today=lambda: utc_now().date(),
            ready=checks.ready,
            metrics=parts.metrics.exposition,
            loopback_only=not config.is_protected,
            proxies=frozenset(names(config.trusted_proxies)),
            ask_seconds=config.ask_seconds,
            callers=access.callers,
            limits=parts.request_limits,
            counted_as=answering.pseudonyms.named,
            origins=frozenset(names(config.web_origins)),
            sign_in=access.sign_in,
            issuer=config.oidc_issuer,
        )
    )


@asynccontextmanager
async def _listening(
    app: web.Application, bind: str, setting: str, most: int | None = None, proxies: Collection[str] = ()
) -> AsyncIterator[None]:
    host, _, port = bind.rpartition(":")
    running = runner(app, most_connections=most, proxies=proxies)
    await running.setup()
    try:
        await web.TCPSite(running, host.strip("[]"), int(port)).start()
    except OSError as exc:
        await running.cleanup()
        raise _translate(exc, setting, bind) from exc
    try:
        yield
    finally:
        await running.cleanup()


def _translate(exc: OSError, setting: str, bind: str) -> Misconfigured:
    if exc.errno == errno.EADDRINUSE:
        return Misconfigured("address_in_use", setting=setting, value=bind)
    return Misconfigured("address_unusable", setting=setting, value=bind, reason=exc.strerror or str(exc))


@asynccontextmanager
async def working(service: QuestionService, drain_seconds: float = DRAIN_SECONDS) -> AsyncIterator[asyncio.Task[None]]:
    """Workers on the inbox; at the end they finish what they hold, for a while. Raises what ended them."""
    task = asyncio.create_task(service.run())
    try:
        yield task
    finally:
        service.stop()
        try:
            async with asyncio.timeout(drain_seconds):
                await task
        except TimeoutError:  # cancelled; the inbox still has it: another process, or the next start, goes on with it
            await service.hand_over()
            print(NOT_FINISHED, file=sys.stderr, flush=True)


@asynccontextmanager
async def _beside(*works: Coroutine[None, None, None]) -> AsyncIterator[None]:
    """Work that goes on beside the questions, and ends with them."""
    tasks = [asyncio.create_task(work) for work in works]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
