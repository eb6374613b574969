"""Send queued notices: in order in each channel, paced for each workspace, each once."""

import asyncio
import contextlib
import math
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from bot.model.notices import Notice, NoticeKind, NoticeLease, NoticeQueue, NoticeSink
from rag_core.errors import PolicyBotError, Rejected, Unavailable

_MOST_REMEMBERED = 10_000


@dataclass(frozen=True, slots=True)
class NoticePace:
    """Seconds, but for `workers`, of which `at_once` at most wait for one workspace, and `a_second`: messages to one
    workspace, of which `burst` may come at once (Slack: several hundred a minute, one a second in a channel). `lease`
    is longer than `send` and all that is written after it. What is `give_up` old is not sent any more."""

    workers: int = 4
    at_once: int = 2
    poll: float = 1.0
    send: float = 20.0
    lease: float = 120.0
    drain: float = 10.0
    retry: float = 5.0
    longest_retry: float = 300.0
    give_up: float = 72 * 3600.0
    most_failures: int = 8
    a_second: float = 4.0
    burst: float = 5.0
    in_channel: float = 1.0

    def backoff(self, attempt: int) -> float:
        """After try `attempt` (from 1)."""
        return float(min(self.retry * 2 ** min(attempt - 1, 16), self.longest_retry))


class NoticePacing:
    """Of this process: several together are kept in bounds by what the platform answers. `now`: monotonic seconds."""

    def __init__(self, pace: NoticePace, now: Callable[[], float]) -> None:
        self._pace = pace
        self._now = now
        self._tokens: dict[tuple[str, str], tuple[float, float]] = {}
        self._last_place: dict[tuple[str, str], float] = {}
        self._paused: dict[tuple[str, str], float] = {}
        self._channels: dict[tuple[str, str, str], float] = {}

    def wait(self, notice: Notice) -> float:
        """0: it may be sent now, and counts as sent. Else the seconds after which to come again: a place at the end of
        the row, so that each of many comes once more and not all at the same moment."""
        now, workspace = self._now(), (notice.platform, notice.workspace)
        channel = (*workspace, notice.channel)
        if (free_at := self._channels.get(channel, now)) > now:
            return free_at - now
        paused_until = self._paused.get(workspace, now)
        tokens = self._filled(workspace, now)
        if paused_until > now or tokens < 1:
            return self._place(workspace, max(paused_until, now)) - now
        self._tokens[workspace] = (tokens - 1, now)
        self._channels[channel] = now + self._pace.in_channel
        self._forget(now)
        return 0.0

    def later(self, notice: Notice) -> float:
        """Seconds until its place at the end of the row: enough of its workspace is being sent just now."""
        now = self._now()
        return self._place((notice.platform, notice.workspace), now) - now

    def pause(self, notice: Notice, seconds: float) -> None:
        """The platform asked for it: nothing is sent to the workspace meanwhile, and then not all at once."""
        workspace = (notice.platform, notice.workspace)
        until = self._now() + seconds
        self._paused[workspace] = max(until, self._paused.get(workspace, -math.inf))
        self._tokens[workspace] = (1.0, until)

    def _filled(self, workspace: tuple[str, str], now: float) -> float:
        tokens, at = self._tokens.get(workspace, (self._pace.burst, now))
        return min(self._pace.burst, tokens + max(0.0, now - at) * self._pace.a_second)

    def _place(self, workspace: tuple[str, str], not_before: float) -> float:
        """When the next place of the row is."""
        place = max(self._last_place.get(workspace, not_before), not_before) + 1 / self._pace.a_second
        self._last_place[workspace] = place
        return place

    def _forget(self, now: float) -> None:
        if len(self._channels) > _MOST_REMEMBERED:
            self._channels = {key: until for key, until in self._channels.items() if until > now}


_WRITE_TRIES = 5
_MOST_COUNTED = 10_000
_ALERTS = frozenset({NoticeKind.ALERT, NoticeKind.DIGEST})
_UNREACHABLE = ("_not_in_channel", "_channel_closed")
"""How the codes end of a channel that cannot be reached any more, on any platform."""


