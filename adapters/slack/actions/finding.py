"""The answer behind a click, for who clicked."""

import asyncio
from collections.abc import Awaitable, Callable

from adapters.slack.actions.clicks import Click
from adapters.slack.actions.telling import tell_later
from adapters.slack.parts import AnswerPorts, SlackParts
from bot import wording_slack_answers as said
from bot.seen_answers import SeenAnswer
from rag_core.errors import Rejected, Unavailable

FIND_SECONDS = 0.8
"""Slack wants to hear within 3 s, and a modal has to be open by then."""

LONGEST_ID = 100


async def found(parts: SlackParts, ports: AnswerPorts, click: Click, answer_id: str) -> SeenAnswer | None:
    """The answer, if who clicked was shown it; else he is told in a sentence that is always the same one."""
    seen, sentence = None, said.answer_unreadable()
    try:
        async with asyncio.timeout(FIND_SECONDS):
            if 0 < len(answer_id) <= LONGEST_ID:
                seen = await ports.seen.find(answer_id, click.actor, click.seen_in)
    except (Unavailable, TimeoutError):
        sentence = said.not_readable_now()
    if seen is None:
        tell_later(parts, click, sentence)
    return seen


async def readable(ports: AnswerPorts, click: Click, seen: SeenAnswer) -> tuple[SeenAnswer, frozenset[str]]:
    """The answer with what who clicked may see of it now, and his groups. Raises Unavailable."""
    audience = await ports.access.audience(click.actor, click.seen_in, private=True)
    return await ports.seen.read(seen, audience.groups), audience.groups


async def or_sentence(
    make: Callable[[], Awaitable[dict[str, object]]], fail: Callable[[str], dict[str, object]]
) -> dict[str, object]:
    """What `make` makes; where that cannot be read now, what `fail` makes of a sentence."""
    try:
        return await make()
    except Unavailable:
        return fail(said.not_readable_now())
    except Rejected:
        return fail(said.answer_unreadable())
