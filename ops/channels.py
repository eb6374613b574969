"""What belongs to Slack's channels, put together: settings, who is answered there, App Home."""

from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from adapters.slack.access import SlackAdmission
from adapters.slack.client import BotTokens
from adapters.slack.home_tab import InSlackChannels
from adapters.slack.parts import ChannelPorts
from adapters.sql.home_reading import SqlHomeReading
from bot.commands.home import HomeReader, Starters
from bot.model.channels import ChannelSettings
from bot.model.subscriptions import Subscriptions
from ops.directories import open_workspaces
from ops.parts import ServerParts, utc_now


@dataclass(frozen=True, slots=True)
class ChannelSide:
    """`admission` is for the question service, `ports` for the listeners."""

    ports: ChannelPorts
    admission: SlackAdmission


@asynccontextmanager
async def open_channels(
    parts: ServerParts, tokens: BotTokens, settings: ChannelSettings, subscriptions: Subscriptions | None = None
) -> AsyncIterator[ChannelSide]:
    answering, config = parts.answering, parts.config

    async def platforms() -> Mapping[str, str]:
        return {each.slug: each.display_name for each in await answering.store.sources(frozenset())}

    async with AsyncExitStack() as stack:
        workspaces = await stack.enter_async_context(open_workspaces(config, tokens))
        admission = SlackAdmission(workspaces.of, external=config.slack_external)
        quoting = answering.asker.without_model()
        starters = Starters(quoting, answering.store, answering.names, today=lambda: utc_now().date())
        stack.push_async_callback(starters.aclose)
        home = HomeReader(
            SqlHomeReading(answering.engine),
            starters,
            answering.access,
            answering.pseudonyms,
            subscriptions=subscriptions,
            in_channels=InSlackChannels(workspaces.of),
        )
        yield ChannelSide(ChannelPorts(settings, admission, platforms, home, subscriptions), admission)
