"""The directories that the settings and the catalogue name: who belongs to the operator's groups."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.access import MOST_SECONDS, Access, members_of_kind
from bot.cached_directory import CachedDirectory
from bot.messages import Actor, Conversation
from bot.ports import Directory
from ingest.declared_groups import declared_groups
from ops.breakers import BreakerWatch, CircuitBreaker
from ops.config import Config
from rag_core.ports import Breaker

if TYPE_CHECKING:
    from adapters.teams.settings import GraphSettings

SLACK, ENTRA = "slack", "entra"
PLATFORMS: Mapping[str, str] = {SLACK: "slack", ENTRA: "teams"}
"""Kind of member id -> the platform whose people have it."""

_CALL_SECONDS = 8.0
_SHARE = 0.25
"""Of the time for an answer, what a directory may take."""


@dataclass(frozen=True, slots=True)
class GuardedDirectory:
    """A Directory behind a breaker: while it does not answer, nobody waits for it."""

    directory: Directory
    breaker: Breaker

    @property
    def kind(self) -> str:
        return self.directory.kind

    async def of_person(self, actor: Actor, members: frozenset[str]) -> frozenset[str]:
        async with self.breaker.guard():
            return await self.directory.of_person(actor, members)

    async def of_each_reader(
        self, conversation: Conversation, members: frozenset[str]
    ) -> frozenset[frozenset[str]] | None:
        async with self.breaker.guard():
            return await self.directory.of_each_reader(conversation, members)

    async def empty(self, members: frozenset[str]) -> frozenset[str]:
        async with self.breaker.guard():
            return await self.directory.empty(members)


@asynccontextmanager
async def open_access(config: Config, watch: BreakerWatch) -> AsyncIterator[Access]:
    """Who may see what. Raises Misconfigured for groups that cannot be read, or a directory that is half set up."""
    members = await asyncio.to_thread(declared_groups, config.catalogue)
    async with AsyncExitStack() as stack:
        directories: dict[str, Directory] = {}
        for kind, directory in (await stack.enter_async_context(open_directories(config, members))).items():
            guarded = GuardedDirectory(directory, CircuitBreaker(f"directory_{kind}", watch))
            cached = CachedDirectory(guarded, _keep_seconds(config))
            stack.push_async_callback(cached.aclose)
            directories[PLATFORMS[kind]] = cached
        yield Access(members, directories, seconds=min(MOST_SECONDS, config.ask_seconds * _SHARE))


@asynccontextmanager
async def open_directories(
    config: Config, members: Mapping[str, frozenset[str]]
) -> AsyncIterator[dict[str, Directory]]:
    """By kind of member id: those that are set up, and that the catalogue names members of."""
    async with AsyncExitStack() as stack:
        found: dict[str, Directory] = {}
        if config.slack_bot_token is not None and members_of_kind(members, SLACK):
            found[SLACK] = await stack.enter_async_context(_slack(config, config.slack_bot_token.get_secret_value()))
        graph = _graph_settings(config) if config.teams_is_configured else None  # half set up is wrong, asked or not
        if graph is not None and members_of_kind(members, ENTRA):
            found[ENTRA] = await stack.enter_async_context(_entra(graph))
        yield found


@asynccontextmanager
async def _slack(config: Config, token: str) -> AsyncIterator[Directory]:
    import aiohttp
    from slack_sdk.web.async_client import AsyncWebClient

    from adapters.slack.directory import SlackDirectory
    from adapters.slack.lookups import SlackLookups

    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=_CALL_SECONDS)) as session:
        client = AsyncWebClient(token=token, base_url=config.slack_api_url, session=session, retry_handlers=[])
        lookups = SlackLookups(client, keep_seconds=_keep_seconds(config))
        try:
            yield SlackDirectory(lookups)
        finally:
            await lookups.aclose()


def _graph_settings(config: Config) -> "GraphSettings":
    from adapters.teams.settings import GraphSettings, tenants_of

    secret = config.teams_app_secret
    return GraphSettings(
        app_id=config.teams_app_id,
        app_secret=secret.get_secret_value() if secret else "",
        tenants=tenants_of(config.teams_tenants),
        graph_url=config.teams_graph_url,
        login_url=config.teams_login_url,
    )


@asynccontextmanager
async def _entra(settings: "GraphSettings") -> AsyncIterator[Directory]:
    import aiohttp

    from adapters.teams.graph import Graph
    from adapters.teams.graph_directory import GraphDirectory

    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=_CALL_SECONDS)) as session:
        yield GraphDirectory(Graph(session, settings), settings)


def _keep_seconds(config: Config) -> float:
    """Lists are kept, and what they say of somebody is kept after that: half of the time each."""
    return config.groups_minutes * 60 / 2
