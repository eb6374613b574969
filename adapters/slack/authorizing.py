"""Which token acts for a workspace, as Bolt and our own clients ask for it."""

from collections.abc import Awaitable, Callable

from slack_bolt.authorization import AuthorizeResult
from slack_bolt.context.async_context import AsyncBoltContext

from adapters.slack.web_api import BotTokens

Authorize = Callable[[AsyncBoltContext, str | None, str | None, str | None], Awaitable[AuthorizeResult]]
"""Bolt's hook: called with `context`, `enterprise_id`, `team_id`, `user_id`."""


class SingleWorkspace:
    """The one configured token, without asking Slack who it is: an acknowledgement never waits for Slack."""

    def __init__(self, bot_token: str) -> None:
        self._bot_token = bot_token

    async def of(self, team: str, enterprise: str = "") -> str:
        return self._bot_token


def authorized_by(tokens: BotTokens) -> Authorize:
    """Bolt's hook on our tokens. Raises as they do."""

    async def authorize(
        context: AsyncBoltContext,
        enterprise_id: str | None,
        team_id: str | None,
        user_id: str | None,
    ) -> AuthorizeResult:
        token = await tokens.of(team_id or "", enterprise_id or "")
        return AuthorizeResult(enterprise_id=enterprise_id, team_id=team_id, user_id=user_id, bot_token=token)

    return authorize
