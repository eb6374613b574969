"""Saving a person's answer as an approved one: by who gave it, and as a draft.

Nobody approves by a click here: of a tenant's people Teams tells a bot only who owns a team, which anybody may begin,
while an approved answer is shown to everybody. Whoever runs the bot approves it (`python -m ops curated`).
"""

from adapters.teams.actions.clicks import TeamsClick, Verbs
from adapters.teams.actions.people_dialogs import people_of, signed_dialog
from adapters.teams.actions.replies import sentence
from adapters.teams.listening import InvokeReply
from adapters.teams.parts import TeamsParts
from bot.model.outcomes import Admitted
from bot.people.curation import Saved
from bot.people.forms import nobody, save_filled_in, to_be_saved
from bot.render.teams import people as forms
from bot.render.teams.view import TeamsInvoke, TeamsVerb
from bot.wording import people as say
from bot.wording import teams as own
from rag_core.errors import Rejected, Unavailable

_INPUTS = (
    forms.QUESTIONS,
    forms.PLACES,
    forms.PLATFORMS,
    forms.VERDICT,
    forms.STATEMENTS,
    forms.SOURCES,
    forms.SHOWN_BY,
)


async def _open(parts: TeamsParts, click: TeamsClick) -> InvokeReply:
    return await _form(parts, click)


async def _submit(parts: TeamsParts, click: TeamsClick) -> InvokeReply:
    people, given = people_of(parts), {name: click.input(name) for name in _INPUTS}
    if click.may is not Admitted.ALLOWED:
        return sentence(click.invoke, own.NOT_FOR_YOU)
    escalation_id, saved = click.fields.get("escalation", ""), _saved(given)
    try:
        kept = await save_filled_in(people.ports, click.actor, escalation_id, saved, nobody, is_for_many=True)
    except Rejected as exc:
        return await _form(parts, click, given, own.refusal(exc.code))
    except Unavailable:
        return await _form(parts, click, given, own.NOT_KEPT)
    return sentence(click.invoke, say.SAVED_APPROVED if kept.is_shown else own.SAVED_DRAFT)


async def _form(
    parts: TeamsParts, click: TeamsClick, given: dict[str, str] | None = None, error: str = ""
) -> InvokeReply:
    """What may be filled in, looked up again each time; else why there is nothing."""
    people, escalation_id = people_of(parts), click.fields.get("escalation", "")
    if click.may is not Admitted.ALLOWED:
        return sentence(click.invoke, own.NOT_FOR_YOU)
    found = await to_be_saved(people.ports, click.actor, escalation_id, nobody)
    if isinstance(found, str):
        return sentence(click.invoke, own.NOT_TO_BE_SAVED if found == say.NOT_TO_BE_SAVED else found)
    form = forms.curated_form(escalation_id, found.view, found.act, given, error)
    return signed_dialog(parts, click, say.SAVE_TITLE, form)


def _saved(given: dict[str, str]) -> Saved:
    return Saved(
        questions=given[forms.QUESTIONS],
        places=given[forms.PLACES],
        platforms=given[forms.PLATFORMS],
        verdict=given[forms.VERDICT],
        statements=given[forms.STATEMENTS],
        sources=frozenset(int(each) for each in given[forms.SOURCES].split(",") if each.isdecimal() and len(each) < 5),
        shown_by=given[forms.SHOWN_BY],
    )


VERBS: Verbs = {
    (TeamsInvoke.DIALOG_OPEN, TeamsVerb.SAVE_CURATED): _open,
    (TeamsInvoke.DIALOG_SUBMIT, TeamsVerb.SAVE_CURATED): _submit,
}
