"""Teams saying no, with the codes of "Status codes from bot conversational APIs"; and how often a bot may call, as
Teams documents it ("Optimize your bot with rate limiting in Teams")."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from ops.sandbox.tasks import Windows

Spans = tuple[tuple[float, int], ...]
"""(seconds, most calls in them), shortest first."""

SENDING: Spans = ((1, 7), (2, 8), (30, 60), (3600, 1800))
READING: Spans = ((1, 14), (2, 16), (30, 120), (3600, 3600))

_REFUSALS: Mapping[str, tuple[int, str]] = {
    "ActivityNotFoundInConversation": (404, "The activity is not in this conversation."),
    "BadArgument": (400, ""),
    "BadRequest": (400, ""),
    "BotNotInConversationRoster": (403, "The bot is not part of the conversation roster."),
    "ContentStreamNotAllowed": (403, ""),
    "ConversationBlockedByUser": (403, "User blocked the conversation with the bot."),
    "ConversationNotFound": (404, "Conversation not found."),
    "Forbidden": (403, ""),
    "ForbiddenOperationException": (403, "Bot is not installed in user's personal scope"),
    "MemberNotFoundInConversation": (404, "The member is not in this conversation."),
    "MessageSizeTooBig": (413, "Message size too large."),
    "Request_BadRequest": (400, ""),
    "Throttled": (429, "Too many requests."),
    "Unauthorized": (401, "Authorization has been denied for this request."),
}


class TeamsRefusal(Exception):
    """`status` and `{"error": {"code", "message"}}` as Teams puts them: the usual `message` of the code, or another."""

    def __init__(self, code: str, message: str = "", *, retry_after: int = 0) -> None:
        self.status, usual = _REFUSALS[code]
        self.code = code
        self.message = message or usual
        self.retry_after = retry_after
        super().__init__(f"{self.status} {code}: {self.message}")

    @property
    def answer(self) -> dict[str, object]:
        return {"error": {"code": self.code, "message": self.message}}

    @property
    def headers(self) -> dict[str, str]:
        return {"Retry-After": str(self.retry_after)} if self.retry_after else {}


class Operation(StrEnum):
    """What is counted together, of one conversation (a channel with all its threads, a chat)."""

    SEND = "send to conversation"
    CREATE = "create conversation"
    MEMBERS = "get conversation members"


def documented() -> dict[Operation, Spans]:
    return {Operation.SEND: SENDING, Operation.CREATE: SENDING, Operation.MEMBERS: READING}


@dataclass(frozen=True, slots=True)
class Limits:
    """`in_conversation`: of one bot in one conversation. `a_second`: of the bot in one tenant, 0 for no limit.
    `chunk_seconds`: at least so long between two chunks of a stream ("at a minimum rate of one request per second")."""

    in_conversation: Mapping[Operation, Spans] = field(default_factory=documented)
    a_second: int = 50
    chunk_seconds: float = 1.0


NO_LIMITS = Limits({}, 0, 0.0)


class Meter:
    """Counts calls; `monotonic` are seconds. What is refused is not counted: TeamsRefusal 429 with Retry-After."""

    def __init__(self, limits: Limits, monotonic: Callable[[], float]) -> None:
        self.limits = limits
        self._monotonic = monotonic
        self._calls = Windows()

    def call(self, operation: Operation, conversation: str, tenant: str) -> None:
        now = self._monotonic()
        per_place = self.limits.in_conversation.get(operation, ())
        spans = [((str(operation), conversation), seconds, most) for seconds, most in per_place]
        if self.limits.a_second:
            spans.append((("tenant", tenant), 1.0, self.limits.a_second))
        wait = max((self._calls.wait(key, seconds, most, now) for key, seconds, most in spans), default=0.0)
        if wait:
            raise TeamsRefusal("Throttled", retry_after=math.ceil(wait))
        for key, seconds, _ in spans:
            self._calls.note(key, seconds, now)
