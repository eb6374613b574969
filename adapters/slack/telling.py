"""Words to one person that are no reply to a question: they are lost if the process dies, and nobody misses them."""

from collections.abc import Mapping, Sequence
from typing import Any

from adapters.slack.messages import SlackMessage
from adapters.slack.parts import SlackParts
from adapters.slack.web_api import called
from bot.render.blocks import Block


async def tell_writer(
    parts: SlackParts, message: SlackMessage, text: str, blocks: Sequence[Block] | None = None
) -> None:
    """Beside a message, for whoever wrote it alone; `text` is mrkdwn. Raises as `called`."""
    client = await parts.clients.of(message.team, message.enterprise)
    said: dict[str, Any] = {"channel": message.channel, "text": text, "blocks": blocks}
    thread = message.thread if message.is_reply or message.is_direct else None
    if message.is_direct:
        await called(client.chat_postMessage(**said, unfurl_links=False, unfurl_media=False, thread_ts=thread))
        return
    await called(client.chat_postEphemeral(**said, user=message.user, thread_ts=thread))


async def tell_there(parts: SlackParts, message: SlackMessage, told: Mapping[str, Any]) -> None:
    """What came of a command that was written as a message: for its writer alone, or for everybody there. Raises as
    `called`."""
    if told.get("response_type") != "in_channel" or message.is_direct:
        await tell_writer(parts, message, str(told.get("text", "")), told.get("blocks"))
        return
    client = await parts.clients.of(message.team, message.enterprise)
    await called(
        client.chat_postMessage(
            channel=message.channel,
            text=told.get("text"),
            blocks=told.get("blocks"),
            thread_ts=message.thread,
            unfurl_links=False,
            unfurl_media=False,
        )
    )


async def is_first_time(parts: SlackParts, what: str) -> bool:
    """False for what was told already, to be told once however often it is delivered."""
    return parts.claims is None or await parts.claims.claim(f"slack-told:{what}")
