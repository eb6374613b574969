"""Notices: messages that are no reply to a question, such as alerts and escalations. Durable, sent once."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from bot.model.posted import Subject


class NoticeKind(StrEnum):
    """What is said; a renderer of each platform knows how. `content` of a Notice by kind:

    ALERT and DIGEST: see `bot.alerts.changes.AlertContent`. ESCALATION: escalation_id (posted where people are asked).
    PERSONS_ANSWER: escalation_id, act_id (posted where it was asked), and `via`: a channel in which the platform knows
    whoever it is for. CURATED_SUSPENDED: curated_id.
    """

    ALERT = "alert"
    DIGEST = "digest"
    ESCALATION = "escalation"
    PERSONS_ANSWER = "persons_answer"
    CURATED_SUSPENDED = "curated_suspended"


@dataclass(frozen=True, slots=True)
class Notice:
    """`notice_id` is derived from what it is about: queueing it again changes nothing, however it ended.

    `channel` is the platform's id of a channel, or of a person, who is then written to directly; `thread` "" = none.
    `content` holds ids as plain JSON; texts are read when it is sent, so that nothing outdated or hidden is.
    """

    notice_id: str
    kind: NoticeKind
    platform: str
    workspace: str
    channel: str
    queued_at: datetime
    thread: str = ""
    content: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class NoticeLease:
    """A notice taken to be sent. `attempt` counts from 1; `was_sending`: it may be there already, look first."""

    notice: Notice
    worker: str
    attempt: int
    was_sending: bool


class NoticeQueue(Protocol):
    """Leases as the Inbox has them; they are not renewed, so they must be longer than sending takes. Ended ones are
    known for `ADPOLICY_KEEP_NOTICES_DAYS`. Raises Unavailable."""

    async def queue(self, notices: Sequence[Notice]) -> int:
        """All or none; how many were not known yet."""
        ...

    async def take(self, worker: str, lease_seconds: float) -> NoticeLease | None:
        """The oldest that may be sent now. Notices of one channel come one at a time and in order."""
        ...

    async def postpone(self, lease: NoticeLease, seconds: float, *, may_be_there: bool = False) -> bool:
        """Not before then; the others of its channel wait, those of other channels do not. `may_be_there`: nobody knows
        whether it was sent, and who takes it next looks first. False: lost the lease."""
        ...

    async def finish(self, lease: NoticeLease, *, sent: bool) -> bool:
        """Sent, or given up. False: lost the lease."""
        ...

    async def drop_workspace(self, platform: str, workspace: str) -> int:
        """When the app is uninstalled: what waits for it is given up; how many."""
        ...


class NoticeSink(Protocol):
    """Sends a notice on its platform and keeps where in PostedMessages.

    Raises Unavailable to be tried again (`retry_after` in its details where the platform asks for it; with `only`
    "channel" where that holds for no other channel of the workspace), Rejected when this channel can never be reached
    (any more).
    """

    async def send(self, lease: NoticeLease) -> None: ...


Renderer = Callable[[Notice], Awaitable[Mapping[str, object] | None]]
"""The message as the platform's sink takes it, as of now; None where there is nothing to say any more. Raises
Unavailable."""

TURN_SECONDS = 1.0
"""How long a worker waits for a turn to post: it serves many channels."""

_SUBJECTS: Mapping[NoticeKind, tuple[Subject, str]] = {
    NoticeKind.ALERT: (Subject.ALERT, ""),
    NoticeKind.DIGEST: (Subject.ALERT, ""),
    NoticeKind.ESCALATION: (Subject.ESCALATION, "escalation_id"),
    NoticeKind.PERSONS_ANSWER: (Subject.ESCALATION, "escalation_id"),
}
"""What a message is about, and the field of its content that has the id of that; "" = the notice's own."""


def subject_of(notice: Notice) -> tuple[Subject, str] | None:
    """What its message is about, and the id of that; None for one that nobody needs to find again."""
    found = _SUBJECTS.get(notice.kind)
    if found is None:
        return None
    subject, field = found
    return subject, str(notice.content.get(field, "")) if field else notice.notice_id
