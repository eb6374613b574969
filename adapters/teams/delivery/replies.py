"""Delivery of replies: one terminal message for each question in Teams."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Protocol

from adapters.teams.addresses import (
    PLATFORM,
    TeamsAddress,
    TeamsPlace,
    TeamsReference,
    conversation_of,
    teams_address,
    thread_of,
)
from adapters.teams.conversations import is_unnamed, message_id
from adapters.teams.delivery.posting import Find, TeamsPoster
from adapters.teams.delivery.progress import OVER, STREAMING, Begun, Over, TeamsProgress, last_part, over_of
from adapters.teams.delivery.sent import SentBefore, marked
from adapters.teams.ports import Activity, TeamsOutbound
from bot.access.pseudonyms import Pseudonyms
from bot.model.messages import InboundQuestion
from bot.model.outcomes import Outcome, Postponed
from bot.model.posted import KeepingPosted, MessagePlace, Posted, PostedMessages, Subject
from bot.questions.delivery import DeliveryLog
from bot.questions.withdrawal import AnswersTo
from bot.render.teams.view import TeamsView
from bot.wording.teams import answer_reference, too_long_for_teams
from rag_core.errors import PolicyBotError, Rejected, Unavailable

_log = logging.getLogger(__name__)

GONE, CLOSED = "teams_message_gone", "teams_channel_closed"
_TOO_BIG, _REFUSED = "teams_message_too_big", "teams_refused"
_SIZES = (20_000, 6_000)
"""Characters of the shorter forms, one after the other, of what Teams finds too big."""

_MOST_PLAIN = 4_000
_ENDED_AFTER = 125.0
"""Seconds after which Teams has ended every stream."""


class Render(Protocol):
    """An outcome as an activity. `characters`: of a shorter form, all of the activity; None for as many as Teams takes.
    `begun`: what its text begins with."""

    async def __call__(
        self,
        question: InboundQuestion,
        answer_id: str,
        outcome: Outcome,
        view: TeamsView,
        *,
        characters: int | None = None,
        begun: str = "",
    ) -> Activity: ...


@dataclass(frozen=True, slots=True)
class _Reply:
    question: InboundQuestion
    answer_id: str
    outcome: Outcome
    address: TeamsAddress
    was_sending: bool

    @property
    def question_id(self) -> str:
        return self.question.question_id

    @property
    def to(self) -> TeamsReference:
        """In a channel the thread of the question; of a new post the one that it begins."""
        address = self.address
        if address.place is not TeamsPlace.CHANNEL or not address.asked_in or thread_of(address.conversation_id):
            return address.reference
        return replace(address.reference, conversation=conversation_of(address.conversation_id, address.asked_in))

    @property
    def mark(self) -> str:
        """By which its message is found again; "" for what is still to come: the answer is not there with it."""
        return "" if isinstance(self.outcome, Postponed) else self.answer_id

    def place(self, id_: str) -> MessagePlace:
        where = self.address.conversation
        return MessagePlace(PLATFORM, where.workspace, where.channel, id_, where.thread or id_)


_Put = Callable[[Activity], Awaitable[str]]
"""Sends it; the id of the message that is there then."""


@dataclass(frozen=True, slots=True)
class TeamsReplySink:
    """ReplySink of `adapters.teams.addresses.MESSAGE`.

    A message that Teams took as a new one and that is not in `posted` yet (the answer to our request was lost, or the
    process died between it and the next statement) is looked for by `sent_before`, None where nobody can; each message
    carries a mark of its answer. What replaces a message, and the end of a stream, can be repeated.

    What may double all the same, as nothing may be lost: such a message in a personal chat, which cannot be read, and
    the first part of a stream there; where the team or group chat did not consent to being read; where Graph does not
    answer in time, knows the message only later (it shows what was written after a while) or has too much to read;
    where somebody deleted it in between.

    `closed`: told of a conversation in which the bot cannot speak any more. `web_page`: its address, "" for none.
    Raises Unavailable as TeamsPoster; Rejected `teams_channel_closed`, `teams_refused`, `teams_message_too_big`.
    """

    poster: TeamsPoster
    progress: TeamsProgress
    posted: PostedMessages
    keeping: KeepingPosted
    pseudonyms: Pseudonyms
    render: Render
    log: DeliveryLog
    clock: Callable[[], datetime]
    closed: Callable[[TeamsAddress], Awaitable[None]]
    sent_before: SentBefore | None = None
    web_page: str = ""

    async def send(
        self, question: InboundQuestion, answer_id: str, outcome: Outcome, *, was_sending: bool = False
    ) -> None:
        address = teams_address(question.reply_address)
        begun = await self.progress.settled(question.question_id)
        reply = _Reply(question, answer_id, outcome, address, was_sending)
        try:
            if begun.id:
                await self._end_stream(reply, begun)
            elif not await self._is_there(reply):
                await self._post(reply)
        except Rejected as exc:
            if exc.code == CLOSED:
                await self.closed(address)
            raise

    async def _is_there(self, reply: _Reply) -> bool:
        """What an earlier attempt has sent, the card that says that it is worked on, or the answer before an edit is
        this answer, or becomes it."""
        address = reply.address
        if address.working and await self._replace(reply, reply.place(address.working)):
            return True
        if reply.was_sending and await self._is_known(reply):
            return True
        if address.edits and await self._replaces_earlier(reply):
            return True
        return reply.was_sending and await self._is_found(reply)

    async def _replaces_earlier(self, reply: _Reply) -> bool:
        where = reply.address.conversation
        before = await self.posted.answering(PLATFORM, where.workspace, where.channel, reply.address.asked_in)
        if before is None or is_unnamed(before.place.message):  # what cannot be changed stays; this one comes below
            return False
        if before.person not in ("", self.pseudonyms.of(reply.question.actor)):
            return False
        return await self._replace(reply, before.place)

    async def _is_known(self, reply: _Reply) -> bool:
        where = reply.address.conversation
        known = [
            each.place
            for each in await self.posted.of_subject(Subject.ANSWER, reply.answer_id)
            if (each.place.platform, each.place.workspace, each.place.channel)
            == (PLATFORM, where.workspace, where.channel)
        ]
        if known:
            self.log.reconciled(reply.question_id, found=True)
        if known and all(each.thread == STREAMING for each in known):
            await self._end_stream(reply, Begun(known[-1].message))
        return bool(known)

    async def _is_found(self, reply: _Reply) -> bool:
        """It stands there, and whoever sent it did not live to write it down."""
        find = self._find(reply)
        id_ = await find() if find else ""
        self.log.reconciled(reply.question_id, found=bool(id_))
        if id_:  # who wrote there since the question may have read it
            await self._keep(reply, id_, reply.question.received_at)
        return bool(id_)

    def _find(self, reply: _Reply) -> Find | None:
        """None: nobody can look there."""
        address, looking = replace(reply.address, conversation_id=reply.to.conversation), self.sent_before
        if looking is None or not reply.mark or not looking.reads(address):
            return None
        return partial(looking.find, address, reply.mark, reply.question.received_at)

    async def _replace(self, reply: _Reply, place: MessagePlace) -> bool:
        """The message is this reply now, or nobody wants it any more. False: Teams does not let us change it."""

        async def put(activity: Activity) -> str:
            await self.poster.update(reply.to, place.message, activity, reply.question_id)
            return place.message

        try:
            await self._shrinking(reply, put)
        except Rejected as exc:
            if exc.code == GONE:  # somebody deleted it: it does not come back
                await self.keeping.forget(place)
                return True
            if exc.code == CLOSED:
                raise
            return False
        await self._done(reply, "update", place.message)
        return True

    async def _post(self, reply: _Reply) -> None:
        await self._shrinking(reply, partial(self._sent, reply, str(reply.address.place)))

    async def _sent(self, reply: _Reply, road: str, activity: Activity) -> str:
        """As a new message, kept as soon as Teams has said its id."""
        sent = partial(self._done, reply, road)
        answering, find = _answering(reply, activity), self._find(reply)
        return await self.poster.send(reply.to, answering, reply.question_id, sent=sent, find=find)

    async def _end_stream(self, reply: _Reply, begun: Begun) -> None:
        """The whole answer is the last part of the stream; of one that is over, it takes its place or comes below."""

        shown = f"{begun.text}\n\n" if begun.text else ""

        async def put(activity: Activity) -> str:
            alone = {**activity, "text": str(activity["text"]).removeprefix(shown)} if shown else activity
            over = begun.over
            if over is Over.NOT:
                over = await self._last_part(reply, begun.id, activity)
            if over is Over.NOT and shown:
                await self._tidy(reply, begun.id, alone)
            if over is Over.NOT or await self._takes_its_place(reply, begun.id, alone, over):
                return begun.id
            return await self._sent(reply, "message", alone)

        id_ = await self._shrinking(reply, put, shown)
        if id_ == begun.id:
            await self._done(reply, "stream", id_)
        elif not isinstance(reply.outcome, Postponed):
            self.log.fell_back(reply.question_id, OVER, "message")
            self.keeping.tasks.start(self._clear(reply, begun.id), "clear a stream that was answered below")

    async def _clear(self, reply: _Reply, id_: str) -> None:
        """What was shown before the answer that stands below it says no more than that; Teams takes it away once the
        stream has ended."""
        await self.keeping.sleep(_ENDED_AFTER)
        try:
            await self.poster.delete(reply.to, id_)
        finally:
            await self.keeping.forget(reply.place(id_))

    async def _last_part(self, reply: _Reply, id_: str, activity: Activity) -> Over:
        """NOT: the message is there. Teams takes no end that does not begin with what was shown before."""
        try:
            await self.poster.send(reply.to, last_part(activity, id_), reply.question_id, is_same=True)
        except Rejected as exc:
            if exc.code not in (OVER, _REFUSED):
                raise
            return over_of(exc)
        return Over.NOT

    async def _tidy(self, reply: _Reply, id_: str, activity: Activity) -> None:
        """All of it is there; what was shown before goes, as the card says it. Where that fails it stays."""
        try:
            await self.poster.update(reply.to, id_, activity, reply.question_id)
        except PolicyBotError as exc:
            _log.warning("streamed text not taken away: code=%s question_id=%s", exc.code, reply.question_id)

    async def _takes_its_place(self, reply: _Reply, id_: str, activity: Activity, over: Over) -> bool:
        """What somebody stopped cannot be changed."""
        if over is Over.STOPPED:
            return False
        try:
            await self.poster.update(reply.to, id_, activity, reply.question_id)
        except Rejected as exc:
            if exc.code in (CLOSED, _TOO_BIG):
                raise
            return exc.code == GONE and over is Over.COMPLETED  # it was whole, and somebody deleted it
        return True

    async def _shrinking(self, reply: _Reply, put: _Put, begun: str = "") -> str:
        """Shorter and shorter, at last without a card: the answer gets there. Raises what `put` raises else."""
        for characters in (None, *_SIZES):
            activity = await self.render(
                reply.question, reply.answer_id, reply.outcome, self._view(reply), characters=characters, begun=begun
            )
            try:
                return await put(marked(activity, reply.mark) if reply.mark else activity)
            except Rejected as exc:
                if exc.code not in (_TOO_BIG, _REFUSED):
                    raise
                error = exc.details.get("error", "")
                _log.error("teams refused a reply: %s %s question_id=%s", exc.code, error, reply.question_id)
                if exc.code == _REFUSED:
                    break
        return await put(_words_alone(activity, self.web_page, reply.mark))

    def _view(self, reply: _Reply) -> TeamsView:
        address = reply.address
        return TeamsView(
            with_question=not address.asked_in,
            is_private=address.place is TeamsPlace.PERSONAL,
            shared_by=address.shared_by,
            shared_chunks=tuple(address.shared_chunks.split()),
        )

    async def _done(self, reply: _Reply, road: str, id_: str) -> None:
        """What is still to come is kept nowhere: else it would be taken for the answer."""
        self.log.delivered(reply.question_id, road)
        if not isinstance(reply.outcome, Postponed):
            await self._keep(reply, id_, self.clock())

    async def _keep(self, reply: _Reply, id_: str, at: datetime) -> None:
        person = self.pseudonyms.of(reply.question.actor)
        place, asked_in = reply.place(message_id(id_, reply.answer_id)), reply.address.asked_in
        await self.keeping.keep(Posted(place, Subject.ANSWER, reply.answer_id, at, asked_in, person))


def _answering(reply: _Reply, activity: Activity) -> Activity:
    asked_in = reply.address.asked_in
    return {**activity, "replyToId": asked_in} if asked_in else activity


def _words_alone(activity: Activity, web_page: str, mark: str) -> Activity:
    """Whole lines of the text, where to read on, and last which answer it is."""
    kept: list[str] = []
    for line in str(activity.get("text") or activity.get("summary") or "").splitlines():
        if sum(map(len, kept)) + len(line) > _MOST_PLAIN:
            break
        kept.append(line)
    reference = ["", answer_reference(mark)] if mark else []
    text = "\n".join([*kept, "", too_long_for_teams(web_page), *reference]).strip()
    return {"type": "message", "text": text, "textFormat": activity.get("textFormat") or "markdown"}


OthersReplied = Callable[[TeamsAddress, Posted], Awaitable[bool]]
"""Whether others than the asker wrote in the thread of an answer after it. Raises Unavailable, Rejected where that
cannot be known."""


@dataclass(frozen=True, slots=True)
class TeamsWithdrawing:
    """For `TeamsParts.withdraw`. `others_replied` None: nobody reads threads, so an answer in a channel stays. In a
    chat there are no threads; who answers there quotes, and keeps what he quotes."""

    outbound: TeamsOutbound
    posted: PostedMessages
    others_replied: OthersReplied | None = None
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep

    async def withdraw(self, address: TeamsAddress) -> bool:
        """Whether an answer to `asked_in` was removed. Where it cannot be known who replied, it stays."""
        where = address.conversation
        looking = AnswersTo(self.posted, self.sleep)
        answer = await looking.find(PLATFORM, where.workspace, where.channel, address.asked_in)
        if answer is None or is_unnamed(answer.place.message) or await self._is_gone_on_with(address, answer):
            return False
        try:
            await self.outbound.delete(address.reference, answer.place.message)
        except Rejected as exc:
            if exc.code != "teams_message_gone":
                raise
        await self.posted.remove(answer.place)
        return True

    async def _is_gone_on_with(self, address: TeamsAddress, answer: Posted) -> bool:
        if address.place is not TeamsPlace.CHANNEL:
            return False
        place = answer.place
        ours = await self.posted.in_thread(PLATFORM, place.workspace, place.channel, place.thread)
        if any(each.person != answer.person and each.posted_at > answer.posted_at for each in ours):
            return True  # somebody else asked on there
        if self.others_replied is None:
            return True
        try:
            return await self.others_replied(address, answer)
        except (Unavailable, Rejected):
            return True
