"""The answer behind a click, for who clicked."""

import asyncio

from adapters.teams.actions.clicks import TeamsClick
from adapters.teams.parts import TeamsParts
from bot.answers.seen import AnswerPorts, SeenAnswer
from bot.model.outcomes import Admitted
from rag_core.errors import Rejected, Unavailable

FIND_SECONDS = 1.0
LONGEST_ID = 100


def ports_of(parts: TeamsParts) -> AnswerPorts:
    """Raises Rejected("answer_unreadable") where clicks on answers are not set up."""
    if parts.answers is None:
        raise Rejected("answer_unreadable")
    return parts.answers


async def found(parts: TeamsParts, click: TeamsClick) -> SeenAnswer:
    """The answer, if who clicked was shown it where he clicked. Raises Rejected("answer_unreadable") else, always the
    same one; Unavailable where that cannot be known in time."""
    ports = ports_of(parts)
    if not 0 < len(click.answer) <= LONGEST_ID:
        raise Rejected("answer_unreadable")
    try:
        async with asyncio.timeout(FIND_SECONDS):
            seen = await ports.seen.find(click.answer, click.actor, click.seen_in)
    except TimeoutError as exc:
        raise Unavailable("store_unavailable") from exc
    if seen is None:
        raise Rejected("answer_unreadable")
    return seen


async def readable(parts: TeamsParts, click: TeamsClick, seen: SeenAnswer) -> tuple[SeenAnswer, frozenset[str]]:
    """The answer with what who clicked may see of it now, and his groups. Raises Unavailable."""
    groups = await groups_of(parts, click)
    return await ports_of(parts).seen.read(seen, groups), groups


async def groups_of(parts: TeamsParts, click: TeamsClick) -> frozenset[str]:
    """Of who clicked, for what he alone is shown; none for those who may see only what is public."""
    if click.may is not Admitted.ALLOWED:
        return frozenset()
    return (await ports_of(parts).access.audience(click.actor, click.seen_in, private=True)).groups
