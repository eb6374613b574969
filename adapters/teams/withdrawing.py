"""A message was deleted: the answer to it goes as well, unless somebody else goes on with it."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from adapters.teams.addresses import PLATFORM, TeamsAddress, TeamsPlace
from adapters.teams.ports import TeamsOutbound
from adapters.teams.unnamed import is_unnamed
from bot.model.posted import Posted, PostedMessages
from bot.questions.withdrawal import AnswersTo
from rag_core.errors import Rejected, Unavailable

OthersReplied = Callable[[TeamsAddress, Posted], Awaitable[bool]]
"""Whether others than the asker wrote in the thread of an answer after it. Raises Unavailable, Rejected where that
cannot be known."""


@dataclass(frozen=True, slots=True)
class TeamsWithdrawing:
    """For `TeamsParts.withdraw`. `others_replied` None: nobody reads threads, so an answer in a channel stays. In a
    chat there are no threads; who answers there quotes, and keeps what he quotes."""

    outbound: TeamsOutbound
    posted: PostedMessages
    others_replied: OthersReplied | None = None
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep

    async def withdraw(self, address: TeamsAddress) -> bool:
        """Whether an answer to `asked_in` was removed. Where it cannot be known who replied, it stays."""
        where = address.conversation
        looking = AnswersTo(self.posted, self.sleep)
        answer = await looking.find(PLATFORM, where.workspace, where.channel, address.asked_in)
        if answer is None or is_unnamed(answer.place.message) or await self._is_gone_on_with(address, answer):
            return False
        try:
            await self.outbound.delete(address.reference, answer.place.message)
        except Rejected as exc:
            if exc.code != "teams_message_gone":
                raise
        await self.posted.remove(answer.place)
        return True

    async def _is_gone_on_with(self, address: TeamsAddress, answer: Posted) -> bool:
        if address.place is not TeamsPlace.CHANNEL:
            return False
        place = answer.place
        ours = await self.posted.in_thread(PLATFORM, place.workspace, place.channel, place.thread)
        if any(each.person != answer.person and each.posted_at > answer.posted_at for each in ours):
            return True  # somebody else asked on there
        if self.others_replied is None:
            return True
        try:
            return await self.others_replied(address, answer)
        except (Unavailable, Rejected):
            return True
