"""Tokens of several workspaces, as an installation store would know them."""

from rag_core.errors import Rejected


class FakeTokens:
    """BotTokens: by workspace, or by organisation where the workspace has none. `asked`: for which."""

    def __init__(self, **tokens: str) -> None:
        self.tokens = tokens
        self.asked: list[tuple[str, str]] = []

    async def of(self, team: str, enterprise: str = "") -> str:
        self.asked.append((team, enterprise))
        found = self.tokens.get(team) or self.tokens.get(enterprise)
        if found is None:
            raise Rejected("slack_not_installed", team=team)
        return found
