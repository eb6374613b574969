"""Tell us of changes: the conversation hears when a policy changes that the answer is about."""

from adapters.teams.actions.clicks import TeamsClick, Verbs
from adapters.teams.actions.finding import found
from adapters.teams.actions.replies import sentence
from adapters.teams.actions.subscribing import confirmation, mention_of, remember
from adapters.teams.actions.telling import tell_there
from adapters.teams.listening import InvokeReply
from adapters.teams.parts import TeamsParts
from bot.model.outcomes import Admitted
from bot.render.teams.view import TeamsInvoke, TeamsVerb
from bot.wording import answers as said
from bot.wording import teams as told
from bot.wording.teams import NOT_FOR_GUESTS


async def _subscribe(parts: TeamsParts, click: TeamsClick) -> InvokeReply:
    """What goes well everybody there reads, with who did it; the rest only he."""
    if parts.subscriptions is None:
        return sentence(click.invoke, said.ANSWER_UNREADABLE)
    if click.may is not Admitted.ALLOWED:
        return sentence(click.invoke, NOT_FOR_GUESTS)
    seen = await found(parts, click)
    await remember(parts, click.activity)
    done = await parts.subscriptions.follow(click.actor, click.seen_in.channel, seen, mention_of(click.activity))
    if not done.is_public:
        return sentence(click.invoke, " ".join(done.lines))
    telling = tell_there(parts, click.place.reference, confirmation(done))
    parts.background.start(telling, "teams.subscribe")
    return sentence(click.invoke, told.SUBSCRIBED)


VERBS: Verbs = {(TeamsInvoke.CARD_ACTION, TeamsVerb.SUBSCRIBE): _subscribe}
