"""Delivery of replies: one terminal message for each question, in the conversation or to the person who asked."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from adapters.slack.addresses import SlackAddress, slack_address
from adapters.slack.client import SlackClients, called
from adapters.slack.delivery.posting import Found, SlackPoster, find_reply
from adapters.slack.delivery.progress import SlackProgress
from adapters.slack.delivery.slash_replies import ResponseUrlPosts, ResponseUrlUses
from bot.access.pseudonyms import Pseudonyms
from bot.model.messages import Actor, InboundQuestion
from bot.model.outcomes import Outcome, Postponed, concerns_asker_alone
from bot.model.posted import KeepingPosted, MessagePlace, Posted, PostedMessages, Subject
from bot.model.tasks import Background
from bot.questions.delivery import DeliveryLog
from bot.questions.pace import channel_name
from bot.questions.withdrawal import AnswersTo
from bot.render.slack.view import SlackView
from rag_core.errors import Rejected, Unavailable


@dataclass(frozen=True, slots=True)
class AskerRoads:
    """Each raises Unavailable to be tried again."""

    clients: SlackClients
    urls: ResponseUrlPosts
    uses: ResponseUrlUses

    @classmethod
    def on(cls, clients: SlackClients, urls: ResponseUrlPosts, clock: Callable[[], datetime]) -> "AskerRoads":
        return cls(clients, urls, ResponseUrlUses(clock))

    async def by_response_url(
        self, question: InboundQuestion, address: SlackAddress, message: Mapping[str, Any], *, in_channel: bool
    ) -> bool:
        """False: there is none, or it is not alive any more."""
        if not self.uses.take(address.response_url, question.received_at):
            return False
        shown = {"response_type": "in_channel" if in_channel else "ephemeral", "replace_original": False}
        try:
            await self.urls.send(address.response_url, {**message, **shown}, question.question_id)
        except Rejected:
            return False
        return True

    async def ephemerally(self, address: SlackAddress, message: Mapping[str, Any]) -> bool:
        """False: the asker or the bot is not in the channel, or nobody may write there."""
        client = await self.clients.of(address.team, address.enterprise)
        thread: dict[str, Any] = {"thread_ts": address.thread} if address.thread else {}
        shown = {name: each for name, each in message.items() if name in ("text", "blocks")}
        try:
            await called(client.chat_postEphemeral(channel=address.channel, user=address.user, **shown, **thread))
        except Rejected:
            return False
        return True

    async def direct_channel(self, address: SlackAddress) -> str:
        """The conversation of the bot and the asker alone. Raises Rejected where they may have none."""
        client = await self.clients.of(address.team, address.enterprise)
        answer = await called(client.conversations_open(users=[address.user]))
        channel = answer.get("channel")
        found = channel.get("id") if isinstance(channel, Mapping) else None
        if not isinstance(found, str) or not found:
            raise Rejected("slack_refused", error="no_channel")
        return found


Render = Callable[[InboundQuestion, str, Outcome, SlackView], Awaitable[dict[str, object]]]
"""Question, answer id, outcome and how it is shown -> `text`, `blocks` and `metadata`."""

_NOT_HERE = frozenset({"slack_not_in_channel", "slack_channel_closed", "slack_not_installed"})
_GONE = "message_not_found"
_CLOCKS = timedelta(minutes=2)
"""By so much Slack's clock and ours may differ."""


@dataclass(frozen=True, slots=True)
class _Reply:
    question: InboundQuestion
    answer_id: str
    outcome: Outcome
    address: SlackAddress
    was_sending: bool

    @property
    def question_id(self) -> str:
        return self.question.question_id

    @property
    def since(self) -> str:
        """Nothing that answers it is older, as Slack writes moments."""
        return self.address.asked_in or f"{(self.question.received_at - _CLOCKS).timestamp():.6f}"


