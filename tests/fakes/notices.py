"""Notices, a log that keeps what it hears, and a sink whose platform can be in trouble."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from bot.model.notices import Notice, NoticeKind, NoticeLease
from bot.model.posted import MessagePlace, Posted, Subject
from rag_core.errors import PolicyBotError, Unavailable
from tests.fakes.questions import NOON


def make_notice(number: int = 1, channel: str = "C1", **facts: Any) -> Notice:
    values: dict[str, Any] = {
        "notice_id": f"notice-{number}",
        "kind": NoticeKind.ALERT,
        "platform": "slack",
        "workspace": "T1",
        "channel": channel,
        "queued_at": NOON,
        "content": {"changes": [[number, number]], "subscriptions": ["s1"], "rhythm": ""},
    }
    return Notice(**(values | facts))


@dataclass(slots=True)
class KeptLog:
    """What noticing and alerting report, as (event, what) pairs."""

    heard: list[tuple[str, object]] = field(default_factory=list)

    def alerts_queued(self, notices: int, changes: int) -> None:
        self.heard.append(("queued", notices))

    def notice_sent(self, kind: str) -> None:
        self.heard.append(("sent", kind))

    def notice_given_up(self, notice_id: str, kind: str, code: str) -> None:
        self.heard.append(("given up", code))

    def notice_postponed(self, notice_id: str, code: str, seconds: float) -> None:
        self.heard.append(("postponed", code))

    def unavailable(self, question_id: str, error: PolicyBotError, attempt: int) -> None:
        self.heard.append(("unavailable", error.code))

    def unexpected(self, question_id: str, error: BaseException) -> None:
        self.heard.append(("unexpected", type(error).__name__))


@dataclass(slots=True)
class FakeSink:
    """Keeps what was sent; raises what is in `troubles`, one each time."""

    sent: list[NoticeLease] = field(default_factory=list)
    troubles: list[BaseException] = field(default_factory=list)

    @property
    def ids(self) -> list[str]:
        return [each.notice.notice_id for each in self.sent]

    async def send(self, lease: NoticeLease) -> None:
        if self.troubles:
            raise self.troubles.pop(0)
        self.sent.append(lease)


@dataclass(slots=True)
class FakeEnding:
    """Whose alerts were ended, and why; `down`: it does not answer."""

    ended: list[tuple[str, str]] = field(default_factory=list)
    down: int = 0

    async def give_up(self, platform: str, workspace: str, channel: str, reason: str) -> int:
        if self.down:
            self.down -= 1
            raise Unavailable("store_down")
        self.ended.append((channel, reason))
        return 1


@dataclass(slots=True)
class FakePosted:
    """PostedMessages in memory; `down`: how many saves fail."""

    kept: list[Posted] = field(default_factory=list)
    down: int = 0

    async def save(self, posted: Posted) -> None:
        if self.down:
            self.down -= 1
            raise Unavailable("store_down")
        self.kept = [each for each in self.kept if each.place != posted.place] + [posted]

    async def of_subject(self, subject: Subject, subject_id: str) -> tuple[Posted, ...]:
        return tuple(each for each in self.kept if (each.subject, each.subject_id) == (subject, subject_id))

    async def in_thread(self, platform: str, workspace: str, channel: str, thread: str) -> tuple[Posted, ...]:
        return tuple(each for each in self.kept if (each.place.channel, each.place.thread) == (channel, thread))

    async def answering(self, platform: str, workspace: str, channel: str, asked_in: str) -> Posted | None:
        found = [each for each in self.kept if (each.place.channel, each.asked_in) == (channel, asked_in)]
        return found[-1] if found else None

    async def remove(self, place: MessagePlace) -> None:
        self.kept = [each for each in self.kept if each.place != place]


class Timer:
    """Monotonic seconds that stand still until moved, by the clock of the rest."""

    def __init__(self, clock: Any) -> None:
        self._clock = clock
        self._from: datetime = clock()

    def __call__(self) -> float:
        return float((self._clock() - self._from).total_seconds())
