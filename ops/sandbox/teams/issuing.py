"""Who Teams says it is: the keys it publishes and the tokens it puts on what it sends, good ones and bad ones."""

import base64
import json
from collections.abc import Callable
from datetime import datetime, timedelta
from enum import StrEnum
from functools import cache

from aiohttp import web
from joserfc import jws
from joserfc.jwk import RSAKey

from ops.sandbox.teams.messages import Clock

ISSUER = "https://api.botframework.com"
METADATA_PATH = "/v1/.well-known/openidconfiguration"
KEYS_PATH = "/v1/.well-known/keys"
LASTS = timedelta(hours=1)


class Bad(StrEnum):
    """What is wrong with a token."""

    NONE = "no header at all"
    GARBAGE = "no token"
    OTHER_SCHEME = "Basic in place of Bearer"
    EXPIRED = "expired an hour ago"
    NOT_YET = "valid in an hour"
    NO_EXPIRY = "without exp"
    AUDIENCE = "for another app"
    ISSUER = "of another issuer"
    UNKNOWN_KEY = "kid that was never published"
    NO_KEY = "without kid"
    SIGNATURE = "signed with another key than kid says"
    UNSIGNED = "alg none"
    SERVICE_URL = "for another serviceUrl"
    NO_SERVICE_URL = "without serviceurl"
    ENDORSEMENT = "signed with a key that is not endorsed for msteams"


_UNENDORSED = "unendorsed"


@cache
def private_key(kid: str) -> RSAKey:
    """One for all stand-ins of a process: making one takes a tenth of a second."""
    return RSAKey.generate_key(2048)


class Issuer:
    """`token_clock` dates the tokens: real time unless the bot checks them by another clock.

    `fetched`: how often metadata and keys were asked for.
    """

    def __init__(self, app_id: str, token_clock: Clock, issuer: str = ISSUER) -> None:
        self.issuer = issuer
        self.base_url = ""
        self.fetched = 0
        self._app_id = app_id
        self._clock = token_clock
        self._rotations = 0
        self._made: dict[str, tuple[str, datetime]] = {}
        self.rotate()

    def rotate(self) -> None:
        """A new key signs from now on, and is published alone: what was fetched before knows nothing of it."""
        self._rotations += 1
        self._kid = f"key-{self._rotations}"
        self._made.clear()

    def routes(self) -> list[web.RouteDef]:
        return [web.get(METADATA_PATH, self._metadata), web.get(KEYS_PATH, self._keys)]

    def authorization(self, service_url: str, bad: Bad | None = None) -> str:
        """The header of a delivery; "" for none."""
        if bad is None:
            return f"Bearer {self._good(service_url)}"
        odd = {
            Bad.NONE: "",
            Bad.GARBAGE: "Bearer not-a-token",
            Bad.OTHER_SCHEME: f"Basic {self._good(service_url)}",
            Bad.UNSIGNED: f"Bearer {self._unsigned(service_url)}",
        }
        return odd[bad] if bad in odd else f"Bearer {self._wrong(service_url, bad)}"

    def signed(self, claims: dict[str, object], *, kid: str | None = "", key: RSAKey | None = None) -> str:
        """With the present key, unless another one is given; `kid` None for none."""
        head: dict[str, object] = {"alg": "RS256", "typ": "JWT", "kid": self._kid if kid == "" else kid}
        head = {name: value for name, value in head.items() if value is not None}
        return jws.serialize_compact(
            head, json.dumps(claims).encode(), key or private_key(self._kid), algorithms=["RS256"]
        )

    def claims(self, service_url: str) -> dict[str, object]:
        now = int(self._clock().timestamp())
        whole = {"iss": self.issuer, "aud": self._app_id, "serviceurl": service_url}
        return {**whole, "nbf": now - 60, "iat": now - 60, "exp": now + int(LASTS.total_seconds())}

    def _good(self, service_url: str) -> str:
        token, until = self._made.get(service_url, ("", self._clock()))
        if self._clock() >= until:
            token = self.signed(self.claims(service_url))
            self._made[service_url] = (token, self._clock() + LASTS / 2)
        return token

    def _wrong(self, service_url: str, bad: Bad) -> str:
        claims, hour = self.claims(service_url), int(LASTS.total_seconds())
        now = int(self._clock().timestamp())
        make: dict[Bad, Callable[[], str]] = {
            Bad.EXPIRED: lambda: self.signed(claims | {"nbf": now - 2 * hour, "exp": now - hour}),
            Bad.NOT_YET: lambda: self.signed(claims | {"nbf": now + hour, "exp": now + 2 * hour}),
            Bad.NO_EXPIRY: lambda: self.signed({name: each for name, each in claims.items() if name != "exp"}),
            Bad.AUDIENCE: lambda: self.signed(claims | {"aud": "99999999-9999-9999-9999-999999999999"}),
            Bad.ISSUER: lambda: self.signed(claims | {"iss": "https://issuer.example"}),
            Bad.UNKNOWN_KEY: lambda: self.signed(claims, kid="never-published"),
            Bad.NO_KEY: lambda: self.signed(claims, kid=None),
            Bad.SIGNATURE: lambda: self.signed(claims, key=private_key("stranger")),
            Bad.SERVICE_URL: lambda: self.signed(claims | {"serviceurl": "https://connector.example/"}),
            Bad.NO_SERVICE_URL: lambda: self.signed(
                {name: each for name, each in claims.items() if name != "serviceurl"}
            ),
            Bad.ENDORSEMENT: lambda: self.signed(claims, kid=_UNENDORSED, key=private_key(_UNENDORSED)),
        }
        return make[bad]()

    def _unsigned(self, service_url: str) -> str:
        parts = ({"alg": "none", "typ": "JWT", "kid": self._kid}, self.claims(service_url))
        texts = [base64.urlsafe_b64encode(json.dumps(each).encode()).decode().rstrip("=") for each in parts]
        return f"{'.'.join(texts)}."

    async def _metadata(self, _: web.Request) -> web.Response:
        self.fetched += 1
        return web.json_response(
            {
                "issuer": self.issuer,
                "authorization_endpoint": "https://invalid.botframework.com",
                "jwks_uri": f"{self.base_url}{KEYS_PATH}",
                "id_token_signing_alg_values_supported": ["RS256"],
                "token_endpoint_auth_methods_supported": ["private_key_jwt"],
            }
        )

    async def _keys(self, _: web.Request) -> web.Response:
        keys = [
            {
                **private_key(kid).as_dict(private=False),
                "kid": kid,
                "use": "sig",
                "endorsements": [endorsement],
            }
            for kid, endorsement in ((self._kid, "msteams"), (_UNENDORSED, "webchat"))
        ]
        return web.json_response({"keys": keys})
