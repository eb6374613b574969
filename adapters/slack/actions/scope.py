"""Change scope: the same question asked again, for another platform, place, kind of material or day."""

from collections.abc import Mapping

from slack_bolt.async_app import AsyncApp

from adapters.slack.actions.asking import ask_next
from adapters.slack.actions.clicks import Click, view_id, view_values
from adapters.slack.actions.finding import found, groups_of, or_sentence
from adapters.slack.actions.listening import Body, on_click, on_submit
from adapters.slack.actions.scope_forms import read_scope
from adapters.slack.actions.telling import open_modal, tell_later, update_modal
from adapters.slack.parts import SlackParts
from bot.answers.again import Next, fixed_day, question_of, scope_of
from bot.answers.seen import AnswerPorts, SeenAnswer
from bot.render.blocks import Block
from bot.render.scope_form import ScopeChosen, ScopeFilled
from bot.render.slack.modals import loading_modal, scope_modal, text_modal
from bot.render.slack.view import SlackAction, SlackModal
from bot.wording import answers as said
from rag_core.errors import Unavailable


def add_scope(bolt: AsyncApp, parts: SlackParts) -> None:
    if (ports := parts.answers) is None:
        return

    async def show(click: Click, seen: SeenAnswer) -> None:
        opened = await open_modal(parts, click, loading_modal(SlackModal.SCOPE, said.SCOPE_TITLE, ""))
        if not opened:
            return
        made = await or_sentence(
            lambda: _fields(parts, ports, click, seen),
            lambda sentence: text_modal(SlackModal.SCOPE, said.SCOPE_TITLE, sentence),
        )
        await update_modal(parts, click, opened, made)

    async def take(click: Click) -> None:
        seen = await found(parts, ports, click, click.value)
        if seen is not None:
            parts.tasks.start(show(click, seen), "slack.scope")

    async def submit(click: Click, body: Body) -> Mapping[str, str]:
        filled = read_scope(view_values(body))
        if filled.errors:
            return filled.errors
        seen = await found(parts, ports, click, click.value)
        if seen is not None and (told := await _asked(parts, click, seen, filled, view_id(body))):
            tell_later(parts, click, told)
        return {}

    on_click(bolt, parts, str(SlackAction.CHANGE_SCOPE), take)
    on_submit(bolt, parts, str(SlackModal.SCOPE), submit)


async def _fields(parts: SlackParts, ports: AnswerPorts, click: Click, seen: SeenAnswer) -> Block:
    """Offered are the platforms that who clicked may see."""
    sources = await ports.store.sources(await groups_of(parts, ports, click))
    scope = scope_of(seen)
    types = tuple(each.value for each in scope.content_types)
    chosen = ScopeChosen(scope.policy_sources, scope.regions, types, fixed_day(scope))
    return scope_modal(question_of(seen), sources, chosen, click.as_metadata(seen.record.answer_id))


async def _asked(parts: SlackParts, click: Click, seen: SeenAnswer, filled: ScopeFilled, view: str) -> str:
    """Asks, once a modal; what the person is told, "" where the answer says it all."""
    asked = Next(question_of(seen), f"view:{view}", filled.filters, filled.as_of)
    try:
        return "" if await ask_next(parts, click, seen, asked) else said.ALREADY_ASKED
    except (Unavailable, TimeoutError):
        return said.NOT_TAKEN
