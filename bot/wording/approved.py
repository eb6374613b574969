"""Wording of approved answers: who approved one and when."""

from bot.wording.names import day
from rag_core.answers import Answer

_NOBODY = "a person whose name was removed"


def approved(answer: Answer) -> str:
    """The line above an approved answer; "" above one that was composed from the policies."""
    found = answer.approved
    if found is None:
        return ""
    return (
        f"Approved answer: written by a person, approved by {approver(found.by)} on {day(found.on)}. "
        "The quotes below it were checked just now."
    )


APPROVED_HEADING = "What was answered"
"""Above its statements."""


def approver(name: str) -> str:
    """Who approved it; somebody who was forgotten has no name any more."""
    return name or _NOBODY
