"""People's answers: a question handed to people, and their answer brought back to the person who asked.

Who answers: of an escalation that nobody claimed, whoever but the asker writes first in its thread, and it is his from
then on; of a claimed one, who claimed it. All that he writes there comes back, the first as the answer, the rest as
additions; what others write in the thread stays among them.
"""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Protocol

from bot.answers.curated import CuratedShelf
from bot.answers.recorded import KnownAs, belongs_to, was_shown_to
from bot.audit.entries import AuditEntry, administration
from bot.model.channels import ChannelSettings
from bot.model.messages import Actor, Conversation
from bot.model.notices import Notice, NoticeKind, NoticeQueue
from bot.model.posted import PostedMessages, Subject
from bot.model.visible import lines, shorten
from bot.people.curation import SavingCurated
from bot.people.escalations import (
    ActKind,
    AskedPlace,
    Escalation,
    EscalationAct,
    Escalations,
    EscalationState,
    EscalationView,
    EscalationViews,
)
from bot.ports import GivenAnswers
from rag_core.curated.kept import CuratedAnswer, CuratedState
from rag_core.errors import Rejected

LONGEST_NOTE, LONGEST_REPLY = 1_000, 3_000
"""Characters that are kept."""

_COMMENT = "comment"


@dataclass(frozen=True, slots=True)
class PeopleAsked:
    """Where people are asked: a channel, and a user group that is called there ("" = none)."""

    channel: str
    group: str = ""


def people_asked(escalate_to: str, is_group: Callable[[str], bool], here: str, *, private: bool) -> PeopleAsked:
    """What a channel's setting means. A channel: there. A user group has no channel: it is called where it was asked,
    in a thread of its own, before everybody there; so a private question cannot go to it. "CHANNEL/GROUP": both.

    Raises Rejected: "escalation_nobody" where nobody is to be asked, "escalation_group_private".
    """
    named = escalate_to.strip()
    if not named:
        raise Rejected("escalation_nobody")
    channel, _, last = named.rpartition("/")
    if not is_group(last):  # in Teams the id of a channel has a stroke in it
        return PeopleAsked(named)
    if channel:
        return PeopleAsked(channel, last)
    if private:
        raise Rejected("escalation_group_private")
    return PeopleAsked(here, last)


