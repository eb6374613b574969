"""Ports of a conversation: what `bot` needs from outside. Implementations live in `adapters`."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from bot.audit.entries import AuditEntry
from bot.model.memory import RememberedTurn
from bot.model.messages import Actor, Conversation, InboundQuestion
from bot.model.outcomes import Outcome
from rag_core.ports import Watching


class InboxState(StrEnum):
    """accepted -> running (lease) -> sending -> sent | failed."""

    ACCEPTED = "accepted"
    RUNNING = "running"
    SENDING = "sending"
    SENT = "sent"
    FAILED = "failed"


ENDS = frozenset({InboxState.SENT, InboxState.FAILED})
HELD = frozenset({InboxState.RUNNING, InboxState.SENDING})


@dataclass(frozen=True, slots=True)
class Lease:
    """A question taken to work on. `attempt` counts from 1; `was_sending` means that an earlier holder had
    begun to send, so that the platform may have the reply already. `postponed`: how often it was put off
    because something was down; `waits`: how often it was put back quietly; those takes are among the attempts.
    `behind`: an earlier question of the conversation is put off, so this one is not to be answered now, but its asker
    is to hear of it."""

    question: InboundQuestion
    worker: str
    attempt: int
    was_sending: bool
    postponed: int = 0
    behind: bool = False
    waits: int = 0

    @property
    def tries(self) -> int:
        """Those at which it was put off or put back are none."""
        return self.attempt - self.postponed - self.waits


@dataclass(frozen=True, slots=True)
class InboxEntry:
    """A question that was accepted while the inbox was down, and what became of it; `worker` of a held one."""

    question: InboundQuestion
    state: InboxState
    attempt: int = 0
    postponed: int = 0
    was_sending: bool = False
    worker: str = ""
    waits: int = 0


class Inbox(Protocol):
    """The durable queue of questions: the one authority on what was accepted, is worked on and was answered.

    Leases and waits are timed by one clock for all processes (the database's, where it is a server).
    """

    async def accept(self, question: InboundQuestion) -> bool:
        """Keep the question before it is acknowledged; False if its claim_key is there already."""
        ...

    async def take(self, worker: str, lease_seconds: float) -> Lease | None:
        """The oldest question that may be worked on now; None when there is nothing to do.

        That is: accepted (and no longer postponed) or with a lease that ran out, and no earlier question of the same
        conversation is unfinished. So a conversation is answered in order, over all processes. One exception: while
        the earlier ones are all put off, a question comes once, `behind` them.
        """
        ...

    async def hold(self, lease: Lease, lease_seconds: float, *, sending: bool = False) -> bool:
        """Still at work on it, or about to send. False if another worker has taken the question meanwhile."""
        ...

    async def finish(self, lease: Lease, state: InboxState) -> bool:
        """Ends as SENT or FAILED (the reply address is deleted), or back to ACCEPTED to be tried again.

        False if another worker has taken the question meanwhile: then nothing is changed.
        """
        ...

    async def postpone(self, lease: Lease, seconds: float, *, quietly: bool = False, unsent: bool = False) -> bool:
        """Back to ACCEPTED, not to be taken before `seconds` have passed, and one more in `postponed`.

        `quietly`: nobody is told: one more in `waits` instead, and no later question of the conversation comes
        `behind` it. `unsent`: the platform has nothing of it for certain, so `was_sending` is not true any more.
        False if another worker has taken the question meanwhile.
        """
        ...


class InboxEntries(Protocol):
    """The inbox as it learns of what was accepted without it."""

    async def enter(self, entry: InboxEntry, lease_seconds: float) -> bool:
        """Keep it in its state; a held one with a lease of its worker and attempt. Raises Unavailable.

        Where the claim is there already, SENT and FAILED end it, and False means that the row's own state stays.
        """
        ...

    async def backlog(self) -> tuple[int, datetime | None]:
        """How many questions wait to be taken, and since when the oldest does. Raises Unavailable."""
        ...


class Withdrawals(Protocol):
    """What became of a message that asked, and was deleted or says something else now."""

    async def withdraw(self, claim_key: str) -> bool:
        """Its question is not to be answered. True: it waited, and has ended as FAILED.

        False: somebody works on it, it may be answered already, or it is not known; then it is not accepted when it
        comes after all. Raises Unavailable.
        """
        ...

    async def edits_of(self, claim_key: str) -> tuple[str, ...]:
        """The claim keys (`bot.model.messages.edit_key`) under which the same message was asked again, as far as they
        are kept. Raises Unavailable."""
        ...


class ReplySink(Protocol):
    """Sends the one terminal message of a question to where it was asked.

    `was_sending`: an earlier attempt may have sent it; where the platform can tell, it is looked for first.
    Raises Unavailable to be tried again (`retry_after` in its details: not before so many seconds, which is no failure;
    `delivered` "no": the platform has nothing of it), Rejected when this address can never be reached (any more).
    """

    async def send(
        self, question: InboundQuestion, answer_id: str, outcome: Outcome, *, was_sending: bool = False
    ) -> None: ...


class ReplyProgress(Protocol):
    """Shows the asker that somebody works on the question, and the answer while it grows. Nobody waits for it, and
    nothing that goes wrong with it concerns the answer: neither method raises."""

    def begin(self, lease: Lease, sending: Callable[[], Awaitable[bool]]) -> Watching:
        """At once. `sending` says to the inbox that the platform will have something of the answer; False: nothing may
        be shown of it, the question is another worker's. The sink's `send` makes the whole of what was begun."""
        ...

    async def end(self, question_id: str) -> None:
        """Nothing shows any more that it is worked on here."""
        ...


@dataclass(frozen=True, slots=True)
class RecordedAnswer:
    """What was asked and what was answered, with the trace that explains it; `reply` (the REST shape) and `trace`
    are plain JSON values. `answered_from` is "slack", "rest", "web", "terminal" ... `entries` go into the record with
    it.
    """

    answer_id: str
    answered_from: str
    workspace: str
    person: str
    question_text: str
    reply: dict[str, object]
    trace: dict[str, object] | None
    answered_at: datetime
    entries: tuple[AuditEntry, ...] = ()


class AnswerRecords(Protocol):
    """Keeps answers, and adds their entries to the record: both or neither. Saving the same `answer_id` again changes
    nothing."""

    async def save(self, record: RecordedAnswer) -> None: ...


class GivenAnswers(Protocol):
    """Answers as they were recorded. Raises Unavailable."""

    async def answer(self, answer_id: str) -> RecordedAnswer | None:
        """Without the entries; None where there is none, or the id cannot be one."""
        ...


@dataclass(frozen=True, slots=True)
class Opinion:
    """What somebody said of an answer (see `bot.answers.feedback`); `person` as the answer names who asked; `comment`
    "" for none."""

    answer_id: str
    workspace: str
    person: str
    rating: str
    reasons: tuple[str, ...]
    comment: str
    given_from: str
    given_at: datetime


class Feedback(Protocol):
    """What people said of answers: of each person the last, and every one on the record. Raises Unavailable."""

    async def save(self, opinion: Opinion, entry: AuditEntry) -> Opinion:
        """Keeps it in place of the person's earlier one, and adds its entry to the record: both or neither.

        What is kept afterwards: one that says the same, or was given later, stays, and then there is no entry.
        """
        ...

    async def of_answer(self, answer_id: str) -> tuple[Opinion, ...]:
        """Each person's, oldest first."""
        ...


class AuditLog(Protocol):
    """The record, append-only: a chain of hashes for each workspace (see `bot.audit`). Raises Unavailable."""

    async def append(self, entries: Sequence[AuditEntry]) -> None:
        """All of them or none, in this order. One whose `record_id` is in its chain already changes nothing."""
        ...


class ConversationMemory(Protocol):
    """The last turns of each conversation. What was never said and what is forgotten look the same: no turns.

    Raises Unavailable. The builder closes it.
    """

    async def recall(self, conversation: Conversation) -> tuple[RememberedTurn, ...]:
        """The last `bot.model.memory.MOST_TURNS` turns at most, oldest first."""
        ...

    async def remember(self, conversation: Conversation, turn: RememberedTurn) -> None:
        """Add a turn; one with the same answer_id is there once."""
        ...

    async def refill(self, conversation: Conversation, turns: Sequence[RememberedTurn]) -> None:
        """Make these what is remembered, unless something is already."""
        ...

    async def forget(self, conversation: Conversation) -> None: ...


class FastMemory(Protocol):
    """A memory that is a copy of the durable one's newest turns. Raises Unavailable. The builder closes it."""

    async def forget_all(self) -> int:
        """Forget all conversations, for what was condensed of one person's turns is in the others'; how many. Each is
        there again when it goes on, from the durable memory."""
        ...


class Claims(Protocol):
    """Which deliveries are known already. They spare round trips; the Inbox decides, and alone without them.

    A claim holds for at least 15 minutes. Raises Unavailable.
    """

    async def claim(self, claim_key: str) -> bool:
        """True for the first caller only."""
        ...

    async def is_claimed(self, claim_key: str) -> bool: ...

    async def release(self, claim_key: str) -> None: ...


class Locks(Protocol):
    """One holder at a time. A lock ends by itself after `seconds`; a token tells its holder from a later one.

    Raises Unavailable.
    """

    async def acquire(self, name: str, seconds: float) -> str | None:
        """A token, or None while somebody else holds it. Does not wait."""
        ...

    async def extend(self, name: str, token: str, seconds: float) -> bool:
        """False if it is not ours any more."""
        ...

    async def release(self, name: str, token: str) -> bool:
        """False if it was not ours any more; then nothing is changed."""
        ...


class RateLimits(Protocol):
    """How often a person, a channel and a workspace may ask. Raises Unavailable."""

    async def hit(self, actor: Actor, conversation: Conversation | None) -> float:
        """Count a question against all limits, or against none. 0: go on; else the seconds to wait."""
        ...


class Directory(Protocol):
    """Who belongs to what on one platform. `members` and what comes back are ids as the catalogue writes them
    (`slack:T1/usergroup/S1`, `entra:TENANT/GUID`): of those asked about, the ones that hold.

    Whoever the platform does not know belongs to nothing. Raises Unavailable. The builder closes it.
    """

    @property
    def kind(self) -> str:
        """How the ids begin that it answers for: "slack", "entra". It is asked about no others."""
        ...

    async def of_person(self, actor: Actor, members: frozenset[str]) -> frozenset[str]:
        """Those to which the person belongs; none for whoever is only a guest there."""
        ...

    async def of_each_reader(
        self, conversation: Conversation, members: frozenset[str]
    ) -> frozenset[frozenset[str]] | None:
        """To which of them each person who can read the conversation belongs. None where it is not known for sure
        who that is, and where others than this workspace's full members can read it."""
        ...

    async def empty(self, members: frozenset[str]) -> frozenset[str]:
        """Those to which nobody belongs, and those that the platform does not know; never answered from a cache."""
        ...


class Spool(Protocol):
    """A local, encrypted place for what the database cannot take now; it survives the process. Bounded.

    Raises Unavailable("spool_full" | "spool_unwritable").
    """

    async def put(self, kind: str, key: str, entry: Mapping[str, object]) -> None:
        """Keep plain JSON values under `key`; what is there under the same kind and key is replaced."""
        ...

    def entries(self, kind: str) -> AsyncIterator[tuple[str, dict[str, object]]]:
        """Key and entry of everything kept, in the order it came. One that cannot be read is left out and stays."""
        ...

    async def remove(self, kind: str, key: str) -> None: ...
