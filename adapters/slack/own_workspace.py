"""The workspace that the configured token is for, as Slack says it."""

import asyncio

from adapters.slack.oauth import SlackOAuth
from rag_core.errors import Rejected


class OwnWorkspace:
    """BotTokens of one token, for nobody else: used beside installations of others. Slack is asked once."""

    def __init__(self, bot_token: str, oauth: SlackOAuth) -> None:
        self._bot_token = bot_token
        self._oauth = oauth
        self._place = ("", "")
        self._turn = asyncio.Lock()

    async def of(self, team: str, enterprise: str = "") -> str:
        own_team, own_enterprise = await self._asked()
        if (own_team and team == own_team) or (own_enterprise and enterprise == own_enterprise):
            return self._bot_token
        raise Rejected("slack_not_installed", error="another_workspace")

    async def _asked(self) -> tuple[str, str]:
        """The team; or the organisation, where the token is for all of it."""
        async with self._turn:
            if not any(self._place):
                found = await self._oauth.test(self._bot_token)
                whole = found.get("is_enterprise_install") is True
                self._place = ("", str(found.get("enterprise_id"))) if whole else (str(found.get("team_id")), "")
        return self._place