@dataclass(frozen=True, slots=True)
class SlackMessageSink:
    """ReplySink of `adapters.slack.addresses.MESSAGE`.

    What may double: a message that Slack took, and whose answer was lost, where Slack does not let us look (a channel
    that we cannot read, ephemeral messages, `response_url`s). Raises Unavailable as `SlackPoster`; Rejected
    `slack_not_in_channel`, `slack_channel_closed` and `slack_not_installed` where no other road is left, else
    `slack_refused`.
    """

    clients: SlackClients
    poster: SlackPoster
    roads: AskerRoads
    progress: SlackProgress
    posted: PostedMessages
    pseudonyms: Pseudonyms
    render: Render
    log: DeliveryLog
    tasks: Background
    clock: Callable[[], datetime]
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep

    async def send(
        self, question: InboundQuestion, answer_id: str, outcome: Outcome, *, was_sending: bool = False
    ) -> None:
        address = slack_address(question.reply_address)
        begun = await self.progress.settled(question.question_id)
        reply = _Reply(question, answer_id, outcome, address, was_sending or not begun.is_sure)
        if address.to_asker or (concerns_asker_alone(outcome) and not begun.ts):
            await self._to_asker(reply)
        else:
            await self._in_channel(reply, begun.ts)

    async def _in_channel(self, reply: _Reply, begun: str) -> None:
        try:
            if not await (self._ended(reply, begun) if begun else self._is_there(reply)):
                await self._post(reply)
        except Rejected as exc:
            if exc.code not in _NOT_HERE:
                raise
            await self._elsewhere(reply, exc)

    async def _ended(self, reply: _Reply, begun: str) -> bool:
        """The message that has grown so far becomes the reply. False: it cannot, and is gone."""
        place = self._place(reply.address, begun, reply.address.thread or reply.address.asked_in)
        if await self._replace(reply, place, "stream"):
            return True
        client = await self.clients.of(reply.address.team, reply.address.enterprise)
        await called(client.chat_delete(channel=place.channel, ts=begun))
        await self._keeping.forget(place)
        return False

    async def _is_there(self, reply: _Reply) -> bool:
        """The answer before an edit, or what an earlier attempt has posted of this one, is made this answer."""
        before = await self._edited(reply) if reply.address.edits else await self._known(reply)
        if before is not None and await self._replace(reply, before, "update"):
            return True
        found = await self._look(reply) if reply.was_sending else None
        if found is None:
            return False
        return await self._settle(reply, found)

    async def _edited(self, reply: _Reply) -> MessagePlace | None:
        address = reply.address
        found = await self.posted.answering("slack", address.team, address.channel, address.asked_in)
        return found.place if found else None

    async def _known(self, reply: _Reply) -> MessagePlace | None:
        if not reply.was_sending:
            return None
        for each in await self.posted.of_subject(Subject.ANSWER, reply.answer_id):
            if (each.place.platform, each.place.workspace) == ("slack", reply.address.team):
                self.log.reconciled(reply.question_id, True)
                return each.place
        return None

    async def _look(self, reply: _Reply, channel: str = "") -> Found | None:
        address = reply.address
        client = await self.clients.of(address.team, address.enterprise)
        thread = "" if channel else address.thread
        found = await find_reply(client, channel or address.channel, thread, reply.since, reply.answer_id)
        self.log.reconciled(reply.question_id, found is not None)
        return found

    async def _settle(self, reply: _Reply, found: Found) -> bool:
        """What was found is the answer, or becomes it. False: it is not ours to change."""
        place = self._place(reply.address, found.ts)
        if found.is_whole:
            await self._save(reply, place)
            return True
        return await self._replace(reply, place, "update")

    async def _replace(self, reply: _Reply, place: MessagePlace, road: str) -> bool:
        """The message is this reply now, or nobody wants it any more. False: Slack does not let us change it."""
        client = await self.clients.of(reply.address.team, reply.address.enterprise)
        message = await self._rendered(reply, self._view(reply))
        try:
            if road == "stream":
                await self.poster.stop(client, place.channel, place.message)
            await self.poster.update(client, place.channel, place.message, message, reply.question_id)
        except Rejected as exc:
            if exc.details.get("error") == _GONE:  # somebody deleted it: it does not come back
                await self._keeping.forget(place)
                return True
            if exc.code in _NOT_HERE:
                raise
            return False
        if not isinstance(reply.outcome, Postponed):
            await self._save(reply, place)
        self.log.delivered(reply.question_id, road)
        return True

    async def _post(self, reply: _Reply, channel: str = "") -> None:
        """In the channel, or in another one: the direct message with the asker."""
        address = reply.address
        client = await self.clients.of(address.team, address.enterprise)
        to, thread = channel or address.channel, "" if channel else address.thread
        message = {**await self._rendered(reply, self._view(reply)), "channel": to}
        message |= {"thread_ts": thread} if thread else {}
        name = channel_name(replace(address, channel=to).conversation)
        sent = await self.poster.post(client, name, message, reply.question_id, lambda: self._look(reply, channel))
        if isinstance(sent, Found):
            await self._settle(reply, sent)
            return
        if thread and not channel:
            self.progress.posted_in_thread(reply.question_id)
        ts = str(sent.get("ts") or "")
        await self._save(reply, MessagePlace("slack", address.team, str(sent.get("channel") or to), ts, thread or ts))
        self.log.delivered(reply.question_id, "direct" if channel else "channel")

    async def _elsewhere(self, reply: _Reply, refused: Rejected) -> None:
        """Where it was asked the bot cannot post. Raises `refused` where the asker cannot be reached, either."""
        in_channel = refused.code == "slack_not_in_channel"
        view = replace(self._view(reply), is_threaded=False)
        message = await self._rendered(reply, view)
        if await self.roads.by_response_url(reply.question, reply.address, message, in_channel=in_channel):
            self.log.fell_back(reply.question_id, refused.code, "response_url")
            return
        try:
            await self._directly(reply)
        except Rejected as exc:
            raise refused from exc
        self.log.fell_back(reply.question_id, refused.code, "direct")

    async def _to_asker(self, reply: _Reply) -> None:
        message = await self._rendered(reply, self._view(reply))
        if await self.roads.by_response_url(reply.question, reply.address, message, in_channel=False):
            self.log.delivered(reply.question_id, "response_url")
        elif await self.roads.ephemerally(reply.address, message):
            self.log.delivered(reply.question_id, "ephemeral")
        else:
            await self._directly(reply)

    async def _directly(self, reply: _Reply) -> None:
        channel = await self.roads.direct_channel(reply.address)
        found = await self._look(reply, channel) if reply.was_sending else None
        if found is None:
            await self._post(reply, channel)

    def _view(self, reply: _Reply) -> SlackView:
        address = reply.address
        return SlackView(
            with_question=not address.asked_in,
            is_private=address.to_asker,
            shared_by=address.shared_by,
            shared_chunks=tuple(address.shared_chunks.split()),
        )

    async def _rendered(self, reply: _Reply, view: SlackView) -> dict[str, Any]:
        rendered = await self.render(reply.question, reply.answer_id, reply.outcome, view)
        return {**rendered, "unfurl_links": False, "unfurl_media": False}

    def _place(self, address: SlackAddress, ts: str, thread: str = "") -> MessagePlace:
        return MessagePlace("slack", address.team, address.channel, ts, thread or address.thread or ts)

    async def _save(self, reply: _Reply, place: MessagePlace) -> None:
        """Who dies before that finds it again in Slack."""
        person, now = self.pseudonyms.of(reply.question.actor), self.clock()
        posted = Posted(place, Subject.ANSWER, reply.answer_id, now, reply.address.asked_in, person)
        await self._keeping.keep(posted)

    @property
    def _keeping(self) -> KeepingPosted:
        return KeepingPosted(self.posted, self.tasks, self.sleep)


