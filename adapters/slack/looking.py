"""What Slack says of a token: for an operator who looks whether everything is set up."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from slack_sdk.web.async_client import AsyncWebClient

from adapters.slack.web_api import called


@dataclass(frozen=True, slots=True)
class TokenFacts:
    """`place`: workspace or organisation, `scopes`: what it may do."""

    place: str
    name: str
    scopes: frozenset[str]


async def token_facts(client: AsyncWebClient) -> TokenFacts:
    """Raises as `web_api.called`."""
    headers: dict[str, str] = {}

    async def asked() -> Any:
        answer = await client.auth_test()
        headers.update({name.lower(): str(value) for name, value in answer.headers.items()})
        return answer

    told: Mapping[str, Any] = await called(asked())
    whole = told.get("is_enterprise_install") is True
    place = str(told.get("enterprise_id" if whole else "team_id") or "")
    scopes = headers.get("x-oauth-scopes", "").split(",")
    return TokenFacts(place, str(told.get("team") or ""), frozenset(each.strip() for each in scopes if each.strip()))


async def check_app_token(client: AsyncWebClient, app_token: str) -> None:
    """Whether events could come over Socket Mode. Raises as `web_api.called`."""
    await called(client.apps_connections_open(app_token=app_token))
