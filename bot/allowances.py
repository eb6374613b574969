"""How often somebody may ask: the limits as they are written in settings, and what is counted against which."""

import hashlib
import json
import re
from dataclasses import dataclass

from bot.messages import Actor, Conversation
from rag_core.errors import Misconfigured

_LIMIT = re.compile(r"(\d{1,6})\s*(?:/|per\s)\s*(\d{1,4})?\s*(second|minute|hour|day)s?", re.IGNORECASE)
_SECONDS = {"second": 1, "minute": 60, "hour": 3600, "day": 86_400}
_MOST_TIMES = 100_000  # every question within the window is remembered until the window has passed
_LONGEST_SECONDS = 31 * 86_400


@dataclass(frozen=True, slots=True)
class Limit:
    """So many times within any stretch of so many seconds."""

    times: int
    seconds: int


@dataclass(frozen=True, slots=True)
class Counter:
    """What a question is counted against. `name` and `workspace` are hashes: no id of anybody is in them."""

    workspace: str
    name: str
    limit: Limit


@dataclass(frozen=True, slots=True)
class Allowances:
    """The limits of one person, one channel and one workspace; None: as often as they like."""

    person: Limit | None = None
    channel: Limit | None = None
    workspace: Limit | None = None

    def counters(self, actor: Actor, conversation: Conversation | None) -> tuple[Counter, ...]:
        """At most one of each kind, all of the workspace that is asked in: who asks in two is counted in each."""
        place = conversation or actor
        asked_in = (place.platform, place.workspace)
        found = [
            _counter("person", self.person, asked_in, actor.platform, actor.workspace, actor.person),
            _counter("channel", self.channel, asked_in, conversation.channel) if conversation else None,
            _counter("workspace", self.workspace, asked_in),
        ]
        return tuple(counter for counter in found if counter)


def limit_from(value: str, setting: str = "") -> Limit | None:
    """ "20/minute", "5 per second", "100/2 hours"; "" is no limit. Raises Misconfigured("limit_invalid")."""
    if not value.strip():
        return None
    match = _LIMIT.fullmatch(value.strip())
    if match is None:
        raise Misconfigured("limit_invalid", setting=setting, value=value)
    limit = Limit(int(match[1]), int(match[2] or 1) * _SECONDS[match[3].lower()])
    if not (0 < limit.times <= _MOST_TIMES and 0 < limit.seconds <= _LONGEST_SECONDS):
        raise Misconfigured("limit_invalid", setting=setting, value=value)
    return limit


def allowances_from(person: str = "", channel: str = "", workspace: str = "") -> Allowances:
    """From the settings. Raises Misconfigured("limit_invalid", setting, value)."""
    return Allowances(
        limit_from(person, "ADPOLICY_LIMIT_PERSON"),
        limit_from(channel, "ADPOLICY_LIMIT_CHANNEL"),
        limit_from(workspace, "ADPOLICY_LIMIT_WORKSPACE"),
    )


def _counter(kind: str, limit: Limit | None, asked_in: tuple[str, str], *ids: str) -> Counter | None:
    if limit is None:
        return None
    return Counter(_hash(asked_in)[:16], f"{kind}:{_hash((*asked_in, *ids))}", limit)


def _hash(ids: tuple[str, ...]) -> str:
    return hashlib.sha256(json.dumps(ids).encode()).hexdigest()
