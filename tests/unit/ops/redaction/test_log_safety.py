"""No library, whatever it writes and at whatever level, brings a question or a password into our logs."""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable
from pathlib import Path
from urllib.parse import quote

import aiohttp
import pytest
import stamina
import stamina.instrumentation
import structlog
from aiohttp import web
from opensearchpy import AsyncOpenSearch
from opensearchpy.exceptions import OpenSearchException
from redis.asyncio import Redis
from redis.exceptions import RedisError
from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import create_async_engine

from ops.config import load_config
from ops.monitoring.logs import ServiceEvents, set_up_logs
from ops.monitoring.metrics import Metrics
from ops.redaction.log_safety import ForeignText
from rag_core.errors import Rejected, Unavailable
from tests.fakes.secrets import PART, SHAPED

SECRET = "zeppelin-question-of-somebody"
PASSWORD = "hunter2-of-the-operator"
ODD = 'p@ss w"ö:rd/+\\9'
LEVELS = ["DEBUG", "INFO", "WARNING", "ERROR"]


def set_up(tmp_path: Path, level: str = "DEBUG", form: str = "json") -> None:
    env = {"ADPOLICY_LOG_LEVEL": level, "ADPOLICY_LOG_FORMAT": form}
    set_up_logs(load_config(env, tmp_path / "no.env"))


async def opensearch_answers_with_an_error(port: int) -> None:
    async with AsyncOpenSearch(
        hosts=[f"http://admin:{PASSWORD}@127.0.0.1:{port}"], max_retries=1, retry_on_status=(500,)
    ) as client:
        with pytest.raises(OpenSearchException):
            await client.search(index="adpolicy", body={"query": {"match": {"text": SECRET}}})


async def opensearch_is_gone(_: int) -> None:
    async with AsyncOpenSearch(hosts=[f"http://admin:{PASSWORD}@127.0.0.1:1"], max_retries=1) as client:
        with pytest.raises(OpenSearchException):
            await client.search(index="adpolicy", body={"query": {"match": {"text": SECRET}}})


async def redis_is_gone(_: int) -> None:
    client = Redis.from_url(f"redis://user:{PASSWORD}@127.0.0.1:1/0")
    with pytest.raises(RedisError):
        await client.set("key", SECRET)
    await client.aclose()


async def sql_fails(_: int) -> None:
    engine = create_async_engine("sqlite+aiosqlite://")
    try:
        async with engine.connect() as connection:
            await connection.execute(text("SELECT :question"), {"question": SECRET})
            await connection.execute(text("SELECT nothing FROM nowhere WHERE q = :question"), {"question": SECRET})
    except SQLAlchemyError as exc:
        ServiceEvents(Metrics()).unexpected("q1", exc)
        logging.getLogger("sqlalchemy.pool").exception("Exception during reset or similar")
    finally:
        await engine.dispose()


async def a_call_is_made_again(_: int) -> None:
    @stamina.retry(on=Unavailable, attempts=2, wait_initial=0, wait_jitter=0)
    async def search(question: str, *, password: str) -> None:
        raise Unavailable("index_failed", question=question, password=password)

    with pytest.raises(Unavailable):
        await search(SECRET, password=PASSWORD)


async def a_task_dies_alone(_: int) -> None:
    loop = asyncio.get_running_loop()
    error = ValueError(SECRET)
    loop.call_exception_handler({"message": f"Task exception was never retrieved {SECRET}", "exception": error})
    logging.getLogger("asyncio").warning("Executing %s took %.3f seconds", f"<Task ask({SECRET!r})>", 1.0)


async def an_address_is_no_http(port: int) -> None:
    _, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f"GET /?q={SECRET} HTTP/9.9\r\nHost: [\r\n\r\n".encode())
    await writer.drain()
    await asyncio.sleep(0.05)
    writer.close()


async def a_page_breaks(port: int) -> None:
    async with (
        aiohttp.ClientSession() as session,
        session.get(f"http://127.0.0.1:{port}/broken?q={SECRET}") as response,
    ):
        assert response.status == 500


async def an_error_quotes_what_it_was_given(_: int) -> None:
    events = ServiceEvents(Metrics())
    try:
        try:
            int(SECRET)
        except ValueError as exc:
            exc.add_note(PASSWORD)
            raise ExceptionGroup(SECRET, [Rejected("odd", text=SECRET), exc]) from exc
    except ExceptionGroup as group:
        events.unexpected("q1", group)
        events.index_trouble(group)
        logging.getLogger("whoever").exception("%s", SECRET)
        logging.getLogger(__name__).error(f"put together before: {SECRET}")  # noqa: G004


