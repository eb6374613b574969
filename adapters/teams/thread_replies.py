"""Who wrote in a channel's thread, read from Microsoft Graph."""

from collections.abc import Callable
from datetime import datetime

from adapters.teams.addresses import PLATFORM, TeamsAddress
from adapters.teams.calls import Json
from adapters.teams.graph import Graph
from adapters.teams.graph_messages import replies_path, sender_of
from bot.model.messages import Actor
from bot.model.posted import Posted

_MOST_REPLIES = 200


class GraphReplies:
    """`adapters.teams.withdrawing.OthersReplied`. `known_as` makes pseudonyms."""

    def __init__(self, graph: Graph, known_as: Callable[[Actor], str]) -> None:
        self._graph = graph
        self._known_as = known_as

    async def __call__(self, address: TeamsAddress, answer: Posted) -> bool:
        """Also where there are too many to be read, and where Graph does not know the thread."""
        if not address.team or not answer.place.thread:
            return True
        path = replies_path(address, answer.place.thread)
        found = await self._graph.listed(address.tenant, path, _MOST_REPLIES)
        return found is None or any(self._is_others(each, address.tenant, answer) for each in found)

    def _is_others(self, message: Json, tenant: str, answer: Posted) -> bool:
        """Neither an app's nor the asker's, and after the answer."""
        user = sender_of(message, "user")
        if message.get("deletedDateTime") or user is None or not _after(message, answer.posted_at):
            return False
        return self._known_as(Actor(PLATFORM, tenant, str(user.get("id", "")).lower())) != answer.person


def _after(message: Json, moment: datetime) -> bool:
    """Also where it does not say when."""
    try:
        return datetime.fromisoformat(str(message.get("createdDateTime"))) > moment
    except (ValueError, TypeError):
        return True
