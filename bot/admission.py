"""Whether somebody is answered where he asks: outsiders are, where the operator allows it, from public documents."""

from enum import StrEnum
from typing import Protocol

from bot.messages import InboundQuestion


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
