"""Questions out of Slack, as they are kept in the inbox."""

from dataclasses import replace

from adapters.slack.addresses import SlackAddress
from adapters.slack.messages import SlackMessage
from adapters.slack.parts import SlackParts
from bot.commands.grammar import Ask
from bot.model.channels import ChannelPreferences
from bot.model.messages import Actor, InboundQuestion
from bot.questions.threads import Hearing

ACCEPT_SECONDS = 2.5  # Slack shows an error of its own after 3 s


def hearing_of(parts: SlackParts) -> Hearing:
    return Hearing(parts.sources, parts.threads, parts.channels.settings if parts.channels else None)


async def preferences_of(parts: SlackParts, team: str, channel: str) -> ChannelPreferences | None:
    """What the channel's admins have set; None where that is not known just now."""
    return await hearing_of(parts).preferences_of("slack", team, channel)


def asked_at(address: SlackAddress, claim_key: str, ask: Ask, parts: SlackParts) -> InboundQuestion:
    """A question to be answered at `address`. It is private where the answer is for the asker's eyes only."""
    return InboundQuestion(
        question_id=parts.new_id(),
        claim_key=claim_key,
        actor=Actor("slack", address.team, address.user),
        conversation=address.conversation,
        text=ask.text,
        reply_address=address.as_reply_address(),
        received_at=parts.clock(),
        filters=ask.filters,
        as_of=ask.as_of,
        private=address.to_asker,
    )


def asked_in_message(message: SlackMessage, ask: Ask, parts: SlackParts, *, edits: bool = False) -> InboundQuestion:
    """A message's question, answered in its thread. In the conversation of one person with the bot it is private."""
    address = SlackAddress(
        team=message.team,
        channel=message.channel,
        user=message.user,
        enterprise=message.enterprise,
        thread=message.thread,
        asked_in=message.ts,
        to_asker=ask.private and not message.is_direct,
        edits=edits,
        outside=message.outside,
    )
    question = asked_at(address, message.edit_key if edits else message.claim_key, ask, parts)
    return replace(question, private=True) if message.is_direct else question
