"""The form in which a person's answer is made an approved one."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from bot.model.messages import Actor
from bot.people.answers import PeoplePorts
from bot.people.curation import Saved, may_save
from bot.people.escalations import Escalation, EscalationAct, EscalationView
from bot.wording import people as say
from rag_core.curated.kept import CuratedAnswer
from rag_core.errors import Rejected, Unavailable

IsAdmin = Callable[[], Awaitable[bool]]
"""Whether who acts is an admin, by the platform's word; False where it does not say so in time."""


@dataclass(frozen=True, slots=True)
class ToSave:
    """`view`: what the one who saves it may see of the answer."""

    escalation: Escalation
    view: EscalationView
    act: EscalationAct


async def nobody() -> bool:
    """IsAdmin of a platform that names none."""
    return False


async def to_be_saved(people: PeoplePorts, actor: Actor, escalation_id: str, is_admin: IsAdmin) -> ToSave | str:
    """What is to be filled in, or the sentence that says why there is nothing."""
    try:
        found = await _allowed(people, actor, escalation_id, is_admin)
        seen = await people.views.to_person(found, actor)
    except Rejected as exc:
        return say.refusal(exc.code) if exc.code == "escalation_unknown" else say.NOT_TO_BE_SAVED
    except Unavailable:
        return say.NOT_TAKEN
    if not seen.sources or not found.replies:
        return say.NOTHING_TO_STAND_ON
    return ToSave(found, seen, found.replies[0])


async def save_filled_in(
    people: PeoplePorts, actor: Actor, escalation_id: str, saved: Saved, is_admin: IsAdmin, *, is_for_many: bool
) -> CuratedAnswer:
    """Who submits is looked at again: the form may have been open for hours. `is_for_many`: an approved answer is shown
    in every workspace, and where there are many, no admin of one speaks for the others.

    Raises Rejected as `SavingCurated`, and "escalation_unknown", "curated_not_allowed"; Unavailable.
    """
    found = await _allowed(people, actor, escalation_id, is_admin)
    approves = not is_for_many and await is_admin()
    seen = await people.views.to_person(found, actor)
    return await people.saving.save(found, seen, saved, actor, approves=approves)


async def _allowed(people: PeoplePorts, actor: Actor, escalation_id: str, is_admin: IsAdmin) -> Escalation:
    """Raises Rejected for an escalation of another workspace, and for whoever may not save its answer."""
    found = await people.escalations.of(escalation_id)
    if found is None or (found.place.platform, found.place.workspace) != (actor.platform, actor.workspace):
        raise Rejected("escalation_unknown")
    if not may_save(found, people.known_as(actor), is_admin=False) and not await is_admin():
        raise Rejected("curated_not_allowed")
    return found
