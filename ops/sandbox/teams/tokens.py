"""Microsoft Entra's token endpoint: an app's own tokens, for the connector and for Graph, that expire by the clock."""

import itertools
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from aiohttp import web

from ops.sandbox.teams.messages import Clock
from ops.sandbox.teams.refusals import TeamsRefusal

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
            raise TeamsRefusal(401, "Unauthorized", "Authorization has been denied for this request.")
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
            return web.json_response({"error": error, "error_description": "refused"}, status=_STATUS[error])
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


_STATUS = {"invalid_client": 401, "unauthorized_client": 400, "unsupported_grant_type": 400, "invalid_scope": 400}
