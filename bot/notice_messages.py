"""What the sinks of notices have in common on every platform: how they are rendered, and what they are about."""

from collections.abc import Awaitable, Callable, Mapping

from bot.notices import Notice, NoticeKind
from bot.posted import Subject

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
