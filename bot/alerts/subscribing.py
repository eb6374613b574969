"""`subscribe [daily|weekly] [places, platforms, topics]` and `unsubscribe`, on any platform.

Any member of a channel may subscribe it and end its subscriptions, for what is told is what everybody there may see;
who did is said in the channel and on record.
"""

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from bot.alerts.changes import Audiences
from bot.answers.again import question_of, scope_of
from bot.answers.seen import SeenAnswer
from bot.model.messages import Actor, Conversation
from bot.model.subscriptions import Rhythm, Subscription, Subscriptions
from bot.model.visible import one_line, shorten
from bot.wording import alerts as wording
from bot.wording import region_name, source_name
from rag_core.documents import PolicySource
from rag_core.errors import PolicyBotError, Rejected, Unavailable
from rag_core.questions import Filters, NoteKind, ScopeNote
from rag_core.regions import GLOBAL
from rag_core.understanding.places import PlaceMention, find_places
from rag_core.understanding.platforms import SourceMention, find_sources
from rag_core.understanding.terms import blank_out, find_terms

MOST_IN_CHANNEL = 10
MOST_IN_WORKSPACE = 1_000
_MOST_CHARACTERS = 300
_RHYTHMS = {"daily": Rhythm.DAILY, "weekly": Rhythm.WEEKLY, "at once": Rhythm.AT_ONCE, "immediately": Rhythm.AT_ONCE}

_EVERYTHING = re.compile(
    r"(?:(?:to|about|of|any|all|every|the)?\s*(?:policy|policies|rules?|all|everything|changes?|alerts?|updates?|news)\s*)+",
    re.IGNORECASE,
)
"""What may be said for: every change."""

_SAYS_NOTHING = frozenset({GLOBAL, *"change changes changed alert alerts update updates news".split()})


@dataclass(frozen=True, slots=True)
class Wish:
    """What was typed, read. `unknown`: words that are none of what can be subscribed to; then nothing is. `notes`: how
    words were read that are no names."""

    rhythm: Rhythm
    filters: Filters
    unknown: tuple[str, ...] = ()
    notes: tuple[ScopeNote, ...] = ()


@dataclass(frozen=True, slots=True)
class Subscribed:
    """`is_new` False: the channel had this one; its rhythm is now the one asked for."""

    wish: Wish
    is_new: bool


class Sources(Protocol):
    """`rag_core.ports.PolicyStore`."""

    async def sources(self, groups: frozenset[str]) -> list[PolicySource]: ...


class Subscribing:
    """Raises Unavailable."""

    def __init__(
        self,
        subscriptions: Subscriptions,
        sources: Sources,
        audiences: Audiences,
        *,
        now: Callable[[], datetime],
        new_id: Callable[[], str],
    ) -> None:
        self._subscriptions = subscriptions
        self._sources = sources
        self._audiences = audiences
        self._now = now
        self._new_id = new_id

    async def subscribe(self, actor: Actor, channel: str, wanted: str, rhythm: str = "") -> Subscribed:
        """Raises Rejected: `unknown_words` (`words`), `too_many_subscriptions`, `workspace_full`
        (`most`). Platforms are known by the documents that everybody in the channel may see."""
        place = Conversation(actor.platform, actor.workspace, channel)
        audience = await self._audiences.everyone(place)
        wish = read_wish(f"{rhythm} {wanted}", await self._sources.sources(audience.groups))
        if wish.unknown:
            raise Rejected("unknown_words", words=wish.unknown)
        return await self._begun(actor, place, wish)

    async def subscribe_to(self, actor: Actor, channel: str, about: SeenAnswer) -> Subscribed:
        """To changes of what an answer is about: its platforms, places and topics, as everybody in the channel may know
        them. Raises Rejected: `nothing_to_follow` where that is nothing, and as `subscribe`."""
        place = Conversation(actor.platform, actor.workspace, channel)
        audience = await self._audiences.everyone(place)
        filters = topics_of(about, await self._sources.sources(audience.groups))
        if filters == Filters():
            raise Rejected("nothing_to_follow")
        return await self._begun(actor, place, Wish(Rhythm.AT_ONCE, filters))

    async def _begun(self, actor: Actor, place: Conversation, wish: Wish) -> Subscribed:
        channel = place.channel
        await self._check_limits(place, wish)
        subscription = Subscription(
            self._new_id(), actor.platform, actor.workspace, channel, wish.rhythm, actor.person, self._now(), 0,
            wish.filters,
        )  # fmt: skip
        return Subscribed(wish, await self._subscriptions.begin(subscription))

    async def unsubscribe(self, actor: Actor, channel: str, subscription_ids: Sequence[str] = ()) -> int:
        """All of the channel, or these of it; how many. Ids of other channels do nothing."""
        place = (actor.platform, actor.workspace, channel, actor.person)
        if not subscription_ids:
            return await self._subscriptions.end(*place)
        return sum([await self._subscriptions.end(*place, each) for each in dict.fromkeys(subscription_ids)])

    async def of_channel(self, actor: Actor, channel: str) -> tuple[Subscription, ...]:
        return await self._subscriptions.of_channel(actor.platform, actor.workspace, channel)

    async def _check_limits(self, place: Conversation, wish: Wish) -> None:
        theirs = await self._subscriptions.of_channel(place.platform, place.workspace, place.channel)
        if any(each.filters == wish.filters for each in theirs):
            return
        if len(theirs) >= MOST_IN_CHANNEL:
            raise Rejected("too_many_subscriptions", most=MOST_IN_CHANNEL)
        if len(await self._subscriptions.of_workspace(place.platform, place.workspace)) >= MOST_IN_WORKSPACE:
            raise Rejected("workspace_full", most=MOST_IN_WORKSPACE)


