"""How listeners are called, and what an invoke is answered with."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from adapters.teams.messages import TeamsActivity
from adapters.teams.parts import TeamsParts

INVOKE_SECONDS = 4.0
"""Teams shows an error of its own after 5 s."""

MESSAGE_SECONDS = 10.0
"""Teams sends an activity again that was not answered within 15 s."""


@dataclass(frozen=True, slots=True)
class InvokeReply:
    """The HTTP response to an invoke; `body` None for an empty one."""

    body: Mapping[str, object] | None = None
    status: int = 200


TeamsListener = Callable[[TeamsParts, TeamsActivity], Awaitable[InvokeReply | None]]
"""Keeps what must not be lost, starts the rest in `parts.background`, and returns; for an invoke with its answer.

Raises Unavailable where nothing was kept: of a message Teams sends it again (503)."""

Listeners = Mapping[str, TeamsListener]
"""By the activity's type; of an invoke by "invoke/" and its name."""
