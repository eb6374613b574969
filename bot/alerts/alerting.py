"""Policy changes as notices for subscribed channels: each once, whatever process dies.

One round reads the changes behind each subscription's cursor and, in one transaction, queues the notices and moves the
cursors. Besides, a notice's id is made of the channel and of what changed, so that queueing it again does nothing.

At once: a source's changes come one by one, unless there are more than `AlertPace.most_single` of them in one run (a
first ingest, a re-chunk): then they are one message with a list. A run has ended when nothing was recorded for
`settle` seconds, or when its first change is `longest_settle` seconds old. Digests are due at a set hour (UTC), weekly
ones on Mondays; what another subscription of the channel tells earlier is left out of them.
"""

import asyncio
import hashlib
import json
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Protocol

from bot.alerts.changes import Spot, needs_spots, wanted_part
from bot.model.notices import Notice, NoticeKind
from bot.model.subscriptions import Rhythm, Subscription
from rag_core.errors import PolicyBotError, Unavailable
from rag_core.policy_changes import ChangeKind, PolicyChange

WORK = "alerting"
_MONDAY = 0


@dataclass(frozen=True, slots=True)
class Seen:
    """A recorded change. `first_id`: the id under which the same was recorded first, this one's or an older one's."""

    change: PolicyChange
    first_id: int
    recorded_at: datetime
    fingerprint: str


@dataclass(frozen=True, slots=True)
class Following:
    """A subscription with until when its digests have told."""

    subscription: Subscription
    looked_at: datetime


@dataclass(frozen=True, slots=True)
class Pulse:
    """The last change there is, when it was recorded, and when the first one behind a cursor was."""

    last_id: int
    last_at: datetime
    first_at: datetime


class AlertBook(Protocol):
    """What alerting reads and writes. It sees every change, whoever may see it: nothing of a change leaves it but its
    id. Raises Unavailable."""

    async def mark(self, limit: int) -> int:
        """Notes what newly recorded changes say, so that one that is recorded anew is known again; how many. 0: all are
        marked."""
        ...

    async def followings(self) -> tuple[Following, ...]: ...

    async def pulse(self, after: int) -> Pulse | None:
        """Of the marked ones; None where there is none behind `after`."""
        ...

    async def changes(
        self, after: int, until: int, limit: int, spots: bool
    ) -> tuple[tuple[Seen, tuple[Spot, ...]], ...]:
        """Those of (after, until] in the order of their ids, with their passages if `spots`."""
        ...

    async def tell(self, notices: Sequence[Notice], moved: Mapping[str, int], looked_at: datetime | None) -> None:
        """Queues them and moves cursors (subscription_id -> change_id), never back: both or neither."""
        ...


class Leader(Protocol):
    """One process at a time: see `ingest.ports.LeaderLease`."""

    def hold(self, work: str, wait_seconds: float) -> AbstractAsyncContextManager[bool]: ...


class AlertLog(Protocol):
    """What an operator hears of."""

    def alerts_queued(self, notices: int, changes: int) -> None: ...

    def unavailable(self, question_id: str, error: PolicyBotError, attempt: int) -> None: ...

    def unexpected(self, question_id: str, error: BaseException) -> None: ...