def read_wish(text: str, sources: Sequence[PolicySource]) -> Wish:
    """What is wanted, by the same reading of places and platforms as questions have."""
    rhythm, rest = _rhythm(" ".join(text[:_MOST_CHARACTERS].split()))
    platforms = find_sources(rest, sources)
    rest_of = blank_out(rest, [(each.start, each.end) for each in platforms])
    places = list(find_places(rest_of))
    settled = [each for each in places if each.kind is not NoteKind.UNCLEAR_PLACE]
    unclear = [rest[each.start : each.end] for each in places if each.kind is NoteKind.UNCLEAR_PLACE]
    terms = find_terms(blank_out(rest_of, [(each.start, each.end) for each in places]))
    is_global = any(each.term.text.lower() == GLOBAL for each in terms)
    terms = [each for each in terms if each.term.text.lower() not in _SAYS_NOTHING]
    regions = tuple(dict.fromkeys(code for each in settled for code in each.codes))
    filters = Filters(
        policy_sources=tuple(sorted({each.slug for each in platforms})),
        regions=tuple(sorted({*regions, *({GLOBAL} if is_global else ())})),
        sections=tuple(sorted({each.term.text.lower() for each in terms if each.is_of_the_trade})),
    )
    is_nothing = not (platforms or settled or terms or is_global)
    if is_nothing and rest and not _EVERYTHING.fullmatch(rest):  # "it" is no wish for everything
        return Wish(rhythm, filters, (rest,))
    unknown = [*unclear, *(each.term.text for each in terms if not each.is_of_the_trade)]
    return Wish(rhythm, filters, tuple(dict.fromkeys(unknown)), _notes(rest, platforms, settled))


def topics_of(seen: SeenAnswer, sources: Sequence[PolicySource]) -> Filters:
    """What an answer is about, of the platforms among `sources` alone: nothing where it is about others only. Raises
    Rejected("answer_unreadable")."""
    scope, known = scope_of(seen), {each.slug for each in sources}
    listed = seen.record.reply.get("citations")
    cited = [str(each.get("policy_source")) for each in listed] if isinstance(listed, list) else []
    platforms = set(scope.policy_sources or cited)
    if platforms and not platforms & known:
        return Filters()
    return Filters(
        policy_sources=tuple(sorted(platforms & known)),
        regions=tuple(sorted(scope.regions)),
        sections=read_wish(question_of(seen), sources).filters.sections,
    )


def _rhythm(text: str) -> tuple[Rhythm, str]:
    for word, rhythm in _RHYTHMS.items():
        if text.lower() == word or text.lower().startswith(f"{word} "):
            return rhythm, text[len(word) :].strip()
    return Rhythm.AT_ONCE, text


def _notes(text: str, platforms: Sequence[SourceMention], places: Sequence[PlaceMention]) -> tuple[ScopeNote, ...]:
    found: list[SourceMention | PlaceMention] = [*platforms, *places]
    return tuple(note for each in found if (note := each.note(text)) is not None)


WRITE_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class SubscriptionSaid:
    """`is_public`: what went well the whole channel reads, with who did it; the rest only he. In `lines` stands the
    mention of who did it, as it was given; `notes` in small print are plain text, and so are lines that are not
    public."""

    lines: tuple[str, ...]
    notes: tuple[str, ...] = ()
    is_public: bool = False


