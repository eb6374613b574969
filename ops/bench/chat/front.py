"""What stands in front of several workers: each request goes to the next one that takes it."""

import itertools
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import aiohttp
from aiohttp import web

_SECONDS = aiohttp.ClientTimeout(total=10.0, connect=1.0)
_NOT_PASSED_ON = frozenset({"host", "content-length", "transfer-encoding", "connection", "content-encoding"})


class Front:
    """A load balancer on loopback. A worker that does not take a connection, or breaks it before it answers, is left
    out for that request: the next one gets it, as a real balancer's retry would have it."""

    def __init__(self, workers: Sequence[str], session: aiohttp.ClientSession) -> None:
        self._workers = workers
        self._turn = itertools.count()
        self._session = session

    async def pass_on(self, request: web.Request) -> web.Response:
        body = await request.read()
        headers = {name: value for name, value in request.headers.items() if name.lower() not in _NOT_PASSED_ON}
        first = next(self._turn)
        for offset in range(len(self._workers)):
            worker = self._workers[(first + offset) % len(self._workers)]
            try:
                async with self._session.request(
                    request.method, worker + request.path_qs, data=body, headers=headers, timeout=_SECONDS
                ) as answer:
                    passed = {k: v for k, v in answer.headers.items() if k.lower() not in _NOT_PASSED_ON}
                    return web.Response(status=answer.status, body=await answer.read(), headers=passed)
            except aiohttp.ClientError:
                continue
        return web.Response(status=503)


@asynccontextmanager
async def open_front(workers: Sequence[str]) -> AsyncIterator[str]:
    """The address in front of these, of which more may come."""
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0), auto_decompress=True) as session:
        app = web.Application(client_max_size=2**21)
        app.router.add_route("*", "/{path:.*}", Front(workers, session).pass_on)
        running = web.AppRunner(app, access_log=None, shutdown_timeout=0.2)
        await running.setup()
        try:
            await web.TCPSite(running, "127.0.0.1", 0).start()
            yield f"http://127.0.0.1:{running.addresses[0][1]}"
        finally:
            await running.cleanup()
