"""A choice of a reply, clicked: asked once in the same thread."""

import re

from slack_bolt.async_app import AsyncApp

from adapters.slack.actions.asking import ask_next
from adapters.slack.actions.clicks import Click
from adapters.slack.actions.finding import found
from adapters.slack.actions.listening import on_click
from adapters.slack.actions.telling import tell_later
from adapters.slack.parts import SlackParts
from bot.answers.again import chosen
from bot.answers.seen import SeenAnswer
from bot.render.slack.view import SlackAction
from bot.wording import answers as said
from rag_core.errors import Rejected, Unavailable

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
        return "" if await ask_next(parts, click, seen, asked) else said.ALREADY_ASKED
    except Rejected:
        return said.ANSWER_UNREADABLE
    except (Unavailable, TimeoutError):
        return said.NOT_TAKEN