class AskingPeople:
    """Raises Unavailable; Rejected as `people_asked`, and "escalation_no_answer": there is no such answer here, and
    "escalation_unknown"."""

    def __init__(
        self,
        answers: GivenAnswers,
        escalations: Escalations,
        queue: NoticeQueue,
        settings: ChannelSettings,
        *,
        is_group: Callable[[str], bool],
        now: Callable[[], datetime],
        known_as: KnownAs,
    ) -> None:
        self._answers = answers
        self._escalations = escalations
        self._queue = queue
        self._settings = settings
        self._is_group = is_group
        self._now = now
        self._known_as = known_as

    async def ask(self, actor: Actor, answer_id: str, place: AskedPlace, note: str = "") -> Escalation:
        """Once for each asker and answer: asking again gives back the first. Kept, and to be posted, on return.

        `place`: where the answer stands. Anybody of its workspace who sees an answer there may ask about it; an id
        alone, out of a button, proves nothing.
        """
        answer = await self._answers.answer(answer_id)
        there = Conversation(place.platform, place.workspace, place.channel)
        if answer is None or not (belongs_to(answer, actor, self._known_as) or was_shown_to(answer, actor, there)):
            raise Rejected("escalation_no_answer")
        wanted = await self._settings.of(actor.platform, actor.workspace, place.channel)
        people = people_asked(wanted.escalate_to, self._is_group, place.channel, private=place.private)
        person, now = self._known_as(actor), self._now()
        new = Escalation(
            escalation_id=_id("escalation", actor.workspace, person, answer_id),
            answer_id=answer_id,
            person=person,
            state=EscalationState.OPEN,
            place=replace(place, people_in=people.channel, group=people.group),
            note=_clean(note, LONGEST_NOTE),
            asked_at=now,
        )
        kept = await self._escalations.begin(new, _entry(new, "escalation_begun", actor, now, new.note))
        await self._queue.queue([_asks(kept)])
        return kept

    async def claim(self, actor: Actor, escalation_id: str, channel: str) -> tuple[Escalation, bool]:
        """The escalation as it is now, and whether it is this person's: the first who says so has it. Raises
        Rejected("escalation_own") for the asker."""
        found = await self._here(escalation_id, actor, channel)
        if self._is_asker(found, actor):
            raise Rejected("escalation_own")
        act = self._act(found, ActKind.CLAIMED, actor, f"{escalation_id}:claim")
        mine = await self._escalations.claim(act, _entry(found, "escalation_claimed", actor, act.at))
        return await self._escalations.of(escalation_id) or found, mine

    async def reply(self, actor: Actor, escalation_id: str, channel: str, message: str, text: str) -> bool:
        """Whether this message in the escalation's thread goes back to the asker; then it is kept, and to be posted.

        Heard twice, it goes back once. `message`: the platform's id of it. What the asker writes there is no answer.
        """
        found = await self._here(escalation_id, actor, channel)
        said = _clean(text, LONGEST_REPLY)
        if not said or self._is_asker(found, actor):
            return False
        act = self._act(found, ActKind.ANSWERED, actor, _id("reply", actor.workspace, channel, message), said)
        if not await self._escalations.reply(
            act, _entry(found, "escalation_answered", actor, act.at, said, act.act_id)
        ):
            return False
        await self._queue.queue([_answers(found, act)])
        return True

    async def _here(self, escalation_id: str, actor: Actor, channel: str) -> Escalation:
        """Only where people are asked, and only its workspace's own people."""
        found = await self._escalations.of(escalation_id)
        if found is None:
            raise Rejected("escalation_unknown")
        place = found.place
        if (place.platform, place.workspace, place.people_in) != (actor.platform, actor.workspace, channel):
            raise Rejected("escalation_unknown")
        return found

    def _is_asker(self, found: Escalation, actor: Actor) -> bool:
        return self._known_as(actor) == found.person

    def _act(self, found: Escalation, kind: ActKind, actor: Actor, act_id: str, text: str = "") -> EscalationAct:
        return EscalationAct(act_id, found.escalation_id, kind, self._known_as(actor), actor.person, self._now(), text)


def _asks(escalation: Escalation) -> Notice:
    place = escalation.place
    return Notice(
        f"{escalation.escalation_id}:asks",
        NoticeKind.ESCALATION,
        place.platform,
        place.workspace,
        place.people_in,
        escalation.asked_at,
        content={"escalation_id": escalation.escalation_id},
    )


def _answers(escalation: Escalation, act: EscalationAct) -> Notice:
    """To where it was asked; to the asker alone if the answer was for him alone."""
    place = escalation.place
    return Notice(
        act.act_id,
        NoticeKind.PERSONS_ANSWER,
        place.platform,
        place.workspace,
        place.person if place.private else place.channel,
        act.at,
        thread="" if place.private else place.thread,
        content={"escalation_id": escalation.escalation_id, "act_id": act.act_id, "via": place.people_in},
    )


def _entry(
    escalation: Escalation, act: str, actor: Actor, at: datetime, text: str = "", act_id: str = ""
) -> AuditEntry:
    """On record, in the chain of the workspace; who, and what he wrote, can be forgotten."""
    target = escalation.escalation_id
    facts = {"answer_id": escalation.answer_id}
    record_id = f"{act_id or target}:{act}:{at.isoformat()}"
    entry = administration(
        record_id, act, at, person=actor.person, target=target, facts=facts, workspace=actor.workspace
    )
    return replace(entry, origin=actor.platform, personal={**entry.personal, **({_COMMENT: text} if text else {})})


def _clean(text: str, most: int) -> str:
    return shorten("\n".join(lines(text)), most)


def _id(*parts: str) -> str:
    """The same for the same."""
    return f"{parts[0]}-{hashlib.sha256(chr(0).join(parts).encode()).hexdigest()[:32]}"


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
