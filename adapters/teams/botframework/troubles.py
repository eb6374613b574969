"""What the connector refuses and what goes wrong on the way, in the words of `adapters.teams.ports`."""

from http import HTTPStatus

from msrest.exceptions import ClientException

from adapters.teams.client import FAILED, NOT_SENT, Answer
from rag_core.errors import PolicyBotError, Rejected, Unavailable

_CHANGES = frozenset({"PUT", "DELETE"})
_STREAM = "ContentStream"
_TOO_BIG = frozenset({"MessageSizeTooBig", "MessageTooBig", "RequestEntityTooLarge"})
_TOO_BIG_SAID = "message size too large"
_WHY = {
    "completed streamed message": "completed",
    "exceeded streaming time": "time",
    "canceled by user": "stopped",
    "cancelled by user": "stopped",
}
"""What is said of a stream that is over: https://learn.microsoft.com/microsoftteams/platform/bots/streaming-ux"""

_OF_CONVERSATION = frozenset({"ConversationNotFound", "BotNotInConversationRoster", "BotNotInConversation"})
_SLOW_DOWN_SECONDS = 5.0
_PASSING = frozenset({HTTPStatus.UNAUTHORIZED, HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.PRECONDITION_FAILED})
"""Not the message's fault: a token that is not taken (the app's registration), and what Teams says of itself."""

MAYBE = frozenset({HTTPStatus.BAD_GATEWAY, HTTPStatus.GATEWAY_TIMEOUT})
"""Nobody can tell of them whether the message was taken. Microsoft asks to send it again."""

TROUBLES = (ClientException, *FAILED, PolicyBotError)
"""All that a call through botbuilder raises: msrest's own errors, and what went wrong below it."""


class ConnectorTrouble(ClientException):
    """`answer`: the connector's; None where it was not reached. `maybe_done`: an earlier try may have been taken."""

    def __init__(self, method: str, answer: Answer | None, *, maybe_done: bool) -> None:
        super().__init__("connector")
        self.method = method
        self.answer = answer
        self.maybe_done = maybe_done


def translated(exc: Exception) -> PolicyBotError:
    if isinstance(exc, ConnectorTrouble):
        return _answered(exc)
    if isinstance(exc, PolicyBotError):
        return _of_token(exc)
    if isinstance(exc, FAILED):
        return Unavailable("teams_unreachable", delivered="no" if isinstance(exc, NOT_SENT) else "unknown")
    return Unavailable("teams_error", error=type(exc).__name__, delivered="unknown")


def _answered(exc: ConnectorTrouble) -> PolicyBotError:
    delivered = "unknown" if exc.maybe_done else "no"
    if exc.answer is None:
        return Unavailable("teams_unreachable", delivered=delivered)
    return _refusal(exc.method, exc.answer) or _failure(exc.answer, delivered)


def _of_token(exc: PolicyBotError) -> PolicyBotError:
    """Without a token nothing was sent."""
    if exc.code == "teams_token_refused":
        return Unavailable("teams_error", error=exc.details.get("error"), delivered="no")
    return Unavailable("teams_unreachable", delivered="no") if exc.code == "teams_token_unreachable" else exc


def _refusal(method: str, answer: Answer) -> Rejected | None:
    """What will not be taken later, either."""
    code, status = answer.error, answer.status
    if status == HTTPStatus.REQUEST_ENTITY_TOO_LARGE or code in _TOO_BIG:
        return Rejected("teams_message_too_big")
    if code.startswith(_STREAM) and HTTPStatus.BAD_REQUEST <= status < HTTPStatus.INTERNAL_SERVER_ERROR:
        return _stream_over(answer)
    if status == HTTPStatus.NOT_FOUND and method in _CHANGES and code not in _OF_CONVERSATION:
        return Rejected("teams_message_gone", error=code)
    if status in (HTTPStatus.FORBIDDEN, HTTPStatus.NOT_FOUND):
        return Rejected("teams_channel_closed", error=code)
    is_passing = status in _PASSING or status == HTTPStatus.TOO_MANY_REQUESTS
    if HTTPStatus.BAD_REQUEST <= status < HTTPStatus.INTERNAL_SERVER_ERROR and not is_passing:
        return Rejected("teams_refused", error=code)
    return None


def _stream_over(answer: Answer) -> Rejected:
    """One code for everything: only its words tell why."""
    error = answer.json.get("error")
    said = str(error.get("message") or "").lower() if isinstance(error, dict) else ""
    if _TOO_BIG_SAID in said:
        return Rejected("teams_message_too_big")
    why = next((why for words, why in _WHY.items() if words in said), "")
    return Rejected("teams_stream_over", error=answer.error, why=why)


def _failure(answer: Answer, delivered: str) -> Unavailable:
    if answer.status == HTTPStatus.TOO_MANY_REQUESTS:
        wait = _SLOW_DOWN_SECONDS if answer.retry_after is None else answer.retry_after
        return Unavailable("teams_slow_down", retry_after=wait, delivered=delivered)
    again: dict[str, object] = {"again": True} if answer.status in MAYBE else {}
    return Unavailable("teams_error", error=answer.error, delivered=delivered, **again)
