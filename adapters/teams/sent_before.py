"""Whether an answer stands in Teams already, read from Microsoft Graph: the connector lets no bot look for what it
sent."""

import asyncio
import logging
from datetime import datetime, timedelta
from typing import Protocol

from adapters.teams.addresses import TeamsAddress, TeamsPlace, thread_of
from adapters.teams.answer_marks import is_marked
from adapters.teams.calls import Json
from adapters.teams.graph import Graph
from adapters.teams.graph_messages import PAGE, changed_since, chat_path, posts_path, replies_path, sender_of
from rag_core.errors import PolicyBotError

_log = logging.getLogger(__name__)

MOST_READ = 200
"""Messages, the newest first; what is further back is not looked for."""

_SECONDS = 5.0
_CLOCKS = timedelta(minutes=5)
"""By which Teams' clock may be behind ours."""


class SentBefore(Protocol):
    """Looks for what may have been sent by somebody who was not told of it. When in doubt it is not there: an answer
    that stands twice is better than none."""

    def reads(self, address: TeamsAddress) -> bool:
        """Whether it is of any use to look there; that it is allowed is found out by looking."""
        ...

    async def find(self, address: TeamsAddress, answer_id: str, asked_at: datetime) -> str:
        """The id of our message with this answer, "" for none. `address`: its `conversation_id` is where it was sent,
        in a channel with the thread, without one for a new post. Raises nothing, and takes a few seconds at most."""
        ...


class GraphSentBefore:
    """A `SentBefore` for group chats and channels that let the app read their messages (`graph_messages`). Nothing of
    what is read is kept or logged but the id of our own message, and nobody is shown any of it: it is no road to
    documents."""

    def __init__(self, graph: Graph, app_id: str, *, seconds: float = _SECONDS) -> None:
        self._graph = graph
        self._app_id = app_id.lower()
        self._seconds = seconds

    def reads(self, address: TeamsAddress) -> bool:
        return address.place is TeamsPlace.GROUP or (address.place is TeamsPlace.CHANNEL and bool(address.team))

    async def find(self, address: TeamsAddress, answer_id: str, asked_at: datetime) -> str:
        path, query = _listing(address, asked_at)
        try:
            async with asyncio.timeout(self._seconds):
                found = await self._graph.first(
                    address.tenant, path, MOST_READ, lambda each: self._is_it(each, answer_id), **query
                )
        except (PolicyBotError, TimeoutError) as exc:
            why = exc.details.get("error") or exc.code if isinstance(exc, PolicyBotError) else "slow"
            _log.info("sent answers cannot be looked for: place=%s why=%s", address.place, why)
            return ""
        return str(found["id"]) if found else ""

    def _is_it(self, message: Json, answer_id: str) -> bool:
        """Ours, there, and with this answer."""
        app = sender_of(message, "application")
        is_ours = app is not None and str(app.get("id")).lower() == self._app_id
        has_id = isinstance(message.get("id"), str) and bool(message["id"])
        return is_ours and has_id and not message.get("deletedDateTime") and is_marked(message, answer_id)


def _listing(address: TeamsAddress, asked_at: datetime) -> tuple[str, dict[str, str]]:
    top = {"$top": str(PAGE)}
    if address.place is TeamsPlace.GROUP:
        return chat_path(address), {**top, **changed_since(asked_at - _CLOCKS)}
    thread = thread_of(address.conversation_id)
    return (replies_path(address, thread) if thread else posts_path(address)), top
