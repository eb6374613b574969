"""The app was uninstalled, or its token revoked: tokens and all that was kept for the workspace go."""

import asyncio
from typing import Any

from slack_bolt.async_app import AsyncApp
from slack_bolt.response import BoltResponse

from adapters.slack.departures import APP_UNINSTALLED, TOKENS_REVOKED, Departure, departure
from adapters.slack.keeping import ACCEPT_SECONDS
from adapters.slack.parts import SlackParts
from adapters.slack.web_api import called
from rag_core.errors import Rejected, Unavailable


def add_uninstalling(bolt: AsyncApp, parts: SlackParts) -> None:
    """The two events come in any order, twice, and late: each does all that is to be done, if it is so now."""

    async def take(body: dict[str, Any]) -> BoltResponse:
        gone = departure(body)
        if gone is None or not gone.place:
            return BoltResponse(status=200)
        try:
            async with asyncio.timeout(ACCEPT_SECONDS):
                for workspace in await _ended(parts, gone):
                    for forget in parts.on_uninstalled:
                        await forget(workspace)
        except (Unavailable, TimeoutError):
            return BoltResponse(status=503)  # Slack tells it again
        return BoltResponse(status=200)

    bolt.event(APP_UNINSTALLED)(take)
    bolt.event(TOKENS_REVOKED)(take)


async def _ended(parts: SlackParts, gone: Departure) -> tuple[str, ...]:
    if parts.ended is not None:
        return await parts.ended(gone)
    client = await parts.clients.of(gone.team, gone.enterprise)
    try:
        await called(client.auth_test())
    except Rejected as exc:
        return (gone.place,) if exc.code == "slack_not_installed" else ()
    return ()  # it came late: the app was installed again