_MOST_REPLIES = 200


@dataclass(frozen=True, slots=True)
class Withdrawing:
    """For `SlackParts.withdraw`. Raises Unavailable, Rejected as `called`."""

    clients: SlackClients
    posted: PostedMessages
    pseudonyms: Pseudonyms
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep

    async def withdraw(self, team: str, channel: str, ts: str, enterprise: str = "") -> bool:
        """Whether an answer to the message `ts` was removed. Where it cannot be known who replied, it stays."""
        answer = await AnswersTo(self.posted, self.sleep).find("slack", team, channel, ts)
        if answer is None or await self._is_gone_on_with(answer, enterprise):
            return False
        client = await self.clients.of(team, enterprise)
        try:
            await called(client.chat_delete(channel=channel, ts=answer.place.message))
        except Rejected as exc:
            if exc.details.get("error") != "message_not_found":
                raise
        await self.posted.remove(answer.place)
        return True

    async def _is_gone_on_with(self, answer: Posted, enterprise: str) -> bool:
        place = answer.place
        ours = await self.posted.in_thread("slack", place.workspace, place.channel, place.thread)
        if any(each.person != answer.person and _after(each.place.message, place.message) for each in ours):
            return True  # somebody else asked on there
        client = await self.clients.of(place.workspace, enterprise)
        try:
            found = await called(
                client.conversations_replies(
                    channel=place.channel, ts=place.thread, oldest=place.message, limit=_MOST_REPLIES
                )
            )
        except Rejected as exc:
            # without a thread nobody can have replied; anything else is unknown
            return exc.details.get("error") != "thread_not_found"
        except Unavailable:
            return True
        if found.get("has_more"):
            return True
        messages = found.get("messages")
        known = {each.place.message for each in ours}
        return any(self._is_others(each, answer, known) for each in (messages if isinstance(messages, list) else []))

    def _is_others(self, message: Any, answer: Posted, ours: set[str]) -> bool:
        """Neither ours nor the asker's, and after the answer."""
        if not isinstance(message, Mapping):
            return False
        ts, user = str(message.get("ts") or ""), str(message.get("user") or "")
        if ts in ours or not _after(ts, answer.place.message):
            return False
        asker = Actor("slack", answer.place.workspace, user)
        return not user or self.pseudonyms.of(asker) != answer.person


def _after(ts: str, other: str) -> bool:
    try:
        return float(ts) > float(other)
    except ValueError:
        return True
