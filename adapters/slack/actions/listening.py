"""Listeners for clicks on replies and for the modals that they open."""

import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from slack_bolt.async_app import AsyncAck, AsyncApp
from slack_bolt.response import BoltResponse

from adapters.slack.actions.clicks import Click, click_behind, click_of
from adapters.slack.actions.telling import tell_later
from adapters.slack.gate import refused
from adapters.slack.parts import SlackParts
from rag_core.errors import Rejected

Body = Mapping[str, Any]
Clicked = Callable[[Click], Awaitable[None]]
Submitted = Callable[[Click, Body], Awaitable[Mapping[str, str]]]
"""What stands beside fields (block_id -> sentence) and keeps the modal open; nothing closes it."""


def on_click(bolt: AsyncApp, parts: SlackParts, action: str | re.Pattern[str], clicked: Clicked) -> None:
    """`clicked` runs before Slack is acknowledged, for who may; what is no click on a message is refused."""

    async def take(ack: AsyncAck, body: dict[str, object]) -> BoltResponse:
        try:
            click = click_of(body)
        except Rejected:
            return BoltResponse(status=400)
        if not await turned_away(parts, click):
            await clicked(click)
        return await ack()

    bolt.action(action)(take)


def on_submit(bolt: AsyncApp, parts: SlackParts, callback: str, submitted: Submitted) -> None:
    """`submitted` runs before Slack is acknowledged, for who may."""

    async def take(ack: AsyncAck, body: dict[str, object]) -> BoltResponse:
        try:
            click = click_behind(body)
            errors = {} if await turned_away(parts, click) else await submitted(click, body)
        except Rejected:
            return BoltResponse(status=400)
        return await ack(response_action="errors", errors=dict(errors)) if errors else await ack()

    bolt.view(callback)(take)


async def turned_away(parts: SlackParts, click: Click) -> bool:
    """Whether the external rule refuses who clicked; then he alone hears why."""
    enterprise, outside = click.enterprise, click.outside
    sentence = await refused(parts, click.team, click.channel, click.user, enterprise=enterprise, outside=outside)
    if sentence:
        tell_later(parts, click, sentence)
    return bool(sentence)