TROUBLES: dict[Callable[[int], Awaitable[None]], str] = {
    opensearch_answers_with_an_error: "WARNING",
    opensearch_is_gone: "WARNING",
    redis_is_gone: "",
    sql_fails: "ERROR",
    a_call_is_made_again: "INFO",
    a_task_dies_alone: "ERROR",
    an_address_is_no_http: "",
    a_page_breaks: "ERROR",
    an_error_quotes_what_it_was_given: "ERROR",
}
"""Each with the level at which something is to be seen of it."""


@pytest.mark.parametrize("form", ["json", "text"])
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("trouble", TROUBLES, ids=lambda each: each.__name__)
async def test_nothing_leaks(
    trouble: Callable[[int], Awaitable[None]],
    level: str,
    form: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    set_up(tmp_path, level, form)

    async def broken(request: web.Request) -> web.Response:
        if request.path.startswith("/broken"):
            raise ValueError(SECRET)
        return web.json_response({"error": SECRET}, status=500)

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", broken)
    running = web.AppRunner(app, access_log=None)
    await running.setup()
    try:
        await web.TCPSite(running, "127.0.0.1", 0).start()
        await trouble(running.addresses[0][1])
    finally:
        await running.cleanup()
    shown = capsys.readouterr()
    said = shown.out + shown.err
    assert SECRET not in said
    assert PASSWORD not in said
    assert "lost" not in said
    if TROUBLES[trouble] and LEVELS.index(level) <= LEVELS.index(TROUBLES[trouble]):
        assert said


def test_a_line_that_cannot_be_written_is_lost_and_not_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    class Unwritable:
        def __repr__(self) -> str:
            raise ValueError(SECRET)

    set_up(tmp_path)
    structlog.get_logger("adpolicy").warning("odd", question=SECRET, value=Unwritable())
    assert capsys.readouterr().err == "log line lost: adpolicy\n"


@pytest.mark.parametrize("form", ["json", "text"])
def test_secrets_in_our_own_events_are_taken_out(form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Planted where somebody could put them by mistake: name, key, value, nested, code of an error, name of a type."""
    given = {
        "ADPOLICY_LOG_FORMAT": form,
        "ADPOLICY_SLACK_SIGNING_SECRET": PASSWORD,
        "ADPOLICY_DATABASE_URL": f"postgresql://bot:{quote(ODD, safe='')}@db/x",
    }
    set_up_logs(load_config(given, tmp_path / "no.env"))
    log = structlog.get_logger("adpolicy")
    secrets = [PASSWORD, ODD, *SHAPED.values()]
    for secret in secrets:
        name, key = f"event {secret}", f"key {secret}"
        log.warning(name, **{key: 1}, value=secret, nested=[{"a": (secret, {"b": secret})}])
        try:
            raise type(f"Odd{PASSWORD}", (Unavailable,), {})(f"code {secret}")
        except Unavailable as exc:
            log.error("failed", exc_info=exc)
        logging.getLogger("alembic.odd").warning(secret)  # one of those whose messages are believed
        with structlog.contextvars.bound_contextvars(bound=secret):
            log.info("bound")
    shown = capsys.readouterr()
    said = shown.out + shown.err
    assert said.count("[redacted]") >= 5 * len(secrets)
    for secret in (PASSWORD, ODD, json.dumps(ODD)[1:-1], repr(ODD)[1:-1], PART):
        assert secret not in said
    if form == "json":
        assert all(isinstance(json.loads(line), dict) for line in shown.err.splitlines())


def test_without_the_guard_they_would(capsys: pytest.CaptureFixture[str]) -> None:
    """That the troubles above are troubles: the same record, written as usual."""
    handler = logging.StreamHandler()
    record = logging.LogRecord("asyncio", logging.ERROR, __file__, 7, "lost: %s", (SECRET,), None)
    handler.handle(record)
    assert SECRET in capsys.readouterr().err
    guarded = logging.StreamHandler()
    guarded.addFilter(ForeignText())
    guarded.handle(logging.LogRecord("asyncio", logging.ERROR, __file__, 7, "lost: %s", (SECRET,), None))
    guarded.handle(logging.LogRecord("asyncio", logging.ERROR, __file__, 7, f"lost: {SECRET}", None, None))
    assert capsys.readouterr().err.splitlines() == ["asyncio: lost: %s", "asyncio: test_log_safety:7"]


def test_an_error_keeps_its_type_its_code_its_place_and_its_causes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    set_up(tmp_path, form="text")
    try:
        try:
            int(SECRET)
        except ValueError as exc:
            raise Unavailable("index_failed", reason=SECRET) from exc
    except Unavailable as exc:
        ServiceEvents(Metrics()).unexpected("q1", exc)
    shown = capsys.readouterr().err
    assert shown.index("builtins.ValueError") < shown.index("rag_core.errors.Unavailable index_failed")
    assert "test_log_safety.py:" in shown
    assert "in test_an_error_keeps" in shown
