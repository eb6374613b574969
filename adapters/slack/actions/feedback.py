"""Useful or not: what is said is kept before Slack is acknowledged."""

import asyncio
from collections.abc import Mapping
from typing import Any

from slack_bolt.async_app import AsyncApp

from adapters.slack.actions.clicks import Click, view_values
from adapters.slack.actions.finding import found
from adapters.slack.actions.listening import Body, on_click, on_submit
from adapters.slack.actions.telling import open_modal, tell_later
from adapters.slack.gate import GATE_SECONDS
from adapters.slack.parts import SlackParts
from adapters.slack.question_keeping import ACCEPT_SECONDS
from bot.answers.feedback import LONGEST_COMMENT, FeedbackReason, Rating, Said
from bot.answers.seen import AnswerPorts
from bot.render.slack.modals import COMMENT, REASONS, feedback_modal
from bot.render.slack.view import FEEDBACK_VALUE, SlackAction, SlackModal
from bot.wording import answers as said
from bot.wording.answers import reasons
from rag_core.errors import Unavailable

_KEEP_SECONDS = ACCEPT_SECONDS - GATE_SECONDS


def add_feedback(bolt: AsyncApp, parts: SlackParts) -> None:
    if (ports := parts.answers) is None:
        return

    async def ask_why(click: Click, answer_id: str) -> None:
        await open_modal(parts, click, feedback_modal(reasons(), LONGEST_COMMENT, click.as_metadata(answer_id)))

    async def take(click: Click) -> None:
        rating, _, answer_id = click.value.partition("/")
        if rating == FEEDBACK_VALUE[True]:
            opinion = Said(answer_id, Rating.USEFUL)
            tell_later(parts, click, await _kept(ports, click, opinion))
        elif rating == FEEDBACK_VALUE[False]:
            if await found(parts, ports, click, answer_id) is not None:
                parts.tasks.start(ask_why(click, answer_id), "slack.feedback")
        else:
            tell_later(parts, click, said.ANSWER_UNREADABLE)

    async def submit(click: Click, body: Body) -> Mapping[str, str]:
        opinion = _filled(click.value, view_values(body))
        if not opinion.reasons and not opinion.comment.strip():
            return {REASONS: said.CHOOSE_A_REASON}
        sentence = await _kept(ports, click, opinion)
        if sentence == said.FEEDBACK_NOT_KEPT:  # what was typed stays in the modal
            return {COMMENT: sentence}
        tell_later(parts, click, sentence)
        return {}

    on_click(bolt, parts, str(SlackAction.FEEDBACK), take)
    on_submit(bolt, parts, str(SlackModal.FEEDBACK), submit)


async def _kept(ports: AnswerPorts, click: Click, opinion: Said) -> str:
    """Keeps it; what the person is told."""
    try:
        async with asyncio.timeout(_KEEP_SECONDS):
            given = await ports.feedback.give(click.actor, opinion, "slack", click.seen_in)
    except (Unavailable, TimeoutError):
        return said.FEEDBACK_NOT_KEPT
    return said.THANKS if given is not None else said.ANSWER_UNREADABLE


def _filled(answer_id: str, values: Mapping[str, Any]) -> Said:
    """What is no reason of ours is left out."""
    options = _state(values, REASONS).get("selected_options")
    chosen = (
        {each.get("value") for each in options if isinstance(each, Mapping)} if isinstance(options, list) else set()
    )
    comment = _state(values, COMMENT).get("value")
    given = [each for each in FeedbackReason if each.value in chosen]
    return Said(answer_id, Rating.NOT_USEFUL, given, comment if isinstance(comment, str) else "")


def _state(values: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    block = values.get(name)
    state = block.get(name) if isinstance(block, Mapping) else None
    return state if isinstance(state, Mapping) else {}
