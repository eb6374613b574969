"""`trigger_id`s: good for one view, and for three seconds."""

import itertools
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta

from ops.sandbox.slack.refusals import SlackRefusal
from ops.sandbox.slack.workspace import Clock

LIFETIME = timedelta(seconds=3)


@dataclass(slots=True)
class Trigger:
    """Who did something, and in which modal, if in one."""

    team: str
    user: str
    issued_at: datetime
    view_id: str = ""
    is_used: bool = False


class Triggers:
    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._known: dict[str, Trigger] = {}
        self._numbers = itertools.count(1)

    def issue(self, team: str, user: str, view_id: str = "", trigger_id: str = "") -> str:
        made = trigger_id or f"{next(self._numbers)}.{int(self._clock().timestamp())}.{secrets.token_hex(8)}"
        self._known.setdefault(made, Trigger(team, user, self._clock(), view_id))
        return made

    def use(self, trigger_id: str) -> Trigger:
        """What is behind a trigger, once. Raises Slack's refusals."""
        found = self._known.get(trigger_id)
        if found is None:
            raise SlackRefusal("invalid_trigger_id")
        if found.is_used:
            raise SlackRefusal("exchanged_trigger_id")
        if self._clock() - found.issued_at > LIFETIME:
            raise SlackRefusal("expired_trigger_id")
        found.is_used = True
        return found
