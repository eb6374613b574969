"""`python -m bot serve`: two listeners and the workers on the inbox, until a signal."""

import asyncio
import errno
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import aiohttp
from aiohttp import web

from adapters.slack.app import slack_routes
from adapters.slack.commands import RESPONSE_URL
from adapters.slack.settings import SlackSettings
from adapters.slack.sink import SlackReplySink
from adapters.web.app import chat_app, runner, web_app
from adapters.web.parts import WebParts
from bot.messages import InboundQuestion
from bot.outcomes import Outcome
from bot.ports import Inbox, ReplySink
from bot.render.slack import slack_message
from bot.service import Pace, QuestionService
from ops.config import Config
from ops.logs import ServiceEvents
from ops.parts import Answering, utc_now
from ops.wording import no_platforms, not_finished, serving, stopping
from rag_core.errors import Misconfigured, Unavailable

DRAIN_SECONDS = 30.0
"""How long a stop waits for what is being answered; the inbox keeps the rest."""

_NAMES_SECONDS = 30.0


async def serve(config: Config, answering: Answering, inbox: Inbox) -> int:
    """Run until SIGTERM or SIGINT; then finish what is being answered. Raises Misconfigured."""
    stopped = _stop_signal()
    async with aiohttp.ClientSession() as session:
        slack = _slack_settings(config)
        service = _service(config, answering, inbox, session, slack)
        routes = slack_routes(slack, service.accept) if slack else []
        await answering.embedder.embed(["warm"])
        async with (
            _working(service) as working,
            _refreshing(answering),
            # Listeners close first: what they accept, the workers still answer.
            _listening(chat_app(routes), config.chat_bind, "ADPOLICY_CHAT_BIND"),
            _listening(_web(config, answering), config.web_bind, "ADPOLICY_WEB_BIND"),
        ):
            print(serving(config.web_address, config.chat_bind, "Slack" if slack else no_platforms()), flush=True)
            await _either(stopped, working)
            print(stopping(), file=sys.stderr, flush=True)
    return 0


async def _either(stopped: asyncio.Event, working: asyncio.Task[None]) -> None:
    """Until a signal, or until the workers end by themselves: then there is nobody to answer what is accepted."""
    signalled = asyncio.create_task(stopped.wait())
    await asyncio.wait({signalled, working}, return_when=asyncio.FIRST_COMPLETED)
    signalled.cancel()


def _stop_signal() -> asyncio.Event:
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopped.set)
    return stopped


def _slack_settings(config: Config) -> SlackSettings | None:
    if not config.slack_is_configured:
        return None
    token, secret = config.slack_bot_token, config.slack_signing_secret
    return SlackSettings(
        bot_token=token.get_secret_value() if token else "",
        signing_secret=secret.get_secret_value() if secret else "",
        api_url=config.slack_api_url,
    )


def _service(
    config: Config, answering: Answering, inbox: Inbox, session: aiohttp.ClientSession, slack: SlackSettings | None
) -> QuestionService:
    def render(question: InboundQuestion, answer_id: str, outcome: Outcome) -> dict[str, object]:
        return slack_message(question.text, answer_id, outcome, answering.links)

    sinks: dict[str, ReplySink] = {RESPONSE_URL: SlackReplySink(session, slack, render)} if slack else {}
    return QuestionService(
        inbox,
        answering.asking,
        sinks,
        ServiceEvents(),
        worker=f"{os.uname().nodename}:{os.getpid()}",
        now=utc_now,
        pace=Pace(workers=config.workers),
    )


def _web(config: Config, answering: Answering) -> web.Application:
    return web_app(
        WebParts(
            ask=answering.asking.ask,
            search=answering.search.search,
            store=answering.store,
            links=answering.links,
            today=lambda: utc_now().date(),
            proxies=frozenset(each.strip() for each in config.trusted_proxies.split(",") if each.strip()),
            ask_seconds=config.ask_seconds,
        )
    )


@asynccontextmanager
async def _listening(app: web.Application, bind: str, setting: str) -> AsyncIterator[None]:
    host, _, port = bind.rpartition(":")
    running = runner(app)
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
async def _working(service: QuestionService) -> AsyncIterator[asyncio.Task[None]]:
    """Workers on the inbox; at the end they finish what they hold, for a while. Raises what ended them."""
    task = asyncio.create_task(service.run())
    try:
        yield task
    finally:
        service.stop()
        try:
            async with asyncio.timeout(DRAIN_SECONDS):
                await task
        except TimeoutError:  # cancelled; the inbox still has it: the next start goes on with it
            print(not_finished(), file=sys.stderr, flush=True)


@asynccontextmanager
async def _refreshing(answering: Answering) -> AsyncIterator[None]:
    """Names of sources that are ingested while the server runs."""

    async def refresh() -> None:
        while True:
            await asyncio.sleep(_NAMES_SECONDS)
            try:
                await answering.refresh_names()
            except Unavailable as exc:
                ServiceEvents().unavailable("-", exc, 0)

    task = asyncio.create_task(refresh())
    try:
        yield
    finally:
        task.cancel()
