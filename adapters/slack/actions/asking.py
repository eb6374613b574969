"""What somebody asks by a click: as a question of his own, kept before Slack is acknowledged."""

import asyncio

from adapters.slack.actions.clicks import Click
from adapters.slack.addresses import SlackAddress
from adapters.slack.parts import SlackParts
from bot.answers.again import Next, was_shown
from bot.answers.seen import SeenAnswer
from bot.model.messages import InboundQuestion

KEEP_SECONDS = 1.0
"""With the gate, `finding.FIND_SECONDS` and a look at Slack before it, an acknowledgement comes within 3 s."""


async def ask_next(parts: SlackParts, click: Click, seen: SeenAnswer, asked: Next) -> bool:
    """Asks where the reply stands, in its thread; for the asker's eyes only where the reply was. False: it was asked
    already. Raises Unavailable, TimeoutError."""
    address = SlackAddress(
        team=click.team,
        channel=click.channel,
        user=click.user,
        enterprise=click.enterprise,
        thread=click.answer_thread,
        response_url=click.response_url,
        to_asker=click.is_ephemeral,
        outside=click.outside,
    )
    return await _accepted(parts, click, address, asked, private=is_private(click, seen))


async def ask_there(parts: SlackParts, click: Click, address: SlackAddress, asked: Next) -> bool:
    """Asks for everybody at `address`. As `ask_next`."""
    return await _accepted(parts, click, address, asked, private=False)


def is_private(click: Click, seen: SeenAnswer) -> bool:
    """Whether nobody but the asker sees the reply."""
    return click.is_ephemeral or not was_shown(seen)


async def _accepted(parts: SlackParts, click: Click, address: SlackAddress, asked: Next, *, private: bool) -> bool:
    question = InboundQuestion(
        question_id=parts.new_id(),
        claim_key=f"slack:{click.team}:{asked.key}",
        actor=click.actor,
        conversation=address.conversation,
        text=asked.text,
        reply_address=address.as_reply_address(),
        received_at=parts.clock(),
        filters=asked.filters,
        as_of=asked.as_of,
        private=private,
    )
    async with asyncio.timeout(KEEP_SECONDS):
        return await parts.accept(question)
