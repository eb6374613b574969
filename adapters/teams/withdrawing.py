"""A message was deleted: the answer to it goes as well, unless somebody else goes on with it."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from adapters.teams.addresses import PLATFORM, TeamsReference
from adapters.teams.posting import TeamsPoster
from bot.posted import Posted, PostedMessages
from bot.withdrawing import AnswersTo


@dataclass(frozen=True, slots=True)
class Withdrawing:
    """Who replied in a thread Teams does not tell a bot. What it knows of is what others asked on there, and what was
    posted for them; below that the answer stays. Replies of people to each other do not keep it.

    Raises Unavailable, Rejected as TeamsPoster.
    """

    poster: TeamsPoster
    posted: PostedMessages
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep

    async def withdraw(self, to: TeamsReference, channel: str, asked_in: str) -> bool:
        """Whether an answer to the message `asked_in` was removed; `channel` as `channel_of` names it."""
        answer = await AnswersTo(self.posted, self.sleep).find(PLATFORM, to.tenant, channel, asked_in)
        if answer is None or await self._is_gone_on_with(answer):
            return False
        await self.poster.delete(to, answer.place.message)
        await self.posted.remove(answer.place)
        return True

    async def _is_gone_on_with(self, answer: Posted) -> bool:
        place = answer.place
        ours = await self.posted.in_thread(PLATFORM, place.workspace, place.channel, place.thread)
        return any(each.person != answer.person and each.posted_at >= answer.posted_at for each in ours)
