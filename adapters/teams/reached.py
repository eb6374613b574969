"""Where something is sent that nobody asked for just now: by what is known of the conversation."""

from dataclasses import replace

from adapters.teams.addresses import PLATFORM, TeamsReference, conversation_of
from adapters.teams.known import reference_of
from bot.model.channels import KnownConversations


async def reference_in(known: KnownConversations, tenant: str, channel: str, thread: str = "") -> TeamsReference | None:
    """None where the bot is not, as far as is known. Raises Unavailable."""
    found = await known.of_channel(PLATFORM, tenant, channel) if channel else None
    if found is None:
        return None
    to = reference_of(found)
    return replace(to, conversation=conversation_of(channel_in(to), thread))


def channel_in(to: TeamsReference) -> str:
    """The conversation without its thread."""
    return to.conversation.partition(";")[0]
