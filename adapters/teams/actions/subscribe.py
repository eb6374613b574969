"""Tell us of changes: the conversation hears when a policy changes that the answer is about."""

from adapters.teams.actions.clicks import TeamsClick, Verbs
from adapters.teams.actions.finding import found
from adapters.teams.actions.replies import sentence
from adapters.teams.listening import InvokeReply
from adapters.teams.parts import TeamsParts
from bot import wording_answers as said
from bot import wording_teams_actions as told
from bot.admission import Admitted
from bot.render.card_text import escape
from bot.render.teams_view import TeamsInvoke, TeamsVerb
from bot.subscription_commands import SubscriptionSaid
from bot.wording_teams_people import not_for_guests


async def _subscribe(parts: TeamsParts, click: TeamsClick) -> InvokeReply:
    """What goes well everybody there reads, with who did it; the rest only he."""
    if parts.subscriptions is None:
        return sentence(click.invoke, said.answer_unreadable())
    if click.may is not Admitted.ALLOWED:
        return sentence(click.invoke, not_for_guests())
    seen = await found(parts, click)
    name = escape(click.activity.sender.name or click.activity.sender.user)
    done = await parts.subscriptions.follow(click.actor, click.seen_in.channel, seen, name)
    if not done.is_public:
        return sentence(click.invoke, " ".join(done.lines))
    parts.background.start(_tell(parts, click, done), "teams.subscribe")
    return sentence(click.invoke, told.subscribed())


async def _tell(parts: TeamsParts, click: TeamsClick, done: SubscriptionSaid) -> None:
    """Raises as TeamsOutbound."""
    text = "\n\n".join([*done.lines, *map(escape, done.notes)])
    await parts.outbound.send(click.place.reference, {"type": "message", "text": text, "textFormat": "markdown"})


VERBS: Verbs = {(TeamsInvoke.CARD_ACTION, TeamsVerb.SUBSCRIBE): _subscribe}