class SubscriptionCommands:
    """`hour`: of digests; `command`: how the platform's commands begin; `here`: what a channel, by its id, is called by
    who is in it (`bot.wording.alerts`)."""

    def __init__(
        self,
        subscribing: Subscribing,
        names: Mapping[str, str],
        hour: int,
        command: str,
        here: Callable[[str], str] = lambda _: wording.THIS_CHANNEL,
    ) -> None:
        self._subscribing = subscribing
        self._names = names
        self._hour = hour
        self._command = command
        self._here = here

    async def subscribe(self, actor: Actor, channel: str, wanted: str, mention: str) -> SubscriptionSaid:
        """`wanted`: what stands behind `subscribe`, with `daily` or `weekly` in front if that is wanted."""
        try:
            async with asyncio.timeout(WRITE_SECONDS):
                done = await self._subscribing.subscribe(actor, channel, wanted)
        except Rejected as exc:
            return SubscriptionSaid((self._why_not(exc, channel),))
        except (Unavailable, TimeoutError):
            return self.failed("subscribe")
        return self._begun(done, mention, self._here(channel))

    async def follow(self, actor: Actor, channel: str, about: SeenAnswer, mention: str) -> SubscriptionSaid:
        """By the button on an answer: to changes of what it is about."""
        try:
            async with asyncio.timeout(WRITE_SECONDS):
                done = await self._subscribing.subscribe_to(actor, channel, about)
        except Rejected as exc:
            return SubscriptionSaid((self._why_not(exc, channel),))
        except (Unavailable, TimeoutError):
            return self.failed("subscribe")
        return self._begun(done, mention, self._here(channel))

    async def unsubscribe(self, actor: Actor, channel: str, mention: str) -> SubscriptionSaid:
        """All of the channel."""
        try:
            async with asyncio.timeout(WRITE_SECONDS):
                ended = await self._subscribing.unsubscribe(actor, channel)
        except (Unavailable, TimeoutError):
            return self.failed("unsubscribe")
        if not ended:
            return self._nothing(channel)
        return SubscriptionSaid((wording.unsubscribed(mention, ended, self._here(channel)),), is_public=True)

    async def stop(self, actor: Actor, channel: str, subscription_ids: Sequence[str], mention: str) -> SubscriptionSaid:
        """By the button under an alert: these of the channel."""
        try:
            async with asyncio.timeout(WRITE_SECONDS):
                ended = await self._subscribing.unsubscribe(actor, channel, subscription_ids)
                left = len(await self._subscribing.of_channel(actor, channel))
        except (Unavailable, TimeoutError):
            return self.failed("unsubscribe")
        if not ended:
            return self._nothing(channel)
        return SubscriptionSaid((wording.unsubscribed_one(mention, left, self._here(channel)),), is_public=True)

    def failed(self, what: str) -> SubscriptionSaid:
        return SubscriptionSaid((wording.subscribing_failed(f"{self._command} {what}"),))

    def _nothing(self, channel: str) -> SubscriptionSaid:
        return SubscriptionSaid((wording.nothing_subscribed(self._command, self._here(channel)),))

    def _begun(self, done: Subscribed, mention: str, here: str) -> SubscriptionSaid:
        filters, rhythm = done.wish.filters, done.wish.rhythm
        if not done.is_new:
            changed = wording.rhythm_changed(mention, filters, rhythm, self._names, here)
            return SubscriptionSaid((changed,), is_public=True)
        confirmed = wording.subscribed(mention, filters, rhythm, self._hour, self._names, here)
        notes = tuple(self._note(each) for each in done.wish.notes)
        return SubscriptionSaid((confirmed, wording.subscribed_what(self._command, here)), notes, is_public=True)

    def _note(self, note: ScopeNote) -> str:
        names = self._names
        meant = [source_name(each, names) if each in names else region_name(each) for each in note.meant]
        return wording.understood_as(note.said, ", ".join(meant))

    def _why_not(self, error: PolicyBotError, channel: str) -> str:
        details = error.details
        if error.code == "unknown_words":
            words: Any = details.get("words", ())
            return wording.unknown_words([shorten(one_line(str(each)), 40) for each in words][:5], self._command)
        if error.code in ("nothing_to_follow", "answer_unreadable"):
            return wording.nothing_to_follow(self._command)
        most: Any = details.get("most", 0)
        if error.code == "too_many_subscriptions":
            return wording.too_many_subscriptions(most, self._command, self._here(channel))
        return wording.workspace_is_full(most)
