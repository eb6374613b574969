"""What is needed to ask people and to bring back what they answer, on any platform."""

from dataclasses import dataclass

from bot.asking_people import AskingPeople
from bot.escalation_views import EscalationViews
from bot.escalations import Escalation, Escalations
from bot.own_answers import KnownAs
from bot.people_messages import PeopleMessages
from bot.posted import PostedMessages, Subject
from bot.saving_curated import SavingCurated


@dataclass(frozen=True, slots=True)
class PeoplePorts:
    """Nothing of it is closed by who holds it."""

    asking: AskingPeople
    escalations: Escalations
    views: EscalationViews
    messages: PeopleMessages
    posted: PostedMessages
    saving: SavingCurated
    known_as: KnownAs


async def begun_by(people: PeoplePorts, platform: str, workspace: str, channel: str, thread: str) -> Escalation | None:
    """The escalation whose message the thread begins with, where people are asked. What a person answered may begin
    one, too: in a direct message, below which the asker says thanks. Raises Unavailable."""
    posted = await people.posted.in_thread(platform, workspace, channel, thread)
    first = next((each for each in posted if each.place.message == thread), None)
    if first is None or first.subject is not Subject.ESCALATION:
        return None
    found = await people.escalations.of(first.subject_id)
    return found if found is not None and found.place.people_in == channel else None
