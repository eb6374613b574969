"""The answer behind a click, for who clicked."""

import asyncio
from collections.abc import Awaitable, Callable

from adapters.slack.access import SECONDS
from adapters.slack.actions.clicks import Click
from adapters.slack.actions.telling import tell_later
from adapters.slack.gate import admitted
from adapters.slack.parts import SlackParts
from bot.answers.seen import AnswerPorts, SeenAnswer
from bot.model.outcomes import Admitted
from bot.wording import answers as said
from bot.wording import why_not
from rag_core.errors import Rejected, Unavailable

FIND_SECONDS = 0.6
"""Slack wants to hear within 3 s, and a modal has to be open by then."""

LONGEST_ID = 100


async def found(parts: SlackParts, ports: AnswerPorts, click: Click, answer_id: str) -> SeenAnswer | None:
    """The answer, if who clicked was shown it; else he is told in a sentence that is always the same one."""
    seen, sentence = None, said.ANSWER_UNREADABLE
    try:
        async with asyncio.timeout(FIND_SECONDS):
            if 0 < len(answer_id) <= LONGEST_ID:
                seen = await ports.seen.find(answer_id, click.actor, click.seen_in)
    except (Unavailable, TimeoutError):
        sentence = said.NOT_READABLE_NOW
    if seen is None:
        tell_later(parts, click, sentence)
    return seen


async def readable(
    parts: SlackParts, ports: AnswerPorts, click: Click, seen: SeenAnswer
) -> tuple[SeenAnswer, frozenset[str]]:
    """The answer with what who clicked may see of it now, and his groups. Raises as `groups_of`."""
    groups = await groups_of(parts, ports, click)
    return await ports.seen.read(seen, groups), groups


async def groups_of(parts: SlackParts, ports: AnswerPorts, click: Click) -> frozenset[str]:
    """Of who clicked, for what he alone is shown; none where the external rule lets him see only what is public. Asked
    after the acknowledgement, with time for an answer. Raises Unavailable, and Rejected for who
    is refused."""
    enterprise, outside = click.enterprise, click.outside
    may = await admitted(
        parts, click.team, click.channel, click.user, enterprise=enterprise, outside=outside, seconds=SECONDS
    )
    if may.is_refused:
        raise Rejected(may.code)
    if may is Admitted.PUBLIC_ONLY:
        return frozenset()
    return (await ports.access.audience(click.actor, click.seen_in, private=True)).groups


async def or_sentence(
    make: Callable[[], Awaitable[dict[str, object]]], fail: Callable[[str], dict[str, object]]
) -> dict[str, object]:
    """What `make` makes; where that cannot be read now, what `fail` makes of a sentence."""
    try:
        return await make()
    except Unavailable:
        return fail(said.NOT_READABLE_NOW)
    except Rejected as exc:
        return fail(_SENTENCES.get(exc.code) or said.ANSWER_UNREADABLE)


_SENTENCES = {each.code: why_not(each) for each in Admitted}
"""Only of those who are refused."""
