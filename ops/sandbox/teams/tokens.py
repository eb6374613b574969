"""Tokens both ways: who Teams says it is, by keys that it publishes and tokens on what it sends, good and bad ones; and
Microsoft Entra's token endpoint, an app's own tokens for the connector and for Graph, that expire by the clock."""

import base64
import itertools
import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from functools import cache

from aiohttp import web
from joserfc import jws
from joserfc.jwk import RSAKey

from ops.sandbox.teams.limits import TeamsRefusal
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
        now, without = int(self._clock().timestamp()), {Bad.NO_EXPIRY: "exp", Bad.NO_SERVICE_URL: "serviceurl"}
        changes: dict[Bad, dict[str, object]] = {
            Bad.EXPIRED: {"nbf": now - 2 * hour, "exp": now - hour},
            Bad.NOT_YET: {"nbf": now + hour, "exp": now + 2 * hour},
            Bad.AUDIENCE: {"aud": "99999999-9999-9999-9999-999999999999"},
            Bad.ISSUER: {"iss": "https://issuer.example"},
            Bad.SERVICE_URL: {"serviceurl": "https://connector.example/"},
        }
        kids: dict[Bad, str | None] = {
            Bad.UNKNOWN_KEY: "never-published",
            Bad.NO_KEY: None,
            Bad.ENDORSEMENT: _UNENDORSED,
        }
        keys = {Bad.SIGNATURE: "stranger", Bad.ENDORSEMENT: _UNENDORSED}
        claims = {name: each for name, each in claims.items() if name != without.get(bad)} | changes.get(bad, {})
        return self.signed(claims, kid=kids.get(bad, ""), key=private_key(keys[bad]) if bad in keys else None)

    def _unsigned(self, service_url: str) -> str:
        parts = ({"alg": "none", "typ": "JWT", "kid": self._kid}, self.claims(service_url))
        texts = [base64.urlsafe_b64encode(json.dumps(each).encode()).decode().rstrip("=") for each in parts]
        return f"{'.'.join(texts)}."

    async def _metadata(self, _: web.Request) -> web.Response:
        self.fetched += 1
        found = {
            "issuer": self.issuer, "authorization_endpoint": "https://invalid.botframework.com",
            "jwks_uri": f"{self.base_url}{KEYS_PATH}", "id_token_signing_alg_values_supported": ["RS256"],
            "token_endpoint_auth_methods_supported": ["private_key_jwt"],
        }  # fmt: skip
        return web.json_response(found)

    async def _keys(self, _: web.Request) -> web.Response:
        endorsed = ((self._kid, "msteams"), (_UNENDORSED, "webchat"))
        keys = [
            {**private_key(kid).as_dict(private=False), "kid": kid, "use": "sig", "endorsements": [endorsement]}
            for kid, endorsement in endorsed
        ]
        return web.json_response({"keys": keys})


CONNECTOR = "https://api.botframework.com"
MULTI_TENANT = "botframework.com"


@dataclass(frozen=True, slots=True)
class Grant:
    """`resource`: what it is for, CONNECTOR or the address of Graph. `tenant`: the authority that gave it."""

    resource: str
    tenant: str
    until: datetime


class Tokens:
    """`fetches`: every token that was asked for, as (tenant, scope); `lasts`: seconds, of those to come. A token for
    the connector is given by `app_tenant` alone; for `is_multi_tenant` apps by botframework.com."""

    def __init__(self, app_id: str, app_secret: str, app_tenant: str, tenants: Iterable[str], clock: Clock) -> None:
        self.app_id = app_id
        self.app_secret = app_secret
        self.app_tenant = app_tenant
        self.tenants = tenants
        self.is_multi_tenant = False
        self.graph_url = ""
        self.lasts = 3600
        self.fetches: list[tuple[str, str]] = []
        self._clock = clock
        self._grants: dict[str, Grant] = {}
        self._numbers = itertools.count(1)

    def routes(self) -> list[web.RouteDef]:
        return [web.post("/{tenant}/oauth2/v2.0/token", self._give)]

    def revoke(self) -> None:
        """Every token that was given out is refused from now on."""
        self._grants.clear()

    def check(self, authorization: str, resource: str) -> Grant:
        """Raises TeamsRefusal 401 for what is no token for this, or none any more."""
        scheme, _, token = authorization.partition(" ")
        grant = self._grants.get(token) if scheme == "Bearer" else None
        if grant is None or grant.resource != resource or self._clock() >= grant.until:
            raise TeamsRefusal("Unauthorized")
        return grant

    def grant(self, tenant: str, resource: str) -> str:
        """A new token."""
        token = f"token-{next(self._numbers)}"
        self._grants[token] = Grant(resource, tenant, self._clock() + timedelta(seconds=self.lasts))
        return token

    async def _give(self, request: web.Request) -> web.Response:
        form = {name: str(value) for name, value in (await request.post()).items()}
        tenant, scope = request.match_info["tenant"], form.get("scope", "")
        self.fetches.append((tenant, scope))
        error = self._error(tenant, form)
        if error:
            return web.json_response(
                {"error": error, "error_description": "refused"}, status=401 if error == "invalid_client" else 400
            )
        token = self.grant(tenant, scope.removesuffix("/.default"))
        return web.json_response({"token_type": "Bearer", "expires_in": self.lasts, "access_token": token})

    def _error(self, tenant: str, form: dict[str, str]) -> str:
        resource = form.get("scope", "").removesuffix("/.default")
        if form.get("grant_type") != "client_credentials":
            return "unsupported_grant_type"
        if (form.get("client_id"), form.get("client_secret")) != (self.app_id, self.app_secret):
            return "invalid_client"
        if resource == CONNECTOR:
            home = MULTI_TENANT if self.is_multi_tenant else self.app_tenant
            return "" if tenant.lower() == home.lower() else "unauthorized_client"
        if resource == self.graph_url:
            return "" if tenant.lower() in {each.lower() for each in self.tenants} else "unauthorized_client"
        return "invalid_scope"
