"""A message that says that something is worked on, until it becomes the answer."""

import asyncio
from dataclasses import dataclass

from adapters.teams.addresses import TeamsAddress, TeamsReference
from adapters.teams.parts import TeamsParts
from bot.render.teams.elements import attachment, card, text_block
from bot.render.teams.text import shortened
from bot.wording import teams as said
from rag_core.errors import PolicyBotError

SECONDS = 1.0
"""What takes longer is taken back as soon as it is there: the answer comes as a message of its own."""

_QUESTION = 300


@dataclass(frozen=True, slots=True)
class Working:
    """`id`: the message's; "" for none."""

    parts: TeamsParts | None = None
    to: TeamsReference | None = None
    id: str = ""

    def take_back(self) -> None:
        """Nothing is worked on after all. It is done later, and by nobody if the process dies."""
        if self.parts is not None and self.to is not None and self.id:
            self.parts.background.start(self.parts.outbound.delete(self.to, self.id), "teams.working")


async def begin_working(parts: TeamsParts, address: TeamsAddress, question: str) -> Working:
    """Never an error: without it, the answer alone comes."""
    text = said.working(shortened(question, _QUESTION))
    made = {
        "type": "message",
        "summary": said.WORKING_SUMMARY,
        "attachments": [attachment(card([text_block(text)], fallback=said.WORKING_SUMMARY))],
    }
    sending = asyncio.create_task(parts.outbound.send(address.reference, made), name="teams.working")
    try:
        async with asyncio.timeout(SECONDS):
            return Working(parts, address.reference, await asyncio.shield(sending))
    except TimeoutError:
        parts.background.start(_take_back(parts, address.reference, sending), "teams.working")
    except PolicyBotError:
        pass
    except asyncio.CancelledError:
        parts.background.start(_take_back(parts, address.reference, sending), "teams.working")
        raise
    return Working()


async def _take_back(parts: TeamsParts, to: TeamsReference, sending: "asyncio.Task[str]") -> None:
    """Raises as TeamsOutbound."""
    if id_ := await sending:
        await parts.outbound.delete(to, id_)
