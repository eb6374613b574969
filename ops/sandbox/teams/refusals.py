"""Teams saying no, with the codes of "Status codes from bot conversational APIs"."""


class TeamsRefusal(Exception):
    """`status` and `{"error": {"code", "message"}}` as Teams puts them."""

    def __init__(self, status: int, code: str, message: str, *, retry_after: int = 0) -> None:
        super().__init__(f"{status} {code}: {message}")
        self.status = status
        self.code = code
        self.message = message
        self.retry_after = retry_after

    @property
    def answer(self) -> dict[str, object]:
        return {"error": {"code": self.code, "message": self.message}}

    @property
    def headers(self) -> dict[str, str]:
        return {"Retry-After": str(self.retry_after)} if self.retry_after else {}


def bad_argument(message: str) -> TeamsRefusal:
    return TeamsRefusal(400, "BadArgument", message)


def conversation_not_found() -> TeamsRefusal:
    return TeamsRefusal(404, "ConversationNotFound", "Conversation not found.")


def activity_not_found() -> TeamsRefusal:
    return TeamsRefusal(404, "ActivityNotFoundInConversation", "The activity is not in this conversation.")


def member_not_found() -> TeamsRefusal:
    return TeamsRefusal(404, "MemberNotFoundInConversation", "The member is not in this conversation.")


def not_in_roster() -> TeamsRefusal:
    return TeamsRefusal(403, "BotNotInConversationRoster", "The bot is not part of the conversation roster.")


def blocked_by_person() -> TeamsRefusal:
    return TeamsRefusal(403, "ConversationBlockedByUser", "User blocked the conversation with the bot.")


def not_installed_for_person() -> TeamsRefusal:
    return TeamsRefusal(403, "ForbiddenOperationException", "Bot is not installed in user's personal scope")


def too_big() -> TeamsRefusal:
    return TeamsRefusal(413, "MessageSizeTooBig", "Message size too large.")


def stream_not_allowed(message: str) -> TeamsRefusal:
    return TeamsRefusal(403, "ContentStreamNotAllowed", message)


def bad_stream(message: str) -> TeamsRefusal:
    return TeamsRefusal(400, "BadRequest", message)
