"""The chat platforms that are set up, as the server holds them: all alike."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from typing import Protocol

from aiohttp import web

from adapters.sql.chat.channel_settings import SqlChannelSettings
from bot.model.channels import CachedChannelSettings, ChannelSettings
from bot.model.notices import NoticeSink
from bot.model.outcomes import Admission
from bot.ports import ReplyProgress, ReplySink
from bot.questions.inbox import Accept
from ops.parts import ServerParts, new_id, utc_now


class ChatListening(Protocol):
    """A platform's app with its listeners."""

    def routes(self) -> Sequence[web.RouteDef]: ...

    def connected(self) -> AbstractAsyncContextManager[None]:
        """What it hears by beside the routes; stopped before what is kept is answered. Raises Misconfigured."""
        ...


class ChatSide(Protocol):
    """A platform's half of the server, open: made before the question service, which needs its sinks and whose `accept`
    its listeners need. `platform` as actors have it ("slack"), `title` as people call it; sinks and progresses by kind
    of reply address."""

    @property
    def platform(self) -> str: ...

    @property
    def title(self) -> str: ...

    @property
    def sinks(self) -> Mapping[str, ReplySink]: ...

    @property
    def progresses(self) -> Mapping[str, ReplyProgress]: ...

    @property
    def admission(self) -> Admission: ...

    @property
    def notices(self) -> NoticeSink: ...

    def listening(self, accept: Accept) -> ChatListening: ...


@asynccontextmanager
async def open_chats(parts: ServerParts) -> AsyncIterator[tuple[Sequence[ChatSide], ChannelSettings]]:
    """Those that are set up, and what is set in their channels. What each one imports comes with it."""
    async with AsyncExitStack() as stack:
        sides: list[ChatSide] = []
        settings = CachedChannelSettings(SqlChannelSettings(parts.answering.engine, now=utc_now, new_id=new_id))
        stack.push_async_callback(settings.aclose)
        if parts.slack is not None:
            from ops.chat.slack import open_slack

            sides.append(await stack.enter_async_context(open_slack(parts, parts.slack, settings)))
        if parts.teams is not None:
            from ops.chat.teams import open_teams

            sides.append(await stack.enter_async_context(open_teams(parts, parts.teams, settings)))
        yield sides, settings
