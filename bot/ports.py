"""What a conversation needs from outside. Implementations live in `adapters`."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from bot.messages import InboundQuestion
from bot.outcomes import Outcome
from rag_core.answers import AskTrace


class InboxState(StrEnum):
    """accepted -> running (lease) -> sending -> sent | failed."""

    ACCEPTED = "accepted"
    RUNNING = "running"
    SENDING = "sending"
    SENT = "sent"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Lease:
    """A question taken to work on. `attempt` counts from 1; `was_sending` means that an earlier holder had
    begun to send, so that the platform may have the reply already."""

    question: InboundQuestion
    worker: str
    attempt: int
    was_sending: bool


class Inbox(Protocol):
    """The durable queue of questions: the one authority on what was accepted, is worked on and was answered."""

    async def accept(self, question: InboundQuestion) -> bool:
        """Keep the question before it is acknowledged; False if its claim_key is there already."""
        ...

    async def take(self, worker: str, now: datetime, lease_seconds: float) -> Lease | None:
        """The oldest question that is accepted, or whose lease ran out; None when there is nothing to do."""
        ...

    async def renew(self, lease: Lease, now: datetime, lease_seconds: float) -> bool:
        """Still at work on it. False if another worker has taken the question meanwhile."""
        ...

    async def sending(self, lease: Lease, now: datetime, lease_seconds: float) -> bool:
        """About to send: renews the lease. False if another worker has taken the question meanwhile."""
        ...

    async def finish(self, lease: Lease, state: InboxState, now: datetime) -> bool:
        """Ends as SENT or FAILED (the reply address is deleted), or back to ACCEPTED to be tried again.

        False if another worker has taken the question meanwhile: then nothing is changed.
        """
        ...


class ReplySink(Protocol):
    """Sends the one terminal message of a question to where it was asked.

    Raises Unavailable to be tried again, Rejected when this address can never be reached (any more).
    """

    async def send(self, question: InboundQuestion, answer_id: str, outcome: Outcome) -> None: ...


@dataclass(frozen=True, slots=True)
class RecordedAnswer:
    """What was asked and what was answered, with the trace that explains it. `reply` is the REST shape.

    `answered_from` is "slack", "rest", "web", "terminal" ...
    """

    answer_id: str
    answered_from: str
    workspace: str
    person: str
    question_text: str
    reply: dict[str, object]
    trace: AskTrace | None
    answered_at: datetime


class AnswerRecords(Protocol):
    """Keeps answers. Saving the same `answer_id` again changes nothing."""

    async def save(self, record: RecordedAnswer) -> None: ...
