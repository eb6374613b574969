"""How a question ended: a reply, or a message in place of one."""

from dataclasses import dataclass
from enum import StrEnum

from rag_core.answers import Reply


class FailureCode(StrEnum):
    """Why there is no reply; the wording tells the asker what to do next."""

    SEARCH_DOWN = "search_down"
    TOO_SLOW = "too_slow"
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


Outcome = Reply | Rejection | Failure
