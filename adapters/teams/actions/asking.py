"""What somebody asks by a click: as a question of his own, kept before the click is answered.

In channels and group chats a message says at once that it is worked on, and becomes the answer; in a personal chat the
bot is seen typing.
"""

import asyncio
from dataclasses import replace

from adapters.teams.actions.clicks import TeamsClick
from adapters.teams.actions.working import Working, begin_working
from adapters.teams.addresses import TeamsAddress
from adapters.teams.keeping import question_at
from adapters.teams.parts import TeamsParts
from bot.answers.again import Next, was_shown
from bot.answers.seen import SeenAnswer
from bot.commands.grammar import Ask
from rag_core.errors import Rejected, Unavailable

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
