"""When something may be posted: chat platforms take one message a second in a channel."""

from typing import Protocol

from bot.messages import Conversation
from rag_core.errors import Unavailable


class PostingPace(Protocol):
    """Turns to post, one after the other by name. Raises Unavailable."""

    async def turn(self, name: str, seconds: float, longest: float) -> float:
        """Seconds until it is our turn (0: now), after which the next one waits for `seconds`. More than `longest`:
        nothing was reserved, ask again later."""
        ...


class SteadyPace:
    """Turns over all processes, or while those are not to be had, of this one."""

    def __init__(self, shared: PostingPace, own: PostingPace) -> None:
        self._shared = shared
        self._own = own

    async def turn(self, name: str, seconds: float, longest: float) -> float:
        try:
            return await self._shared.turn(name, seconds, longest)
        except Unavailable:
            return await self._own.turn(name, seconds, longest)


def channel_name(conversation: Conversation) -> str:
    """The name under which all that is posted in a channel takes turns."""
    return f"{conversation.platform}:{conversation.workspace}:{conversation.channel}"
