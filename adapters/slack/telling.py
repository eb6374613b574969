"""Words to one person that are no reply to a question: they are lost if the process dies, and nobody misses them."""

from adapters.slack.messages import SlackMessage
from adapters.slack.parts import SlackParts
from adapters.slack.web_api import called


async def tell_writer(parts: SlackParts, message: SlackMessage, text: str) -> None:
    """Beside a message, for whoever wrote it alone; `text` is mrkdwn. Raises as `called`."""
    client = await parts.clients.of(message.team, message.enterprise)
    thread = message.thread if message.is_reply or message.is_direct else None
    if message.is_direct:
        await called(
            client.chat_postMessage(
                channel=message.channel, text=text, unfurl_links=False, unfurl_media=False, thread_ts=thread
            )
        )
        return
    await called(client.chat_postEphemeral(channel=message.channel, user=message.user, text=text, thread_ts=thread))


async def is_first_time(parts: SlackParts, what: str) -> bool:
    """False for what was told already, to be told once however often it is delivered."""
    return parts.claims is None or await parts.claims.claim(f"slack-told:{what}")
