"""An identity provider on loopback, with real keys: signs tokens, right ones and wrong ones, and rotates its keys."""

import asyncio
import base64
import hashlib
import hmac
import json
import warnings
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from typing import Any

from aiohttp import web
from cryptography.hazmat.primitives import serialization
from joserfc import jws
from joserfc.errors import SecurityWarning
from joserfc.jwk import ECKey, OKPKey, RSAKey

AUDIENCE = "adpolicy-tests"
ALL = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519"]
_Private = RSAKey | ECKey | OKPKey


@dataclass
class FakeIssuer:
    """`down`: answers 503. `more`: members of its discovery document that are not as they should be; `listed`: further
    members of its key set. `endorsements`: of its keys, what they may speak for. `fetched`: how often its keys were
    asked for, `asked` how often its discovery document, which takes `slow` seconds."""

    url: str
    keys: dict[str, _Private] = field(default_factory=dict)
    published: list[str] = field(default_factory=list)
    listed: list[dict[str, Any]] = field(default_factory=list)
    more: dict[str, Any] = field(default_factory=dict)
    endorsements: dict[str, list[object]] = field(default_factory=dict)
    down: bool = False
    fetched: int = 0
    asked: int = 0
    slow: float = 0.0

    def add(self, kid: str, key: _Private, *, publish: bool = True) -> None:
        self.keys[kid] = key
        if publish:
            self.published.append(kid)

    def claims(self, **changes: object) -> dict[str, object]:
        """Those of a token that holds; a change to None takes one away."""
        now = int(datetime.now(UTC).timestamp())
        usual = {"iss": self.url, "aud": AUDIENCE, "sub": "person-1", "iat": now, "nbf": now, "exp": now + 300}
        return {name: value for name, value in (usual | changes).items() if value is not None}

    def token(
        self, kid: str = "rsa", alg: str = "RS256", *, header: dict[str, Any] | None = None, **claims: object
    ) -> str:
        """Signed with the key `kid`; `header` are further members, None takes one away."""
        return self.signed(json.dumps(self.claims(**claims)).encode(), kid, alg, header=header)

    def signed(self, payload: bytes, kid: str, alg: str, *, header: dict[str, Any] | None = None) -> str:
        head = {"alg": alg, "kid": kid, "typ": "JWT"} | (header or {})
        head = {name: value for name, value in head.items() if value is not None}
        registry = jws.JWSRegistry(algorithms=[alg], strict_check_header=False)
        registry.max_header_length = 10_000
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SecurityWarning)  # keys too small are signed with on purpose
            return jws.serialize_compact(head, payload, self.keys[kid], algorithms=[alg], registry=registry)

    def public_pem(self, kid: str) -> bytes:
        key = self.keys[kid].public_key
        return key.public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)

    async def discovery(self, _: web.Request) -> web.Response:
        self.asked += 1
        await asyncio.sleep(self.slow)
        if self.down:
            return web.Response(status=503)
        return web.json_response({"issuer": self.url, "jwks_uri": f"{self.url}/keys"} | self.more)

    async def key_page(self, _: web.Request) -> web.Response:
        self.fetched += 1
        return web.json_response(self.key_set())

    def key_set(self) -> dict[str, object]:
        public = [
            {**self.keys[kid].as_dict(private=False), "kid": kid, "use": "sig"}
            | ({"endorsements": self.endorsements[kid]} if kid in self.endorsements else {})
            for kid in self.published
        ]
        return {"keys": [*public, *self.listed]}


@cache
def rsa_key(name: str) -> RSAKey:
    """One of each name for all tests of a process: making one takes a tenth of a second."""
    return RSAKey.generate_key(2048)


@cache
def small_key() -> RSAKey:
    """RSA with 1,024 bits, which can be broken."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SecurityWarning)
        return RSAKey.generate_key(1024)


def unsigned(claims: dict[str, object], alg: str = "none") -> str:
    return f"{part({'alg': alg, 'typ': 'JWT', 'kid': 'rsa'})}.{part(claims)}."


def hmac_signed(claims: dict[str, object], secret: bytes) -> str:
    """HS256, with whatever an attacker takes for the secret: a public key, say."""
    body = f"{part({'alg': 'HS256', 'typ': 'JWT', 'kid': 'rsa'})}.{part(claims)}"
    return f"{body}.{encoded(hmac.new(secret, body.encode(), hashlib.sha256).digest())}"


def part(value: dict[str, object]) -> str:
    return encoded(json.dumps(value).encode())


def encoded(value: bytes) -> str:
    return base64.urlsafe_b64encode(value).decode().rstrip("=")


@asynccontextmanager
async def running_issuer(port: int = 0) -> AsyncIterator[FakeIssuer]:
    """With the keys "rsa" and "ec" published."""
    issuer = FakeIssuer("")
    app = web.Application()
    app.add_routes(
        [
            web.get("/realm/.well-known/openid-configuration", issuer.discovery),
            web.get("/realm/keys", issuer.key_page),
            web.get("/moved", _moved),
        ]
    )
    running = web.AppRunner(app, access_log=None)
    await running.setup()
    await web.TCPSite(running, "127.0.0.1", port).start()
    issuer.url = f"http://127.0.0.1:{running.addresses[0][1]}/realm"
    issuer.add("rsa", rsa_key("rsa"))
    issuer.add("ec", ECKey.generate_key("P-256"))
    try:
        yield issuer
    finally:
        await running.cleanup()


async def _moved(_: web.Request) -> web.Response:
    return web.Response(status=302, headers={"Location": "/realm/keys"})
