"""What somebody asks by a click: as a question of his own, kept before the click is answered.

In channels and group chats a message says at once that it is worked on, and becomes the answer; in a personal chat the
bot is seen typing.
"""

import asyncio
from dataclasses import dataclass, replace

from adapters.teams.actions.clicks import TeamsClick
from adapters.teams.addresses import TeamsAddress, TeamsReference
from adapters.teams.keeping import question_at
from adapters.teams.parts import TeamsParts
from bot.answers.again import Next, was_shown
from bot.answers.seen import SeenAnswer
from bot.commands.grammar import Ask
from bot.render.teams.elements import attachment, card, text_block
from bot.render.teams.text import shortened
from bot.wording import teams as said
from rag_core.errors import PolicyBotError, Rejected, Unavailable

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


KEEP_SECONDS = 1.2
"""With the gate, `finding.FIND_SECONDS` and `working.SECONDS` before it, an invoke is answered in time."""


async def ask_next(parts: TeamsParts, click: TeamsClick, seen: SeenAnswer, asked: Next) -> bool:
    """Asks where the answer stands, in its thread. False: it was asked already. Raises Unavailable; Rejected
    ("answer_unreadable") for what only the asker was shown, and is clicked where others read."""
    if not click.is_personal and not was_shown(seen):
        raise Rejected("answer_unreadable")
    if parts.claims is not None and await _is_known(parts, claim_key(click.activity.tenant, asked)):
        return False
    working = Working() if click.is_personal else await begin_working(parts, click.place, asked.text)
    address = replace(click.place, working=working.id)
    is_new = False
    try:
        is_new = await ask_there(parts, address, asked)
    finally:
        if not is_new:
            working.take_back()
    return is_new


async def ask_there(parts: TeamsParts, address: TeamsAddress, asked: Next) -> bool:
    """Asks at `address`, for everybody who reads it. False: it was asked already. Raises Unavailable."""
    ask = Ask(asked.text, asked.as_of, filters=asked.filters)
    question = question_at(parts, address, claim_key(address.tenant, asked), ask)
    try:
        async with asyncio.timeout(KEEP_SECONDS):
            return await parts.accept(question)
    except TimeoutError as exc:
        raise Unavailable("inbox_unavailable") from exc


def claim_key(tenant: str, asked: Next) -> str:
    return f"teams:{tenant}:{asked.key}"


async def _is_known(parts: TeamsParts, key: str) -> bool:
    """Spares a message that would be taken back; the inbox decides."""
    try:
        return parts.claims is not None and await parts.claims.is_claimed(key)
    except Unavailable:
        return False
