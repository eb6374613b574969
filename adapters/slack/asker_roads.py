"""Roads to the asker alone: `response_url`, an ephemeral message, a direct message."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from adapters.slack.addresses import SlackAddress
from adapters.slack.response_url_posts import ResponseUrlPosts, ResponseUrlUses
from adapters.slack.web_api import SlackClients, called
from bot.model.messages import InboundQuestion
from rag_core.errors import Rejected


@dataclass(frozen=True, slots=True)
class AskerRoads:
    """Each raises Unavailable to be tried again."""

    clients: SlackClients
    urls: ResponseUrlPosts
    uses: ResponseUrlUses

    @classmethod
    def on(cls, clients: SlackClients, urls: ResponseUrlPosts, clock: Callable[[], datetime]) -> "AskerRoads":
        return cls(clients, urls, ResponseUrlUses(clock))

    async def by_response_url(
        self, question: InboundQuestion, address: SlackAddress, message: Mapping[str, Any], *, in_channel: bool
    ) -> bool:
        """False: there is none, or it is not alive any more."""
        if not self.uses.take(address.response_url, question.received_at):
            return False
        shown = {"response_type": "in_channel" if in_channel else "ephemeral", "replace_original": False}
        try:
            await self.urls.send(address.response_url, {**message, **shown}, question.question_id)
        except Rejected:
            return False
        return True

    async def ephemerally(self, address: SlackAddress, message: Mapping[str, Any]) -> bool:
        """False: the asker or the bot is not in the channel, or nobody may write there."""
        client = await self.clients.of(address.team, address.enterprise)
        thread: dict[str, Any] = {"thread_ts": address.thread} if address.thread else {}
        shown = {name: each for name, each in message.items() if name in ("text", "blocks")}
        try:
            await called(client.chat_postEphemeral(channel=address.channel, user=address.user, **shown, **thread))
        except Rejected:
            return False
        return True

    async def direct_channel(self, address: SlackAddress) -> str:
        """The conversation of the bot and the asker alone. Raises Rejected where they may have none."""
        client = await self.clients.of(address.team, address.enterprise)
        answer = await called(client.conversations_open(users=[address.user]))
        channel = answer.get("channel")
        found = channel.get("id") if isinstance(channel, Mapping) else None
        if not isinstance(found, str) or not found:
            raise Rejected("slack_refused", error="no_channel")
        return found
