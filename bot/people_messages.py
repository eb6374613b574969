"""What the queue of notices has to say of people's answers, as messages of a platform: read when it is sent."""

from collections.abc import Mapping
from typing import Protocol

from bot.curated import CuratedShelf
from bot.escalation_views import EscalationView, EscalationViews
from bot.escalations import Escalation, EscalationAct, Escalations
from bot.notices import Notice
from rag_core.curated.kept import CuratedAnswer, CuratedState


class PeopleRendering(Protocol):
    """How a platform shows them: a message as its sink of notices takes it. Pure."""

    def escalation_message(
        self, escalation: Escalation, view: EscalationView, names: Mapping[str, str]
    ) -> Mapping[str, object]:
        """For where people are asked. `view`: what everybody there may see."""
        ...

    def persons_answer_message(
        self, escalation: Escalation, act: EscalationAct, question: str = ""
    ) -> Mapping[str, object]:
        """For the asker. `question`: where it is not to be seen above."""
        ...

    def suspended_message(self, answer: CuratedAnswer) -> Mapping[str, object]:
        """For the owner of an approved answer."""
        ...


class PeopleMessages:
    """A renderer for each kind of notice: None where there is nothing to say any more.

    Raises Unavailable.
    """

    def __init__(
        self,
        escalations: Escalations,
        views: EscalationViews,
        shelf: CuratedShelf,
        names: Mapping[str, str],
        shown: PeopleRendering,
    ) -> None:
        self._escalations = escalations
        self._views = views
        self._shelf = shelf
        self._names = names
        self._shown = shown

    async def escalation(self, notice: Notice) -> Mapping[str, object] | None:
        found = await self._escalations.of(str(notice.content.get("escalation_id", "")))
        return await self.asked(found) if found is not None else None

    async def asked(self, escalation: Escalation) -> Mapping[str, object]:
        """The message where people are asked, as it is now."""
        return self._shown.escalation_message(escalation, await self._views.where_asked(escalation), self._names)

    async def persons_answer(self, notice: Notice) -> Mapping[str, object] | None:
        """None where the asker or the author was forgotten meanwhile."""
        found = await self._escalations.of(str(notice.content.get("escalation_id", "")))
        act = (
            next((each for each in found.replies if each.act_id == notice.content.get("act_id")), None)
            if found
            else None
        )
        if found is None or act is None:
            return None
        question = await self._views.question_of(found) if found.place.private else ""
        return self._shown.persons_answer_message(found, act, question)

    async def suspended(self, notice: Notice) -> Mapping[str, object] | None:
        """None where it was approved again, or retired, before anybody was told."""
        answer = await self._shelf.find(str(notice.content.get("curated_id", "")))
        is_suspended = answer is not None and answer.state is CuratedState.SUSPENDED
        return self._shown.suspended_message(answer) if answer is not None and is_suspended else None
