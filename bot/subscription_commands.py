"""`subscribe` and `unsubscribe` on any platform: from what was typed to the sentences that answer it."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bot import wording_alerts as wording
from bot.messages import Actor
from bot.render.clean import one_line, shorten
from bot.seen_answers import SeenAnswer
from bot.subscribing import Subscribed, Subscribing
from bot.wording import region_name, source_name
from rag_core.errors import PolicyBotError, Rejected, Unavailable
from rag_core.questions import ScopeNote

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
    who is in it (`bot.wording_alerts`)."""

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