class NoticeLog(Protocol):
    """What an operator hears of; ids and codes."""

    def notice_sent(self, kind: str) -> None: ...

    def notice_given_up(self, notice_id: str, kind: str, code: str) -> None: ...

    def notice_postponed(self, notice_id: str, code: str, seconds: float) -> None: ...

    def unavailable(self, question_id: str, error: PolicyBotError, attempt: int) -> None: ...

    def unexpected(self, question_id: str, error: BaseException) -> None: ...


class EndsSubscriptions(Protocol):
    """Ends those of a channel, on record."""

    async def give_up(self, platform: str, workspace: str, channel: str, reason: str) -> int: ...


class NoticeService:
    """Workers on the queue. Any number of processes may run one on the same queue.

    A worker never waits for a platform: what may not be sent yet goes back with a moment before which it is not taken,
    and the worker takes another channel's. One that cannot be reached ends the alerts of its channel.
    """

    def __init__(
        self,
        queue: NoticeQueue,
        sinks: Mapping[str, NoticeSink],
        subscriptions: EndsSubscriptions,
        log: NoticeLog,
        *,
        worker: str,
        now: Callable[[], datetime],
        monotonic: Callable[[], float],
        pace: NoticePace | None = None,
    ) -> None:
        self._queue = queue
        self._sinks = sinks
        self._subscriptions = subscriptions
        self._log = log
        self._worker = worker
        self._now = now
        self._pace = pace or NoticePace()
        self._pacing = NoticePacing(self._pace, monotonic)
        self._failures: dict[str, int] = {}
        self._errors: dict[str, int] = {}
        self._sending: Counter[tuple[str, str]] = Counter()
        self._looking = asyncio.Lock()
        self._stopping = asyncio.Event()

    async def run(self) -> None:
        """Until cancelled, or until `stop`. What is being sent then is finished, for a while; the rest stays in the
        queue for another process."""
        workers = [asyncio.create_task(self._work(f"{self._worker}/{n}")) for n in range(self._pace.workers)]
        try:
            await asyncio.wait(workers)
        finally:
            self.stop()
            _, late = await asyncio.wait(workers, timeout=self._pace.drain)
            for each in late:
                each.cancel()
            await asyncio.gather(*late, return_exceptions=True)

    def stop(self) -> None:
        """Take nothing more."""
        self._stopping.set()

    async def once(self, worker: str) -> bool:
        """Takes one notice and deals with it; False when there is none to take now. Raises Unavailable."""
        lease = await self._queue.take(worker, self._pace.lease)
        if lease is not None:
            await self._deal_with(lease)
        return lease is not None

    async def _work(self, worker: str) -> None:
        while not self._stopping.is_set():
            try:
                if (lease := await self._found(worker)) is not None:
                    await self._deal_with(lease)
            except Exception as exc:  # noqa: BLE001 - nothing may stop the worker
                self._log.unexpected("-", exc)

    async def _found(self, worker: str) -> NoticeLease | None:
        """The next one; None at a stop. One worker looks while the others wait for it to find something: an empty queue
        is asked once in a while, however many workers there are."""
        async with self._looking:
            while not self._stopping.is_set():
                try:
                    if (lease := await self._queue.take(worker, self._pace.lease)) is not None:
                        return lease
                except Unavailable as exc:
                    self._log.unavailable("-", exc, 0)
                except Exception as exc:  # noqa: BLE001 - nothing may stop the worker
                    self._log.unexpected("-", exc)
                await self._rest()
        return None

    async def _rest(self) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._pace.poll):
                await self._stopping.wait()

    async def _deal_with(self, lease: NoticeLease) -> None:
        notice = lease.notice
        if (self._now() - notice.queued_at).total_seconds() > self._pace.give_up:
            await self._give_up(lease, "too_old")
            return
        workspace = (notice.platform, notice.workspace)
        is_full = self._sending[workspace] >= self._pace.at_once
        wait = self._pacing.later(notice) if is_full else self._pacing.wait(notice)
        if wait:
            await self._write_down(lambda: self._queue.postpone(lease, wait))
            return
        self._sending[workspace] += 1
        try:
            await self._send(lease)
        finally:
            self._sending[workspace] -= 1
            self._sending += Counter()  # those of nobody go

    async def _send(self, lease: NoticeLease) -> None:
        """Nothing that goes wrong with one notice may stop the worker."""
        try:
            async with asyncio.timeout(self._pace.send):
                await self._sink(lease.notice).send(lease)
        except Rejected as exc:
            await self._unreachable(lease, exc)
        except Unavailable as exc:
            await self._put_off(lease, exc)
        except TimeoutError:
            await self._put_off(lease, Unavailable("too_slow", delivered="unknown"))
        except Exception as exc:  # noqa: BLE001 - told, and tried again some times
            self._log.unexpected(lease.notice.notice_id, exc)
            # of ours: a platform that was away counts for none of them
            if _count(self._errors, lease.notice.notice_id) >= self._pace.most_failures:
                await self._give_up(lease, "unexpected_error")
            else:
                await self._put_off(lease, Unavailable("unexpected_error", delivered="unknown"))
        else:
            self._forget(lease.notice)
            await self._write_down(lambda: self._queue.finish(lease, sent=True))
            self._log.notice_sent(lease.notice.kind.value)

    def _sink(self, notice: Notice) -> NoticeSink:
        sink = self._sinks.get(notice.platform)
        if sink is None:  # another server may have it, or this one after its settings are put right
            raise Unavailable("notice_platform_missing", delivered="no")
        return sink

    async def _put_off(self, lease: NoticeLease, error: Unavailable) -> None:
        asked = error.details.get("retry_after")
        if isinstance(asked, int | float):
            seconds = max(1.0, float(asked))
            if error.details.get("only") != "channel":
                self._pacing.pause(lease.notice, seconds)
        else:
            seconds = self._pace.backoff(_count(self._failures, lease.notice.notice_id))
        may_be_there = asked is None and error.details.get("delivered", "unknown") != "no"
        self._log.notice_postponed(lease.notice.notice_id, error.code, seconds)
        await self._write_down(lambda: self._queue.postpone(lease, seconds, may_be_there=may_be_there))

    async def _unreachable(self, lease: NoticeLease, error: Rejected) -> None:
        """First its subscriptions end, on record, then the notice: whoever dies in between does it again."""
        notice = lease.notice
        if notice.kind in _ALERTS and error.code.endswith(_UNREACHABLE):
            place = (notice.platform, notice.workspace, notice.channel)
            try:
                await self._subscriptions.give_up(*place, error.code)
            except Unavailable as exc:
                await self._put_off(lease, exc)
                return
        await self._give_up(lease, error.code)

    def _forget(self, notice: Notice) -> None:
        self._failures.pop(notice.notice_id, None)
        self._errors.pop(notice.notice_id, None)

    async def _give_up(self, lease: NoticeLease, code: str) -> None:
        self._forget(lease.notice)
        self._log.notice_given_up(lease.notice.notice_id, lease.notice.kind.value, code)
        await self._write_down(lambda: self._queue.finish(lease, sent=False))

    async def _write_down(self, change: Callable[[], Awaitable[bool]]) -> None:
        """Patiently: what was sent and is not written down is looked for by whoever takes it when the lease has run
        out."""
        for _ in range(_WRITE_TRIES):
            try:
                await change()
                return
            except Unavailable as exc:
                self._log.unavailable("-", exc, 0)
                await self._rest()


def _count(counted: dict[str, int], notice_id: str) -> int:
    """Once more. What another process has sent since is forgotten when there are many."""
    counted[notice_id] = counted.pop(notice_id, 0) + 1
    while len(counted) > _MOST_COUNTED:
        del counted[next(iter(counted))]
    return counted[notice_id]
