"""Who may click and search: asked before anything is done, kept or shown, by the one rule for people of other
organisations (`bot.admission`)."""

import asyncio

from adapters.teams.activities import TeamsActivity
from adapters.teams.addresses import PLATFORM
from adapters.teams.parts import TeamsParts
from bot.admission import Admitted
from bot.messages import Actor, InboundQuestion
from bot.outcomes import Rejection
from bot.wording import rejection

GATE_SECONDS = 1.0
"""Of the time of an invoke."""


async def admitted(parts: TeamsParts, activity: TeamsActivity, seconds: float = GATE_SECONDS) -> Admitted:
    """The rule's word on who sent it, where he sent it. Never an error: who is not known in time is an outsider."""
    if parts.admission is None:
        return Admitted.ALLOWED
    try:
        async with asyncio.timeout(seconds):
            return await parts.admission.of(_as_asked(parts, activity))
    except TimeoutError:
        return Admitted.PUBLIC_ONLY if parts.settings.external else Admitted.NOT_TO_GUESTS


async def refused(parts: TeamsParts, activity: TeamsActivity) -> str:
    """Why who sent it is refused, kindly; "" for who is not."""
    found = await admitted(parts, activity)
    return rejection(Rejection(found.code, {})).detail if found.is_refused else ""


def _as_asked(parts: TeamsParts, activity: TeamsActivity) -> InboundQuestion:
    """Nothing of it is kept: the rule looks at who and where."""
    address, sender = activity.address, activity.sender
    return InboundQuestion(
        question_id="",
        claim_key=activity.claim_key,
        actor=Actor(PLATFORM, activity.tenant, sender.person or sender.user),
        conversation=address.conversation,
        text="",
        reply_address=address.as_reply_address(),
        received_at=parts.clock(),
        private=not activity.conversation_id.startswith("19:"),
    )
