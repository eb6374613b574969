"""Subscribing a conversation to policy changes, and ending it: by commands, and by the button under an alert."""

from adapters.teams.actions.clicks import TeamsClick, Verbs
from adapters.teams.actions.replies import sentence
from adapters.teams.actions.telling import said_plainly, tell_there
from adapters.teams.addresses import PLATFORM
from adapters.teams.command_calls import CommandCall
from adapters.teams.conversations import known_of
from adapters.teams.listening import InvokeReply
from adapters.teams.messages import TeamsActivity
from adapters.teams.parts import TeamsParts
from adapters.teams.ports import Activity
from bot.alerts.subscribing import SubscriptionCommands, SubscriptionSaid
from bot.commands.grammar import Subscribe
from bot.model.messages import Actor
from bot.model.outcomes import Admitted
from bot.model.visible import one_line, shorten
from bot.render.teams.view import TeamsInvoke, TeamsVerb
from bot.wording import teams as own
from rag_core.errors import Rejected

_LONGEST_NAME = 80


async def run_subscribe(parts: TeamsParts, call: CommandCall) -> Activity | None:
    commands, activity = _commands(parts), call.activity
    wanted = f"{call.command.rhythm} {call.command.wanted}".strip() if isinstance(call.command, Subscribe) else ""
    await remember(parts, activity)
    return confirmation(await commands.subscribe(_actor(activity), activity.channel, wanted, mention_of(activity)))


async def run_unsubscribe(parts: TeamsParts, call: CommandCall) -> Activity | None:
    activity = call.activity
    found = await _commands(parts).unsubscribe(_actor(activity), activity.channel, mention_of(activity))
    return confirmation(found)


async def _stop(parts: TeamsParts, click: TeamsClick) -> InvokeReply:
    """Ends the subscriptions that an alert was sent for, of the conversation in which it is clicked."""
    activity = click.activity
    if click.may is not Admitted.ALLOWED:
        return sentence(click.invoke, own.NOT_FOR_GUESTS)
    ids = tuple(each for each in click.fields.get("subscription", "").split(",") if each)
    if not ids:
        raise Rejected("subscription_unknown")
    found = await _commands(parts).stop(click.actor, activity.channel, ids, mention_of(activity))
    return _done(parts, click, found)


def _done(parts: TeamsParts, click: TeamsClick, found: SubscriptionSaid) -> InvokeReply:
    """What went well everybody there reads, with who did it; the rest only he."""
    if found.is_public:
        told = tell_there(parts, click.activity.reference, confirmation(found))
        parts.background.start(told, "subscription told")
    return sentence(click.invoke, found.lines[0])


async def remember(parts: TeamsParts, activity: TeamsActivity) -> None:
    """Alerts need to know how to speak there, or could never be sent. Raises Unavailable."""
    if parts.known is not None:
        await parts.known.save(known_of(activity, parts.clock()))


def confirmation(found: SubscriptionSaid) -> Activity:
    return said_plainly("\n".join([*found.lines, *found.notes]))


def _commands(parts: TeamsParts) -> SubscriptionCommands:
    if parts.subscriptions is None:
        raise Rejected("teams_not_set_up")
    return parts.subscriptions


def _actor(activity: TeamsActivity) -> Actor:
    return Actor(PLATFORM, activity.tenant, activity.sender.person or activity.sender.user)


def mention_of(activity: TeamsActivity) -> str:
    """Who did it, by his name: shown as it stands."""
    return shorten(one_line(activity.sender.name), _LONGEST_NAME) or own.SOMEBODY.capitalize()


VERBS: Verbs = {(TeamsInvoke.CARD_ACTION, TeamsVerb.UNSUBSCRIBE): _stop}
