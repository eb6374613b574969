"""Questions that a person is asked, because the policies' own answer was not enough; on any platform.

open -> claimed (somebody says that he will answer) -> answered; or open -> answered at once.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from bot.record.entries import AuditEntry


class EscalationState(StrEnum):
    OPEN = "open"
    CLAIMED = "claimed"
    ANSWERED = "answered"


class ActKind(StrEnum):
    """What somebody who was asked did."""

    CLAIMED = "claimed"
    ANSWERED = "answered"


@dataclass(frozen=True, slots=True)
class AskedPlace:
    """Where it was asked and where people are asked, by the platform's own ids.

    `private`: nobody but the asker may see what comes back. `people_in`: the channel where people are asked; `group`: a
    user group that is called there, "" for none.
    """

    platform: str
    workspace: str
    channel: str
    person: str
    thread: str = ""
    private: bool = False
    people_in: str = ""
    group: str = ""


@dataclass(frozen=True, slots=True)
class EscalationAct:
    """`act_id` is the same however often it is heard of. `person`: a pseudonym; `named`: the platform's own id."""

    act_id: str
    escalation_id: str
    kind: ActKind
    person: str
    named: str
    at: datetime
    text: str = ""


@dataclass(frozen=True, slots=True)
class Escalation:
    """`person`: who asks, a pseudonym. `acts`: the oldest first; those of forgotten people are gone."""

    escalation_id: str
    answer_id: str
    person: str
    state: EscalationState
    place: AskedPlace
    note: str
    asked_at: datetime
    acts: tuple[EscalationAct, ...] = ()

    @property
    def claim(self) -> EscalationAct | None:
        return next((each for each in self.acts if each.kind is ActKind.CLAIMED), None)

    @property
    def replies(self) -> tuple[EscalationAct, ...]:
        return tuple(each for each in self.acts if each.kind is ActKind.ANSWERED)


class Escalations(Protocol):
    """Raises Unavailable. What changes is on record in the same transaction; what changes nothing is not."""

    async def begin(self, escalation: Escalation, entry: AuditEntry) -> Escalation:
        """As it is kept: the one that this person has for this answer already, if there is one."""
        ...

    async def of(self, escalation_id: str) -> Escalation | None: ...

    async def claim(self, act: EscalationAct, entry: AuditEntry) -> bool:
        """Whether it is this person's now: the first one has it; claiming again what is one's own is true."""
        ...

    async def reply(self, act: EscalationAct, entry: AuditEntry) -> bool:
        """Whether it is (by now, or already) one of the replies: the first reply of an escalation that nobody or its
        author claimed, and further ones of the same author."""
        ...
