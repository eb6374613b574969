"""Change scope: the same question asked again, for another platform, place, kind of material or day."""

from adapters.teams.actions.asking import ask_next
from adapters.teams.actions.clicks import TeamsClick, Verbs
from adapters.teams.actions.finding import found, groups_of, ports_of
from adapters.teams.actions.replies import dialog, sentence
from adapters.teams.listening import InvokeReply
from adapters.teams.parts import TeamsParts
from bot.answers.again import Next, fixed_day, question_of, scope_of
from bot.answers.seen import SeenAnswer
from bot.render.scope_form import DAY, MATERIAL, PLACE, PLATFORM, ScopeChosen, filled_scope
from bot.render.teams.forms import ONCE, ScopeTyped, scope_card
from bot.render.teams.view import ANSWER, TeamsInvoke, TeamsVerb, data_of
from bot.wording import answers as said
from bot.wording import teams as told

_MOST_NAMED = 100


async def _open(parts: TeamsParts, click: TeamsClick) -> InvokeReply:
    seen = await found(parts, click)
    scope = scope_of(seen)
    types = tuple(each.value for each in scope.content_types)
    chosen = ScopeChosen(scope.policy_sources, scope.regions, types, fixed_day(scope))
    day = chosen.as_of.isoformat() if chosen.as_of else ""
    typed = ScopeTyped(chosen.policy_sources, chosen.typed_places, types, day)
    return await _form(parts, click, seen, typed, parts.new_id())


async def _submitted(parts: TeamsParts, click: TeamsClick) -> InvokeReply:
    """Asks, once for each dialog that was opened."""
    seen, typed = await found(parts, click), _typed(click)
    filled = filled_scope(typed.platforms, typed.places, typed.materials, typed.day)
    once = click.fields.get(ONCE, "")
    if filled.errors:
        return await _form(parts, click, seen, typed, once, tuple(filled.errors.values()))
    asked = Next(question_of(seen), f"scope:{once}:{click.actor.person}", filled.filters, filled.as_of)
    is_new = await ask_next(parts, click, seen, asked)
    return sentence(click.invoke, told.ASKED if is_new else said.ALREADY_ASKED)


async def _form(
    parts: TeamsParts,
    click: TeamsClick,
    seen: SeenAnswer,
    typed: ScopeTyped,
    once: str,
    errors: tuple[str, ...] = (),
) -> InvokeReply:
    """Offered are the platforms that who clicked may see. Raises Unavailable."""
    sources = await ports_of(parts).store.sources(await groups_of(parts, click))
    data = data_of(TeamsVerb.CHANGE_SCOPE, click.sign(parts), **{ANSWER: click.answer, ONCE: once})
    return dialog(said.SCOPE_TITLE, scope_card(question_of(seen), sources, typed, data, errors))


def _typed(click: TeamsClick) -> ScopeTyped:
    return ScopeTyped(
        platforms=_several(click.input(PLATFORM)),
        places=click.input(PLACE),
        materials=_several(click.input(MATERIAL)),
        day=click.input(DAY),
    )


def _several(value: str) -> tuple[str, ...]:
    """Of a choice of several: Teams puts commas between them."""
    return tuple(dict.fromkeys(each for each in value.split(",")[:_MOST_NAMED] if each))


VERBS: Verbs = {
    (TeamsInvoke.DIALOG_OPEN, TeamsVerb.CHANGE_SCOPE): _open,
    (TeamsInvoke.DIALOG_SUBMIT, TeamsVerb.CHANGE_SCOPE): _submitted,
}
