"""A choice of a reply, clicked: asked once in the same thread."""

from adapters.teams.actions.asking import ask_next
from adapters.teams.actions.clicks import TeamsClick, Verbs
from adapters.teams.actions.finding import found
from adapters.teams.actions.replies import sentence
from adapters.teams.listening import InvokeReply
from adapters.teams.parts import TeamsParts
from bot.answers.again import chosen
from bot.render.teams.view import CHOICE, TeamsInvoke, TeamsVerb
from bot.wording import answers as said
from bot.wording import teams as told


async def _choose(parts: TeamsParts, click: TeamsClick) -> InvokeReply:
    seen = await found(parts, click)
    asked = chosen(seen, click.fields.get(CHOICE, ""), click.actor.person)
    is_new = await ask_next(parts, click, seen, asked)
    return sentence(click.invoke, told.ASKED if is_new else said.ALREADY_ASKED)


VERBS: Verbs = {(TeamsInvoke.CARD_ACTION, TeamsVerb.CHOOSE): _choose}
