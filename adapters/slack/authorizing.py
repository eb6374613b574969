"""Which token acts for a workspace, as Bolt and our own clients ask for it; and who has none."""

import asyncio
from collections.abc import Awaitable, Callable

from slack_bolt.authorization import AuthorizeResult
from slack_bolt.context.async_context import AsyncBoltContext
from slack_bolt.response import BoltResponse

from adapters.slack.web_api import BotTokens
from bot.wording.slack import not_installed_here
from rag_core.errors import Rejected, Unavailable

Authorize = Callable[[AsyncBoltContext, str | None, str | None, str | None], Awaitable[AuthorizeResult]]
"""Bolt's hook: called with `context`, `enterprise_id`, `team_id`, `user_id`."""

_WAIT_SECONDS = 0.3
"""It comes before what a listener may take, and Slack waits 3 s for both. Without a token a request is kept as well."""

_TURNED_AWAY = "adpolicy_turned_away"


class SingleWorkspace:
    """The one configured token, without asking Slack who it is: an acknowledgement never waits for Slack."""

    def __init__(self, bot_token: str) -> None:
        self._bot_token = bot_token

    async def of(self, team: str, enterprise: str = "") -> str:
        return self._bot_token


def authorized_by(tokens: BotTokens, *, wait_seconds: float = _WAIT_SECONDS) -> Authorize:
    """Bolt's hook on our tokens. Never raises: Slack would count it as a failure of the app, and at last disable it.

    Who is not installed is noted for `turn_away`. Where it cannot be found out in time, the request goes on without a
    token: Slack signed it, so it is kept, and whoever answers it asks for the token again.
    """

    async def authorize(
        context: AsyncBoltContext,
        enterprise_id: str | None,
        team_id: str | None,
        user_id: str | None,
    ) -> AuthorizeResult:
        token = None
        try:
            async with asyncio.timeout(wait_seconds):
                token = await tokens.of(team_id or "", enterprise_id or "")
        except Rejected:
            context[_TURNED_AWAY] = True
        except (Unavailable, TimeoutError):
            pass
        return AuthorizeResult(enterprise_id=enterprise_id, team_id=team_id, user_id=user_id, bot_token=token)

    return authorize


async def turn_away(
    context: AsyncBoltContext, body: dict[str, object], next_: Callable[[], Awaitable[BoltResponse]]
) -> BoltResponse:
    """Bolt's middleware: what comes from where the app is not installed is acknowledged, and goes no further."""
    if not context.get(_TURNED_AWAY):
        return await next_()
    if "command" in body:
        told = {"response_type": "ephemeral", "text": not_installed_here()}
        return BoltResponse(status=200, body=told)
    return BoltResponse(status=200)
