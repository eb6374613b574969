"""The ways into the bot in Teams, put together: who is answered, where it is known to be, and what goes with it."""

from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.known_conversations import SqlKnownConversations
from adapters.teams.access import TeamsAdmission
from adapters.teams.addresses import PLATFORM
from adapters.teams.delivery.replies import TeamsWithdrawing
from adapters.teams.graph import Graph, GraphReplies
from adapters.teams.parts import Forget, Starters
from adapters.teams.ports import TeamsDirectory, TeamsOutbound
from adapters.teams.settings import TeamsSettings
from bot.commands.home import Starters as FindingStarters
from bot.model.channels import ChannelSettings
from bot.model.posted import PostedMessages
from ops.alerts import leave_channel
from ops.backends import build_vault
from ops.parts import ServerParts, new_id, utc_now
from rag_core.errors import Unavailable


@dataclass(frozen=True, slots=True)
class TeamsWays:
    """What `TeamsParts` takes: `known` (as `known` and `channels_of`), `admission` (as `admits`; it is the side's
    admission as well), `withdrawing` (its `withdraw`), `starters`, `forget`."""

    known: SqlKnownConversations
    admission: TeamsAdmission
    withdrawing: TeamsWithdrawing
    starters: Starters
    forget: tuple[Forget, ...]


@asynccontextmanager
async def open_teams_ways(
    parts: ServerParts,
    settings: TeamsSettings,
    outbound: TeamsOutbound,
    directory: TeamsDirectory,
    posted: PostedMessages,
    channel_settings: ChannelSettings,
    graph: Graph | None = None,
) -> AsyncIterator[TeamsWays]:
    """`graph`: without it nobody reads threads, and the answer to a deleted message of a channel stays."""
    answering, known_as = parts.answering, parts.answering.pseudonyms.of
    async with AsyncExitStack() as stack:
        admission = TeamsAdmission(directory, settings)
        stack.push_async_callback(admission.aclose)
        finding = FindingStarters(
            answering.asker.without_model(), answering.store, answering.names, today=lambda: utc_now().date()
        )
        stack.push_async_callback(finding.aclose)
        vault = build_vault(parts.config)
        yield TeamsWays(
            SqlKnownConversations(answering.engine, vault, known_as, now=utc_now, new_id=new_id),
            admission,
            TeamsWithdrawing(outbound, posted, GraphReplies(graph, known_as) if graph else None),
            starters_of(finding),
            (forgetting_of(answering.engine, channel_settings),),
        )


def starters_of(finding: FindingStarters) -> Starters:
    """Those that everybody may ask: who reads a welcome is not known."""

    async def starters() -> Sequence[str]:
        try:
            return await finding.of(frozenset())
        except Unavailable:
            return ()

    return starters


def forgetting_of(engine: AsyncEngine, settings: ChannelSettings) -> Forget:
    """Subscriptions end, on record; what waits to be told there is given up; what was set is gone."""

    async def forget(tenant: str, channel: str) -> None:
        await leave_channel(engine, PLATFORM, tenant, channel)
        await settings.remove(PLATFORM, tenant, channel)

    return forget