@dataclass(frozen=True, slots=True)
class AlertPace:
    """Seconds, but for `digest_hour` (UTC) and `page`: changes read at once."""

    every: float = 5.0
    settle: float = 60.0
    longest_settle: float = 15 * 60.0
    digest_hour: int = 8
    most_single: int = 5
    page: int = 500


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A change for one channel, with the subscriptions that want it."""

    seen: Seen
    subscriptions: tuple[str, ...]


class Alerting:
    """One round at a time; several at once would queue the same notices, which does nothing."""

    def __init__(
        self, book: AlertBook, now: Callable[[], datetime], log: AlertLog, pace: AlertPace | None = None
    ) -> None:
        self._book = book
        self._now = now
        self._log = log
        self._pace = pace or AlertPace()

    async def round(self) -> int:
        """How many notices were queued. Raises Unavailable; the next round goes on."""
        while await self._book.mark(self._pace.page):
            pass
        followings = await self._book.followings()
        at_once = [each.subscription for each in followings if each.subscription.rhythm is Rhythm.AT_ONCE]
        return await self._at_once(at_once) + await self._digests(followings)

    async def _at_once(self, following: Sequence[Subscription]) -> int:
        if not following:
            return 0
        after, queued = min(each.cursor for each in following), 0
        pulse = await self._book.pulse(after)
        if pulse is None or not self._has_settled(pulse):
            return 0
        spots = any(needs_spots(each.filters) for each in following)
        while page := await self._book.changes(after, pulse.last_id, self._pace.page, spots):
            notices = self._alerts(following, page)
            last = page[-1][0].change.change_id
            await self._tell(notices, {each.subscription_id: last for each in following}, len(page))
            after, queued = last, queued + len(notices)
        return queued

    def _has_settled(self, pulse: Pulse) -> bool:
        now = self._now()
        quiet = now - pulse.last_at >= timedelta(seconds=self._pace.settle)
        return quiet or now - pulse.first_at >= timedelta(seconds=self._pace.longest_settle)

    def _alerts(self, following: Sequence[Subscription], page: Sequence[tuple[Seen, tuple[Spot, ...]]]) -> list[Notice]:
        found: list[Notice] = []
        for channel, theirs in _by_channel(following).items():
            by_source: defaultdict[str, list[_Wanted]] = defaultdict(list)
            for wanted in _wanted(theirs, page):
                by_source[wanted.seen.change.policy_source].append(wanted)
            for source, several in sorted(by_source.items()):
                found += self._of_source(channel, source, several)
        return found

    def _of_source(self, channel: "_Channel", source: str, several: Sequence[_Wanted]) -> list[Notice]:
        if len(several) > self._pace.most_single:
            told = [each.seen.fingerprint for each in several]
            return [self._notice(NoticeKind.DIGEST, channel, ("together", source, *told), several, "")]
        return [self._notice(NoticeKind.ALERT, channel, (each.seen.fingerprint,), [each], "") for each in several]

    async def _digests(self, followings: Sequence[Following]) -> int:
        queued = 0
        for rhythm in (Rhythm.DAILY, Rhythm.WEEKLY):
            due_at = last_due(rhythm, self._now(), self._pace.digest_hour)
            due = [each for each in followings if each.subscription.rhythm is rhythm and each.looked_at < due_at]
            if due:
                queued += await self._digest(rhythm, due_at, [each.subscription for each in due], followings)
        return queued

    async def _digest(
        self, rhythm: Rhythm, due_at: datetime, due: Sequence[Subscription], everybody: Sequence[Following]
    ) -> int:
        after, last = min(each.cursor for each in due), 0
        told: defaultdict[_Channel, list[_Wanted]] = defaultdict(list)
        pulse = await self._book.pulse(after)
        until = pulse.last_id if pulse else after
        others = _by_channel([each.subscription for each in everybody if _is_earlier(each.subscription.rhythm, rhythm)])
        spots = any(needs_spots(each.subscription.filters) for each in everybody)
        while page := await self._book.changes(after, until, self._pace.page, spots):
            for channel, theirs in _by_channel(due).items():
                earlier = _told_by(others.get(channel, []), page)
                told[channel] += [each for each in _wanted(theirs, page) if each.seen.change.change_id not in earlier]
            after, last = page[-1][0].change.change_id, last + len(page)
        notices = [
            self._notice(NoticeKind.DIGEST, channel, (rhythm.value, due_at.isoformat()), several, rhythm.value)
            for channel, several in told.items()
            if several
        ]
        moved = {each.subscription_id: max(until, each.cursor) for each in due}
        await self._tell(notices, moved, last, looked_at=self._now())
        return len(notices)

    async def _tell(
        self, notices: Sequence[Notice], moved: Mapping[str, int], changes: int, looked_at: datetime | None = None
    ) -> None:
        await self._book.tell(notices, moved, looked_at)
        if notices:
            self._log.alerts_queued(len(notices), changes)

    def _notice(
        self, kind: NoticeKind, channel: "_Channel", about: Sequence[str], several: Sequence[_Wanted], rhythm: str
    ) -> Notice:
        platform, workspace, name = channel
        ids = dict.fromkeys(each for wanted in several for each in wanted.subscriptions)
        content = {
            "changes": in_ranges([each.seen.change.change_id for each in several]),
            "subscriptions": list(ids),
            "rhythm": rhythm,
        }
        told = json.dumps([kind.value, platform, workspace, name, *about])
        notice_id = hashlib.sha256(told.encode()).hexdigest()
        return Notice(notice_id, kind, platform, workspace, name, self._now(), content=content)


_Channel = tuple[str, str, str]


def fingerprint(document_id: str, doc_id: str, kind: ChangeKind, changed_on: date, sections: object) -> str:
    """Equal for rows that tell the same of the same versions: what a forced reading writes anew has another suffix, and
    the day may be corrected. `sections` as plain JSON. The same version may go twice, on two days."""
    on = changed_on.isoformat() if kind is ChangeKind.REMOVED else ""
    told = [document_id, _day_version(doc_id), kind.value, on, sections]
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()


def _day_version(doc_id: str) -> str:
    """Without the number that tells versions of one day apart."""
    name, _, number = doc_id.rpartition(".")
    return name if number.isdigit() and name else doc_id


def in_ranges(ids: Sequence[int]) -> list[list[int]]:
    """Sorted, as [first, last] of each run without a gap."""
    found: list[list[int]] = []
    for each in sorted(set(ids)):
        if found and found[-1][1] == each - 1:
            found[-1][1] = each
        else:
            found.append([each, each])
    return found


def last_due(rhythm: Rhythm, now: datetime, hour: int) -> datetime:
    """The last moment, `now` or before, at which a digest was due."""
    at = now.replace(hour=hour, minute=0, second=0, microsecond=0)
    if at > now:
        at -= timedelta(days=1)
    return at - timedelta(days=(at.weekday() - _MONDAY) % 7) if rhythm is Rhythm.WEEKLY else at


def _is_earlier(one: Rhythm, other: Rhythm) -> bool:
    order = (Rhythm.AT_ONCE, Rhythm.DAILY, Rhythm.WEEKLY)
    return order.index(one) < order.index(other)


def _by_channel(following: Sequence[Subscription]) -> dict[_Channel, list[Subscription]]:
    found: defaultdict[_Channel, list[Subscription]] = defaultdict(list)
    for each in following:
        found[each.platform, each.workspace, each.channel].append(each)
    return found


def _wanted(theirs: Sequence[Subscription], page: Sequence[tuple[Seen, tuple[Spot, ...]]]) -> list[_Wanted]:
    """Each change once, of those that say the same the first. Behind a cursor is what was first recorded behind it."""
    found: dict[str, _Wanted] = {}
    for seen, spots in page:
        if seen.change.kind is ChangeKind.FORMATTING:
            continue
        ids = tuple(
            each.subscription_id
            for each in theirs
            if seen.change.change_id > each.cursor
            and (seen.first_id > each.cursor)
            and wanted_part(seen.change, each.filters, spots) is not None
        )
        if ids:
            found.setdefault(seen.fingerprint, _Wanted(seen, ids))
    return list(found.values())


def _told_by(theirs: Sequence[Subscription], page: Sequence[tuple[Seen, tuple[Spot, ...]]]) -> set[int]:
    """The changes that these have told or will tell. One that began later than a change was recorded does not."""
    return {
        seen.change.change_id
        for seen, spots in page
        if any(
            each.since <= seen.recorded_at and wanted_part(seen.change, each.filters, spots) is not None
            for each in theirs
        )
    }


class AlertJob:
    """Beside each server; the lease lets one of them work at a time."""

    def __init__(self, alerting: Alerting, lease: Leader, log: AlertLog, pace: AlertPace | None = None) -> None:
        self._alerting = alerting
        self._lease = lease
        self._log = log
        self._pace = pace or AlertPace()

    async def run(self) -> None:
        """Until cancelled. Nothing that goes wrong ends it."""
        while True:
            try:
                await self.once()
            except Unavailable as exc:
                self._log.unavailable("-", exc, 0)
            except Exception as exc:  # noqa: BLE001 - told, and tried again
                self._log.unexpected("-", exc)
            await asyncio.sleep(self._pace.every)

    async def once(self) -> bool:
        """False where another process has the work. Raises Unavailable."""
        async with self._lease.hold(WORK, 0.0) as is_ours:
            if is_ours:
                await self._alerting.round()
        return is_ours
