"""Show sources and More: a modal that says at once that it is read, and then holds what who clicked may see."""

from collections.abc import Awaitable, Callable

from slack_bolt.async_app import AsyncApp

from adapters.slack.actions.clicks import Click
from adapters.slack.actions.finding import found, or_sentence, readable
from adapters.slack.actions.listening import on_click
from adapters.slack.actions.telling import open_modal, update_modal
from adapters.slack.parts import SlackParts
from bot.answers.passages import in_context
from bot.answers.seen import AnswerPorts, SeenAnswer
from bot.render.blocks import Block
from bot.render.slack.modals import loading_modal, sources_modal, text_modal, whole_answer_modal
from bot.render.slack.view import SlackAction, SlackModal
from bot.wording import answers as said

Fill = Callable[[SlackParts, AnswerPorts, Click, SeenAnswer], Awaitable[Block]]


def add_reading(bolt: AsyncApp, parts: SlackParts) -> None:
    if (ports := parts.answers) is not None:
        _add(bolt, parts, ports, SlackAction.SHOW_SOURCES, SlackModal.SOURCES, said.SOURCES_TITLE, _sources)
        _add(bolt, parts, ports, SlackAction.SHOW_MORE, SlackModal.MORE, said.MORE_TITLE, _whole)


def _add(
    bolt: AsyncApp,
    parts: SlackParts,
    ports: AnswerPorts,
    action: SlackAction,
    callback: SlackModal,
    title: str,
    fill: Fill,
) -> None:
    async def show(click: Click, seen: SeenAnswer) -> None:
        opened = await open_modal(parts, click, loading_modal(callback, title, ""))
        if not opened:
            return
        made = await or_sentence(
            lambda: fill(parts, ports, click, seen), lambda sentence: text_modal(callback, title, sentence)
        )
        await update_modal(parts, click, opened, made)

    async def take(click: Click) -> None:
        seen = await found(parts, ports, click, click.value)
        if seen is not None:
            parts.tasks.start(show(click, seen), f"slack.{action}")

    on_click(bolt, parts, str(action), take)


async def _sources(parts: SlackParts, ports: AnswerPorts, click: Click, seen: SeenAnswer) -> Block:
    read, groups = await readable(parts, ports, click, seen)
    return sources_modal(read, await in_context(read, ports.store, groups), ports.links, "")


async def _whole(parts: SlackParts, ports: AnswerPorts, click: Click, seen: SeenAnswer) -> Block:
    read, _ = await readable(parts, ports, click, seen)
    return whole_answer_modal(read, ports.links, "")
