"""Tokens by a managed identity of Azure, through msal: no secret anywhere."""

import asyncio
import time
from collections.abc import Mapping

import msal
import requests
from requests.adapters import HTTPAdapter

from adapters.teams.tokens import Granted, seconds_of
from rag_core.errors import Unavailable

_SECONDS = 8.0
_DEFAULT = "/.default"


class _Bounded(HTTPAdapter):
    """msal sets no time-out."""

    def send(self, request: requests.PreparedRequest, **given: object) -> requests.Response:
        found: requests.Response = super().send(request, **{**given, "timeout": _SECONDS})
        return found


class ManagedIdentityGrant:
    """A `Grant`. `client_id`: of the identity that was made for the app; "" for that of the machine itself. Which
    tenant it belongs to, Azure knows."""

    def __init__(self, client_id: str = "") -> None:
        self._client_id = client_id

    async def __call__(self, tenant: str, scope: str) -> Granted:
        began = time.time()
        try:  # msal and requests wait in their own thread
            answer = await asyncio.to_thread(self._ask, scope.removesuffix(_DEFAULT))
        except (requests.RequestException, msal.ManagedIdentityError, OSError, ValueError, KeyError) as exc:
            raise Unavailable("teams_token_unreachable") from exc
        token = answer.get("access_token")
        if not isinstance(token, str) or not token:
            raise Unavailable("teams_token_refused", error=_code(answer))
        return Granted(token, max(0.0, seconds_of(answer.get("expires_in")) - (time.time() - began)))

    def _ask(self, resource: str) -> Mapping[str, object]:
        """A new client each time: its cache would give back a token that was refused."""
        identity: object = msal.SystemAssignedManagedIdentity()
        if self._client_id:
            identity = msal.UserAssignedManagedIdentity(client_id=self._client_id)
        with requests.Session() as session:
            session.trust_env = False
            session.mount("http://", _Bounded())
            session.mount("https://", _Bounded())
            found: Mapping[str, object] = msal.ManagedIdentityClient(
                identity, http_client=session
            ).acquire_token_for_client(resource=resource)
            return found


def _code(answer: Mapping[str, object]) -> str:
    error = answer.get("error")
    return error[:60] if isinstance(error, str) and error.replace("_", "").isalnum() else "no_token"
