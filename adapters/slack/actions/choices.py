"""A choice of a reply, clicked: asked once in the same thread."""

import re
from collections.abc import Mapping
from typing import Any

from slack_bolt.async_app import AsyncApp

from adapters.slack.actions.asking import Next, ask_next, fixed_day, scope_of
from adapters.slack.actions.clicks import Click
from adapters.slack.actions.finding import found
from adapters.slack.actions.listening import on_click
from adapters.slack.actions.telling import tell_later
from adapters.slack.parts import SlackParts
from bot import wording_answers as said
from bot.render.slack_view import SlackAction
from bot.seen_answers import SeenAnswer
from rag_core.errors import Rejected, Unavailable
from rag_core.questions import Filters

_CHOICE = re.compile(rf"{SlackAction.CHOOSE}(?::[a-z0-9]{{1,4}})?")


def add_choices(bolt: AsyncApp, parts: SlackParts) -> None:
    if (ports := parts.answers) is None:
        return

    async def take(click: Click) -> None:
        answer_id, _, number = click.value.rpartition("/")
        seen = await found(parts, ports, click, answer_id)
        if seen is not None and (told := await _asked(parts, click, seen, number)):
            tell_later(parts, click, told)

    on_click(bolt, parts, _CHOICE, take)


async def _asked(parts: SlackParts, click: Click, seen: SeenAnswer, number: str) -> str:
    """Asks; what the person is told, "" where the answer says it all."""
    try:
        asked = chosen(seen, number, click.user)
        return "" if await ask_next(parts, click, seen, asked) else said.already_asked()
    except Rejected:
        return said.answer_unreadable()
    except (Unavailable, TimeoutError):
        return said.not_taken()


def chosen(seen: SeenAnswer, number: str, user: str) -> Next:
    """The choice as a question, the same for every click of this person. Raises Rejected("answer_unreadable")."""
    listed = seen.record.reply.get("choices")
    at = int(number) if number.isascii() and number.isdigit() and len(number) < 4 else -1
    if not isinstance(listed, list) or not 0 <= at < len(listed):
        raise Rejected("answer_unreadable")
    choice = listed[at]
    once = f"choice:{seen.record.answer_id}:{at}:{user}"
    try:
        return Next(str(choice["question"]), once, _filters(choice["filters"]), fixed_day(scope_of(seen)))
    except (KeyError, TypeError, AttributeError) as exc:
        raise Rejected("answer_unreadable") from exc


def _filters(shape: Mapping[str, Any]) -> Filters:
    """Of the REST shape."""
    return Filters(
        policy_sources=tuple(shape.get("policy_source", ())),
        regions=tuple(shape.get("region", ())),
        content_types=tuple(shape.get("content_type", ())),
        sections=tuple(shape.get("policy_section", ())),
        labels={key: tuple(values) for key, values in shape.get("labels", {}).items()},
    )
