"""Notices in Teams: rendered by kind, signed for their conversation, sent once."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime

from adapters.teams.addresses import PLATFORM, TeamsReference, channel_of
from adapters.teams.conversations import message_id, reference_in, reference_of
from adapters.teams.delivery.signed_cards import signed_card
from adapters.teams.parts import Names
from adapters.teams.ports import TeamsDirectory, TeamsOutbound
from adapters.teams.settings import GUID
from bot.access.signing import Signing
from bot.model.channels import KnownConversations
from bot.model.messages import Conversation
from bot.model.notices import TURN_SECONDS, Notice, NoticeKind, NoticeLease, Renderer, subject_of
from bot.model.posted import MessagePlace, Posted, PostedMessages, Subject
from bot.questions.pace import PostingPace, PostingTurns, channel_name
from bot.render.teams.people import PERSON
from bot.render.teams.text import shortened
from bot.wording.teams import SOMEBODY
from rag_core.errors import Rejected, Unavailable

SECONDS = 1.0
_LONGEST = 80


class NamesInTeams:
    """`Names` by the connector."""

    def __init__(self, directory: TeamsDirectory, known: KnownConversations) -> None:
        self._directory = directory
        self._known = known

    async def of(self, tenant: str, person: str, channel: str) -> str:
        try:
            async with asyncio.timeout(SECONDS):
                to = await reference_in(self._known, tenant, channel)
                member = await self._directory.member(to, person) if to is not None and person else None
        except (Unavailable, Rejected, TimeoutError):
            return ""
        return member.name if member is not None else ""


async def named(message: Mapping[str, object], names: Names, tenant: str) -> dict[str, object]:
    """`message` with names in the places of the people in it (`bot.render.teams.people.person`), escaped."""
    wanted = sorted(_people(message))
    found = await asyncio.gather(*(names.of(tenant, *each) for each in wanted))
    shown = {each: shortened(name, _LONGEST) or SOMEBODY for each, name in zip(wanted, found, strict=True)}
    return {key: _with(value, shown) for key, value in message.items()}


async def name_of(names: Names, tenant: str, person: str, channel: str) -> str:
    """For a sentence: never empty."""
    return await names.of(tenant, person, channel) or SOMEBODY


def _people(value: object) -> set[tuple[str, str]]:
    if isinstance(value, str):
        return {(each[1], each[2]) for each in PERSON.finditer(value)}
    if isinstance(value, Mapping):
        return set().union(*map(_people, value.values()))
    return set().union(*map(_people, value)) if isinstance(value, list | tuple) else set()


def _with(value: object, shown: Mapping[tuple[str, str], str]) -> object:
    if isinstance(value, str):
        return PERSON.sub(lambda each: shown[each[1], each[2]], value)
    if isinstance(value, Mapping):
        return {key: _with(each, shown) for key, each in value.items()}
    return [_with(each, shown) for each in value] if isinstance(value, list | tuple) else value


EVERY = 1.0
"""Seconds between two messages in a conversation; Teams takes 7 a second, but only 60 in 30 of them."""

_CLOSED = "teams_channel_closed"


class TeamsNoticeSink:
    """NoticeSink. A kind joins by a line in `renderers`.

    What a worker that died may have sent is looked for in `posted`, since a bot cannot search Teams: a message that
    Teams took and of which nothing was written down is sent once more, and stands there twice. Nothing is lost for it.

    A conversation that is closed to the bot (403, 404) is not known any more; who queued hears of it by the code.
    """

    def __init__(
        self,
        outbound: TeamsOutbound,
        renderers: Mapping[NoticeKind, Renderer],
        posted: PostedMessages,
        known: KnownConversations,
        names: Names,
        signing: Signing,
        pace: PostingPace,
        now: Callable[[], datetime],
        *,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._outbound = outbound
        self._renderers = renderers
        self._posted = posted
        self._known = known
        self._names = names
        self._signing = signing
        self._turns = PostingTurns(pace, EVERY, TURN_SECONDS, "teams_pacing", sleep)
        self._now = now
        self._unsaved: dict[str, Posted] = {}

    async def send(self, lease: NoticeLease) -> None:
        notice_id = lease.notice.notice_id
        made = self._unsaved.get(notice_id) or await self._sent(lease)
        if made is None:
            return
        self._unsaved[notice_id] = made  # until it is written down: it must not be sent again for that
        await self._posted.save(made)
        del self._unsaved[notice_id]

    async def _sent(self, lease: NoticeLease) -> Posted | None:
        """What is to be written down; None where there is nothing to say, or where it stands already."""
        notice = lease.notice
        render = self._renderers.get(notice.kind)
        if render is None:
            raise Rejected("notice_kind_unknown", kind=notice.kind.value)
        try:
            to = await self._reference(notice)
            if lease.was_sending and await self._is_there(notice, to):
                return None
            message = await render(notice)
            if message is None:
                return None
            shown = signed_card(await named(message, self._names, notice.workspace), self._signing, to.signed_for)
            await self._turn(to)
        except Unavailable as exc:  # nothing was sent by now: whoever tries again need not look for it
            raise Unavailable(exc.code, **{**exc.details, "delivered": "no"}) from exc
        return self._made(notice, to, await self._taken(notice, to, shown))

    async def _taken(self, notice: Notice, to: TeamsReference, shown: Mapping[str, object]) -> str:
        try:
            return await self._outbound.send(to, shown)
        except Rejected as exc:
            if exc.code == _CLOSED:
                await self._known.remove(PLATFORM, notice.workspace, _channel(notice, to))
            raise

    async def _reference(self, notice: Notice) -> TeamsReference:
        """Of a person: his own conversation with the bot, opened if need be. Raises Rejected("teams_channel_closed")
        where the bot is not (any more)."""
        if GUID.fullmatch(notice.channel) is None:
            found = await reference_in(self._known, notice.workspace, notice.channel, notice.thread)
        else:
            found = await self._of_person(notice)
        if found is None:
            raise Rejected(_CLOSED)
        return found

    async def _of_person(self, notice: Notice) -> TeamsReference | None:
        own = await self._known.of_person(PLATFORM, notice.workspace, notice.channel)
        if own is not None:
            return reference_of(own)
        via = await reference_in(self._known, notice.workspace, str(notice.content.get("via", "")))
        return await self._outbound.resume(via, notice.channel) if via is not None else None

    async def _is_there(self, notice: Notice, to: TeamsReference) -> bool:
        posted, channel = await self._posted.of_subject(*_subject(notice)), _channel(notice, to)
        return any((each.place.channel, each.asked_in) == (channel, notice.notice_id) for each in posted)

    async def _turn(self, to: TeamsReference) -> None:
        """One that is far away is not waited for, since a worker serves many channels."""
        await self._turns.wait(channel_name(Conversation(PLATFORM, to.tenant, channel_of(to.conversation))))

    def _made(self, notice: Notice, to: TeamsReference, id_: str) -> Posted:
        """By the notice's id it is found again, whatever it is about."""
        message = message_id(id_, notice.notice_id)
        place = MessagePlace(PLATFORM, notice.workspace, _channel(notice, to), message, notice.thread or message)
        return Posted(place, *_subject(notice), self._now(), asked_in=notice.notice_id)


def _subject(notice: Notice) -> tuple[Subject, str]:
    return subject_of(notice) or (Subject.ALERT, notice.notice_id)


def _channel(notice: Notice, to: TeamsReference) -> str:
    """As everything else names it: of a person, his conversation with the bot."""
    return notice.channel if GUID.fullmatch(notice.channel) is None else channel_of(to.conversation)
