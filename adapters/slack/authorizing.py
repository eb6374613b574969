"""Which token acts for a workspace. An OAuth store takes this place when many workspaces install the app."""

from collections.abc import Awaitable, Callable

from slack_bolt.authorization import AuthorizeResult
from slack_bolt.context.async_context import AsyncBoltContext

from adapters.slack.settings import SlackSettings

Authorize = Callable[[AsyncBoltContext, str | None, str | None, str | None], Awaitable[AuthorizeResult]]
"""Bolt's hook: called with `context`, `enterprise_id`, `team_id`, `user_id`; a false value when not installed there."""


def single_workspace(settings: SlackSettings) -> Authorize:
    """The one configured token, without asking Slack who it is: an acknowledgement never waits for Slack."""

    async def authorize(
        context: AsyncBoltContext,
        enterprise_id: str | None,
        team_id: str | None,
        user_id: str | None,
    ) -> AuthorizeResult:
        return AuthorizeResult(
            enterprise_id=enterprise_id, team_id=team_id, user_id=user_id, bot_token=settings.bot_token
        )

    return authorize
