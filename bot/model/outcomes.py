"""Outcome of a question: a reply, or a message in place of one; and the admission policy for outsiders."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from bot.model.messages import InboundQuestion
from rag_core.answers import Answer, Refusal, Reply
from rag_core.errors import STORED_TEXT_CHANGED


class Admitted(StrEnum):
    """`PUBLIC_ONLY`: from public documents, whatever groups he is in. `NOT_HERE`: others than this workspace's people
    read the place, or soon could. `NOT_TO_GUESTS`: he is none of this workspace's full members."""

    ALLOWED = "allowed"
    PUBLIC_ONLY = "public_only"
    NOT_HERE = "not_here"
    NOT_TO_GUESTS = "not_to_guests"

    @property
    def is_refused(self) -> bool:
        return self in (Admitted.NOT_HERE, Admitted.NOT_TO_GUESTS)

    @property
    def code(self) -> str:
        """Of the Rejection that says so."""
        return f"asked_{self}"


class Admission(Protocol):
    """Of one platform. Asked when a question is answered, not when it is accepted: nobody waits for it then."""

    async def of(self, question: InboundQuestion) -> Admitted:
        """Always within seconds, and never an error: what it says while the platform is down is its own rule."""
        ...


class FailureCode(StrEnum):
    """Why there is no reply; the wording tells the asker what to do next."""

    SEARCH_DOWN = "search_down"
    RECORD_DOWN = "record_down"
    TOO_SLOW = "too_slow"
    STORED_TEXT_CHANGED = STORED_TEXT_CHANGED
    INTERNAL = "internal"


@dataclass(frozen=True, slots=True)
class Failure:
    """A terminal message in place of a reply. `question_id` lets an operator find the log line."""

    code: FailureCode
    question_id: str


@dataclass(frozen=True, slots=True)
class Rejection:
    """The question can never work; `code` and `details` are those of `rag_core.errors.Rejected`."""

    code: str
    details: dict[str, object]


class Delay(StrEnum):
    """What a question waits for."""

    SEARCH_DOWN = "search_down"
    RECORD_DOWN = "record_down"
    EARLIER_QUESTION = "earlier_question"


@dataclass(frozen=True, slots=True)
class Postponed:
    """Not an end: the question is kept and answered in the same place as soon as that works again."""

    question_id: str
    delay: Delay = Delay.SEARCH_DOWN


_OF_THE_ASKER = frozenset({"rate_limited", *(each.code for each in Admitted if each.is_refused)})


def concerns_asker_alone(outcome: "Outcome") -> bool:
    """Whether nobody else in a channel is to read it: that the answer is still to come, or why he gets none."""
    return isinstance(outcome, Postponed) or (isinstance(outcome, Rejection) and outcome.code in _OF_THE_ASKER)


Outcome = Reply | Rejection | Failure | Postponed


def kind_of(reply: Reply) -> str:
    """answer, refusal or clarification."""
    if isinstance(reply, Answer):
        return "answer"
    return "refusal" if isinstance(reply, Refusal) else "clarification"
