"""Settings of channels in memory, and somebody who decides who is answered."""

import asyncio

from bot.model.channels import ChannelPreferences
from bot.model.messages import InboundQuestion
from bot.model.outcomes import Admitted


class FakeChannelSettings:
    """`failure` is raised instead; nothing is read while `slow` is not set."""

    def __init__(self) -> None:
        self.set: dict[tuple[str, str, str], ChannelPreferences] = {}
        self.saved_by: list[str] = []
        self.looks = 0
        self.failure: Exception | None = None
        self.slow = asyncio.Event()
        self.slow.set()

    async def of(self, platform: str, workspace: str, channel: str) -> ChannelPreferences:
        self.looks += 1
        found = self.set.get((platform, workspace, channel), ChannelPreferences())
        await self.slow.wait()
        if self.failure:
            raise self.failure
        return found

    async def save(self, platform: str, workspace: str, channel: str, preferences: ChannelPreferences, by: str) -> None:
        if self.failure:
            raise self.failure
        self.set[platform, workspace, channel] = preferences
        self.saved_by.append(by)

    async def remove_workspace(self, platform: str, workspace: str) -> int:
        gone = [key for key in self.set if key[:2] == (platform, workspace)]
        for key in gone:
            del self.set[key]
        return len(gone)

    async def remove(self, platform: str, workspace: str, channel: str) -> bool:
        return self.set.pop((platform, workspace, channel), None) is not None


class FakeAdmission:
    def __init__(self, admitted: Admitted) -> None:
        self.admitted = admitted
        self.asked: list[InboundQuestion] = []

    async def of(self, question: InboundQuestion) -> Admitted:
        self.asked.append(question)
        return self.admitted
