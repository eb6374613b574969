"""The directories that the settings and the catalogue name: who belongs to the operator's groups."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING

from bot.access.groups import MOST_SECONDS, Access, CachedDirectory, members_of_kind
from bot.model.messages import Actor, Conversation
from bot.ports import Directory
from ingest.model.labels import declared_groups
from ops.config import Config
from ops.monitoring.breakers import BreakerWatch, CircuitBreaker
from rag_core.errors import Misconfigured
from rag_core.ports import Breaker

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncEngine

    from adapters.slack.client import BotTokens
    from adapters.slack.directory import SlackWorkspaces
    from adapters.teams.settings import GraphSettings

SLACK, ENTRA = "slack", "entra"
PLATFORMS: Mapping[str, str] = {SLACK: "slack", ENTRA: "teams"}
"""Kind of member id -> the platform whose people have it."""

_CALL_SECONDS = 8.0
_SHARE = 0.25
"""Of the time for an answer, what a directory may take."""


class GuardedDirectory:
    """A Directory behind breakers: while it does not answer for a workspace, nobody there waits for it. Those of
    others do not notice."""

    def __init__(self, directory: Directory, new_breaker: Callable[[], Breaker]) -> None:
        self._directory = directory
        self._new_breaker = new_breaker
        self._breakers: dict[str, Breaker] = {}

    @property
    def kind(self) -> str:
        return self._directory.kind

    async def of_person(self, actor: Actor, members: frozenset[str]) -> frozenset[str]:
        async with self._breaker(actor.workspace).guard():
            return await self._directory.of_person(actor, members)

    async def of_each_reader(
        self, conversation: Conversation, members: frozenset[str]
    ) -> frozenset[frozenset[str]] | None:
        async with self._breaker(conversation.workspace).guard():
            return await self._directory.of_each_reader(conversation, members)

    async def empty(self, members: frozenset[str]) -> frozenset[str]:
        async with self._breaker("").guard():
            return await self._directory.empty(members)

    def _breaker(self, workspace: str) -> Breaker:
        if workspace not in self._breakers:
            self._breakers[workspace] = self._new_breaker()
        return self._breakers[workspace]


@asynccontextmanager
async def open_access(
    config: Config, watch: BreakerWatch, tokens: "BotTokens | None" = None, engine: "AsyncEngine | None" = None
) -> AsyncIterator[Access]:
    """Who may see what. `tokens`, `engine`: as for `open_directories`. Raises Misconfigured for groups that cannot be
    read, or a directory that is half set up."""
    members = await asyncio.to_thread(declared_groups, config.catalogue)
    async with AsyncExitStack() as stack:
        directories: dict[str, Directory] = {}
        opened = await stack.enter_async_context(open_directories(config, members, tokens, engine))
        for kind, directory in opened.items():
            guarded = GuardedDirectory(directory, partial(CircuitBreaker, f"directory_{kind}", watch))
            cached = CachedDirectory(guarded, _keep_seconds(config))
            stack.push_async_callback(cached.aclose)
            directories[PLATFORMS[kind]] = cached
        yield Access(members, directories, seconds=min(MOST_SECONDS, config.ask_seconds * _SHARE))


@asynccontextmanager
async def open_directories(
    config: Config,
    members: Mapping[str, frozenset[str]],
    tokens: "BotTokens | None" = None,
    engine: "AsyncEngine | None" = None,
) -> AsyncIterator[dict[str, Directory]]:
    """By kind of member id: those that are set up, and that the catalogue names members of.

    `tokens`: of Slack's workspaces, each read with its own, where somebody has them open already. Otherwise they are
    opened here, those of installations out of `engine` (None: it is opened as well).
    """
    async with AsyncExitStack() as stack:
        found: dict[str, Directory] = {}
        if config.slack_is_configured and members_of_kind(members, SLACK):
            if tokens is None:
                tokens = await stack.enter_async_context(_tokens(config, engine))
            found[SLACK] = await stack.enter_async_context(_slack(config, tokens))
        graph = _graph_settings(config) if config.teams_is_configured else None  # half set up is wrong, asked or not
        if graph is not None and members_of_kind(members, ENTRA):
            found[ENTRA] = await stack.enter_async_context(_entra(graph))
        yield found


@asynccontextmanager
async def _tokens(config: Config, engine: "AsyncEngine | None") -> AsyncIterator["BotTokens"]:
    """Raises Misconfigured for half of Slack's settings."""
    from ops.slack_installing import open_connection

    async with open_connection(config, engine) as connection:
        if connection is None:
            raise Misconfigured("setting_missing", setting="ADPOLICY_SLACK_BOT_TOKEN")
        yield connection.workspaces.tokens


@asynccontextmanager
async def _slack(config: Config, tokens: "BotTokens") -> AsyncIterator[Directory]:
    from adapters.slack.directory import SlackDirectory

    async with open_workspaces(config, tokens) as workspaces:
        yield SlackDirectory(workspaces.of)


@asynccontextmanager
async def open_workspaces(config: Config, tokens: "BotTokens") -> AsyncIterator["SlackWorkspaces"]:
    """Who is who in the workspaces that there are tokens for."""
    import aiohttp

    from adapters.slack.client import SlackClients
    from adapters.slack.directory import SlackWorkspaces

    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=_CALL_SECONDS)) as session:
        clients = SlackClients(session, tokens, config.slack_api_url)
        workspaces = SlackWorkspaces(clients, keep_seconds=_keep_seconds(config))
        try:
            yield workspaces
        finally:
            await workspaces.aclose()


def _graph_settings(config: Config) -> "GraphSettings":
    from ops.teams_sdk import graph_settings

    return graph_settings(config)


@asynccontextmanager
async def _entra(settings: "GraphSettings") -> AsyncIterator[Directory]:
    import aiohttp

    from adapters.teams.directory import GraphDirectory
    from adapters.teams.graph import Graph
    from ops.teams_sdk import app_tokens

    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=_CALL_SECONDS)) as session:
        yield GraphDirectory(Graph(session, settings, app_tokens(session, settings)), settings)


def _keep_seconds(config: Config) -> float:
    """Lists are kept, and what they say of somebody is kept after that: half of the time each."""
    return config.groups_minutes * 60 / 2
