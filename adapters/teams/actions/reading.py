"""Show sources and More: a dialog with what who clicked may see, a page at a time."""

from adapters.teams.actions.clicks import TeamsClick, Verbs
from adapters.teams.actions.finding import found, ports_of, readable
from adapters.teams.actions.replies import dialog
from adapters.teams.listening import InvokeReply
from adapters.teams.parts import TeamsParts
from bot.answers.passages import in_context
from bot.render.teams.dialogs import page_number, sources_dialog, whole_answer_dialog
from bot.render.teams.view import PAGE, TeamsInvoke, TeamsVerb
from bot.wording import answers as said


async def _sources(parts: TeamsParts, click: TeamsClick) -> InvokeReply:
    ports = ports_of(parts)
    read, groups = await readable(parts, click, await found(parts, click))
    placed = await in_context(read, ports.store, groups)
    card = sources_dialog(read, placed, ports.links, page=_page(click), sign=click.sign(parts))
    return dialog(said.SOURCES_TITLE, card)


async def _whole(parts: TeamsParts, click: TeamsClick) -> InvokeReply:
    read, _ = await readable(parts, click, await found(parts, click))
    card = whole_answer_dialog(read, ports_of(parts).links, page=_page(click), sign=click.sign(parts))
    return dialog(said.MORE_TITLE, card)


def _page(click: TeamsClick) -> int:
    return page_number(click.fields.get(PAGE, ""))


VERBS: Verbs = {
    (TeamsInvoke.DIALOG_OPEN, TeamsVerb.SHOW_SOURCES): _sources,
    (TeamsInvoke.DIALOG_SUBMIT, TeamsVerb.SHOW_SOURCES): _sources,
    (TeamsInvoke.DIALOG_OPEN, TeamsVerb.SHOW_MORE): _whole,
    (TeamsInvoke.DIALOG_SUBMIT, TeamsVerb.SHOW_MORE): _whole,
}
