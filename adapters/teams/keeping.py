"""Questions out of Teams, as they are kept in the inbox."""

import asyncio
from dataclasses import dataclass, replace

from adapters.teams.addresses import PLATFORM, TeamsAddress, TeamsPlace, conversation_of, thread_of
from adapters.teams.conversations import reference_of
from adapters.teams.messages import TeamsActivity
from adapters.teams.parts import TeamsParts
from bot.commands.grammar import Ask
from bot.model.messages import Actor, InboundQuestion
from bot.questions.threads import Hearing
from rag_core.errors import PolicyBotError

ACCEPT_SECONDS = 4.0
_OPEN_SECONDS = 3.0


def hearing_of(parts: TeamsParts) -> Hearing:
    return Hearing(parts.sources, parts.threads, parts.channel_settings)


def actor_at(address: TeamsAddress) -> Actor:
    """Who has no object id is known by his `29:` id; he belongs to nothing."""
    return Actor(PLATFORM, address.tenant, address.person or address.user)


@dataclass(frozen=True, slots=True)
class AskedAt:
    """Where a message is answered. `elsewhere`: in the person's own chat, not where it was written."""

    address: TeamsAddress
    elsewhere: bool = False


def address_of(activity: TeamsActivity) -> TeamsAddress:
    """Where a message is answered: in its thread; a new post begins one, also where its id does not say so."""
    address = activity.address
    if address.place is TeamsPlace.CHANNEL and not thread_of(address.conversation_id) and address.asked_in:
        return replace(address, conversation_id=conversation_of(address.conversation_id, address.asked_in))
    return address


async def asked_at(parts: TeamsParts, activity: TeamsActivity, ask: Ask) -> AskedAt | None:
    """None: it is for the asker's eyes only, and there is no chat with him."""
    address = address_of(activity)
    if not ask.private or address.place is TeamsPlace.PERSONAL:
        return AskedAt(address)
    alone = await _alone(parts, address) if address.person else None
    return AskedAt(alone, elsewhere=True) if alone else None


async def _alone(parts: TeamsParts, address: TeamsAddress) -> TeamsAddress | None:
    try:
        async with asyncio.timeout(_OPEN_SECONDS):
            known = None
            if parts.known is not None:
                known = await parts.known.of_person(PLATFORM, address.tenant, address.person)
            reference = reference_of(known) if known else await parts.outbound.resume(address.reference, address.person)
    except (PolicyBotError, TimeoutError):  # also where the key that it was encrypted with is lost
        return None
    return replace(
        address,
        service_url=reference.service_url,
        conversation_id=reference.conversation,
        bot=reference.bot,
        place=TeamsPlace.PERSONAL,
        team="",
        asked_in="",
    )


def question_at(parts: TeamsParts, address: TeamsAddress, claim_key: str, ask: Ask) -> InboundQuestion:
    """A question to be answered at `address`. It is private in a chat of one person with the bot."""
    return InboundQuestion(
        question_id=parts.new_id(),
        claim_key=claim_key,
        actor=actor_at(address),
        conversation=address.conversation,
        text=ask.text,
        reply_address=address.as_reply_address(),
        received_at=parts.clock(),
        filters=ask.filters,
        as_of=ask.as_of,
        private=address.place is TeamsPlace.PERSONAL,
    )
