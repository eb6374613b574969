"""Directories in memory, and clients of the pretended ones."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager

import aiohttp

from adapters.slack.client import BotTokens, SlackClients
from adapters.slack.directory import SlackDirectory, SlackWorkspaces
from adapters.slack.oauth.tokens import SingleWorkspace
from bot.model.messages import Actor, Conversation
from rag_core.errors import Unavailable
from tests.fakes.slack import SETTINGS


class FakeDirectory:
    """A Directory that knows `people` (person -> ids) and `readers` (channel -> who reads it; None: not known).

    `calls` counts what it was asked; `down` makes it silent, `before` is awaited first.
    """

    def __init__(
        self,
        people: Mapping[str, frozenset[str]],
        readers: Mapping[str, tuple[str, ...]] | None = None,
        *,
        kind: str = "slack",
    ) -> None:
        self.people = dict(people)
        self.readers = dict(readers or {})
        self.calls: list[str] = []
        self.down = False
        self.before: Callable[[], Awaitable[object]] = _at_once
        self._kind = kind

    @property
    def kind(self) -> str:
        return self._kind

    async def of_person(self, actor: Actor, members: frozenset[str]) -> frozenset[str]:
        await self._asked(f"person {actor.person}")
        return self.people.get(actor.person, frozenset()) & members

    async def of_each_reader(
        self, conversation: Conversation, members: frozenset[str]
    ) -> frozenset[frozenset[str]] | None:
        await self._asked(f"channel {conversation.channel}")
        readers = self.readers.get(conversation.channel)
        if readers is None:
            return None
        return frozenset(self.people.get(each, frozenset()) & members for each in readers)

    async def empty(self, members: frozenset[str]) -> frozenset[str]:
        await self._asked("empty")
        return members - frozenset(each for held in self.people.values() for each in held)

    async def _asked(self, what: str) -> None:
        self.calls.append(what)
        await self.before()
        if self.down:
            raise Unavailable("directory_unreachable", directory=self._kind)


async def _at_once() -> None:
    await asyncio.sleep(0)


@asynccontextmanager
async def slack_directory(
    api_url: str, keep_seconds: float = 0.0, tokens: BotTokens | None = None
) -> AsyncIterator[SlackDirectory]:
    """A directory on what answers at `api_url`."""
    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=5)) as session:
        clients = SlackClients(session, tokens or SingleWorkspace(SETTINGS.bot_token), api_url)
        workspaces = SlackWorkspaces(clients, keep_seconds=keep_seconds)
        try:
            yield SlackDirectory(workspaces.of)
        finally:
            await workspaces.aclose()
