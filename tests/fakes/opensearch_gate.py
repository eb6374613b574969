"""A server that asks who is there, as a secured cluster does, and keeps what it was told. It finds nothing."""

import hashlib
import hmac
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import quote

from aiohttp import web

NOTHING = {"hits": {"hits": []}, "nothing-chunks-1-first": {"aliases": {}}}


class Gate:
    """`authorizations` and `requests` of everybody who came; `status` is what all get if it is set."""

    def __init__(self) -> None:
        self.url = ""
        self.status = 200
        self.requests: list[web.Request] = []
        self.bodies: list[bytes] = []

    async def answer(self, request: web.Request) -> web.Response:
        self.requests.append(request)
        self.bodies.append(await request.read())
        if self.status != 200:
            return web.json_response({"error": {"type": "security_exception"}}, status=self.status)
        return web.json_response(NOTHING)


@asynccontextmanager
async def gate(context: ssl.SSLContext | None = None) -> AsyncIterator[Gate]:
    """Listening on loopback."""
    guard = Gate()
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", guard.answer)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0, ssl_context=context).start()
    guard.url = f"{'https' if context else 'http'}://127.0.0.1:{runner.addresses[0][1]}"
    try:
        yield guard
    finally:
        await runner.cleanup()


def expected_signature(request: web.Request, body: bytes, secret: str, region: str, service: str) -> str:
    """Signature Version 4 as the AWS General Reference describes it, worked out from the request as it arrived."""
    terms = dict(part.strip().split("=", 1) for part in request.headers["authorization"].split(" ", 1)[1].split(","))
    day = request.headers["x-amz-date"][:8]
    signed = terms["SignedHeaders"].split(";")
    query = "&".join(
        f"{quote(name, safe='-_.~')}={quote(value, safe='-_.~')}" for name, value in sorted(request.query.items())
    )
    canonical = "\n".join(
        [
            request.method,
            quote(request.rel_url.raw_path, safe="/-_.~"),
            query,
            *(f"{name}:{request.headers[name].strip()}" for name in signed),
            "",
            ";".join(signed),
            hashlib.sha256(body).hexdigest(),
        ]
    )
    scope = f"{day}/{region}/{service}/aws4_request"
    text = "\n".join(
        ["AWS4-HMAC-SHA256", request.headers["x-amz-date"], scope, hashlib.sha256(canonical.encode()).hexdigest()]
    )
    key = f"AWS4{secret}".encode()
    for part in (day, region, service, "aws4_request"):
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()
