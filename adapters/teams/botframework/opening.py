"""The three ports on botbuilder-core, over one session."""

import asyncio
from dataclasses import dataclass, replace

import aiohttp

from adapters.teams.botframework.connecting import ConnectorClients, Turns
from adapters.teams.botframework.directory import BotFrameworkDirectory
from adapters.teams.botframework.inbound import ChannelInbound
from adapters.teams.botframework.outbound import BotFrameworkOutbound
from adapters.teams.botframework.wire import ConnectorPatience, Sleep, Wire
from adapters.teams.settings import TeamsSettings
from adapters.teams.tokens import AppTokens, ChannelTokens


@dataclass(frozen=True, slots=True)
class BotFramework:
    inbound: ChannelInbound
    outbound: BotFrameworkOutbound
    directory: BotFrameworkDirectory


def open_botframework(
    settings: TeamsSettings,
    session: aiohttp.ClientSession,
    tokens: AppTokens,
    channel_tokens: ChannelTokens,
    *,
    patience: ConnectorPatience | None = None,
    sleep: Sleep = asyncio.sleep,
) -> BotFramework:
    """Nothing of it has to be closed; the session is the caller's. Nothing is asked of Teams yet."""
    wire = Wire(session, tokens, settings.token_tenant, settings.scope, patience or ConnectorPatience(), sleep)
    clients = ConnectorClients(wire)
    turns = Turns(clients, settings.app_id)
    once = Turns(ConnectorClients(replace(wire, is_once=True)), settings.app_id)
    return BotFramework(
        ChannelInbound(settings.app_id, channel_tokens),
        BotFrameworkOutbound(turns, once),
        BotFrameworkDirectory(clients),
    )
