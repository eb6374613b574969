"""Messages of channels and group chats as Microsoft Graph lists them: where they are, and what is read of one.

https://learn.microsoft.com/graph/api/resources/chatmessage. Of replies and posts Graph takes no order and no filter;
its own is newest first.
"""

from collections.abc import Mapping
from datetime import UTC, datetime

from adapters.teams.addresses import TeamsAddress, channel_of
from adapters.teams.calls import Json
from adapters.teams.graph import segment

PAGE = 20
"""Messages in a page, of the 50 that Graph gives: with a card of ours in each of them they are still below what is read
of one answer."""


def replies_path(address: TeamsAddress, thread: str) -> str:
    """What is below the message that a channel's thread begins with. Permission: ChannelMessage.Read.Group, which a
    team consents to, or ChannelMessage.Read.All."""
    return f"{posts_path(address)}/{segment(thread)}/replies"


def posts_path(address: TeamsAddress) -> str:
    """What threads of a channel begin with. Permissions as above."""
    channel = channel_of(address.conversation_id)
    return f"teams/{segment(address.team)}/channels/{segment(channel)}/messages"


def chat_path(address: TeamsAddress) -> str:
    """Permission: ChatMessage.Read.Chat, which a chat consents to, or Chat.Read.All. A personal chat with the bot has
    another id in Graph, which bots are not told."""
    return f"chats/{segment(channel_of(address.conversation_id))}/messages"


def changed_since(moment: datetime) -> dict[str, str]:
    """Of a chat's messages those that were written or changed after `moment`, the last one first. Graph filters by what
    it orders by, and by nothing else."""
    what = "lastModifiedDateTime"
    at = moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return {"$orderby": f"{what} desc", "$filter": f"{what} gt {at}"}


def sender_of(message: Json, kind: str) -> Json | None:
    """`kind`: "user" or "application"; None where it is by no such."""
    sender = message.get("from")
    found = sender.get(kind) if isinstance(sender, Mapping) else None
    return found if isinstance(found, Mapping) else None
