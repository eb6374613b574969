"""The fuzz benchmark finds what it is for: errors, hangs, and answers that are not as they are described."""

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from itertools import islice

import pytest
from aiohttp import web

from ops.bench.fuzz import DescribedRequests, RawRequests, Sent, Tally, percentile
from ops.bench.fuzz_attacks import GETS, POSTS, Attack, attacks

DOCUMENT = {
    "openapi": "3.1.0",
    "info": {"title": "a test", "version": "1"},
    "paths": {
        "/things/{name}": {
            "get": {
                "parameters": [{"name": "name", "in": "path", "required": True, "schema": {"type": "string"}}],
                "responses": {
                    "200": {
                        "description": "a number",
                        "content": {"application/json": {"schema": {"type": "integer"}}},
                    }
                },
            }
        }
    },
}
Serve = Callable[[web.Request], Awaitable[web.Response]]


@asynccontextmanager
async def server(serve: Serve) -> AsyncIterator[int]:
    """Answers everything with `serve`; its port."""
    app = web.Application()
    app.router.add_route("*", "/{rest:.*}", serve)
    running = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await running.setup()
    await web.TCPSite(running, "127.0.0.1", 0).start()
    try:
        yield running.addresses[0][1]
    finally:
        await running.cleanup()


async def five(_: web.Request) -> web.Response:
    return web.json_response(5)


async def error(_: web.Request) -> web.Response:
    return web.json_response({}, status=500)


async def text(_: web.Request) -> web.Response:
    return web.json_response("no number")


async def gone(_: web.Request) -> web.Response:
    return web.json_response(5, status=410)


async def slow(_: web.Request) -> web.Response:
    await asyncio.sleep(3)
    return web.json_response(5)


async def made_up(serve: Serve) -> Tally:
    tally = Tally()
    async with server(serve) as port:
        known = {"name": ["one", "two"]}
        sending = DescribedRequests(DOCUMENT, f"http://127.0.0.1:{port}", tally, known=known, bound_seconds=0.5)
        await asyncio.to_thread(sending.round, 1, 2)
        sending.close()
    return tally


async def test_answers_as_described_are_clean() -> None:
    async def only_get(request: web.Request) -> web.Response:
        if request.method != "GET":
            raise web.HTTPMethodNotAllowed(request.method, ["GET"])
        return await five(request)

    tally = await made_up(only_get)
    assert tally.is_clean, tally.complaints
    assert tally.statuses["200"] == tally.count > 0
    assert percentile(tally.seconds, 0.99) > 0


@pytest.mark.parametrize(
    ("serve", "complaint"), [(error, "ServerError"), (text, "JsonSchemaError"), (gone, "UndefinedStatusCode")]
)
async def test_other_answers_are_complaints(serve: Serve, complaint: str) -> None:
    tally = await made_up(serve)
    assert any(complaint in kind for kind in tally.complaints), tally.complaints
    assert bool(tally.errors) is (serve is error)


async def test_no_answer_in_time_is_a_hang() -> None:
    tally = await made_up(slow)
    assert tally.hangs
    assert not tally.is_clean


async def sent(serve: Serve, attack: Attack) -> Sent:
    async with server(serve) as port:
        raw = RawRequests(port, Tally(), bound_seconds=0.5, at_once=1, seed=1)
        return await raw.send(attack)


GET = (b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",)


async def test_an_attack_ends_in_a_status_a_closed_connection_or_not_at_all() -> None:
    assert (await sent(five, Attack("a", "/", GET))).status == 200
    assert (await sent(error, Attack("a", "/", GET))).status == 500
    hung = await sent(slow, Attack("a", "/", GET))
    assert (hung.status, hung.hung) == (None, True)
    waits_for_more = Attack("a", "/", (GET[0][:10],), is_request=False)
    assert not (await sent(five, waits_for_more)).hung
    assert (await sent(five, Attack("a", "/", GET, leaves=True))).status is None


async def test_attacks_are_sent_until_it_is_told_to_stop() -> None:
    tally = Tally()
    async with server(five) as port:
        raw = RawRequests(port, tally, bound_seconds=5, at_once=3, seed=1)
        await raw.run(lambda: tally.count < 20)
    assert tally.count >= 20
    assert set(tally.statuses) <= {"200", "400", "closed"}


def test_attacks_of_all_kinds_come_in_turn() -> None:
    dice = random.Random(1)  # noqa: S311 - the same ones at every run
    found = list(islice(attacks(dice), 400))
    assert {each.route for each in found} <= {*POSTS, *GETS}
    assert {"gzip bomb", "deep lists", "two lengths", "split header", "body stops", "goes away in the body"} <= {
        each.name for each in found
    }


def test_a_tally_tells_ends_apart() -> None:
    tally = Tally()
    for each in (
        Sent("/", 200, 0.1),
        Sent("/", 500, 0.2, "the cause"),
        Sent("/", None, 9.0, hung=True),
        Sent("/", None, 0.3),
        Sent("/", 408, 10.0, is_slow=True),
    ):
        tally.add(each)
    assert tally.statuses == {"200": 1, "500": 1, "hung": 1, "closed": 1, "408": 1}
    assert (len(tally.errors), len(tally.hangs), tally.seconds) == (1, 1, [0.1, 0.2])
    assert percentile([], 0.5) == 0
    assert percentile([3.0, 1.0, 2.0], 0.99) == 3.0
