"""Where a question came from in Slack and how its answer gets there, as it is kept in the inbox."""

from dataclasses import dataclass, fields

from bot.model.messages import Conversation, ReplyAddress
from rag_core.errors import Rejected

MESSAGE = "slack.message"
"""`ReplyAddress.kind` of what is posted by `chat.postMessage`; fields as in `SlackAddress`."""


@dataclass(frozen=True, slots=True)
class SlackAddress:
    """`thread`: the thread to answer in, "" for a message of its own. `asked_in`: the message that asks, "" for a
    command or a shortcut. `response_url`: another road to the same channel for 30 minutes, "" for none. `to_asker`:
    only the asker is to see the answer. `edits`: the question was edited, and the answer to `asked_in` is replaced.
    `shared_by`: a private answer is shared by this person. `shared_chunks`: ids of the chunks that it quotes, with
    spaces between them. `outside`: what the event said of people of other companies
    (`adapters.slack.access.said_outside`)."""

    team: str
    channel: str
    user: str
    enterprise: str = ""
    thread: str = ""
    asked_in: str = ""
    response_url: str = ""
    to_asker: bool = False
    edits: bool = False
    shared_by: str = ""
    shared_chunks: str = ""
    outside: str = ""

    def as_reply_address(self) -> ReplyAddress:
        said = {
            "team": self.team,
            "channel": self.channel,
            "user": self.user,
            "enterprise": self.enterprise,
            "thread": self.thread,
            "asked_in": self.asked_in,
            "response_url": self.response_url,
            "to_asker": _flag(self.to_asker),
            "edits": _flag(self.edits),
            "shared_by": self.shared_by,
            "shared_chunks": self.shared_chunks,
            "outside": self.outside,
        }
        return ReplyAddress(MESSAGE, {name: value for name, value in said.items() if value})

    @property
    def conversation(self) -> Conversation:
        """What is remembered of it. Of a thread that others write in, a question for the asker's eyes only is no part:
        the next one's, completed from what was said before, would tell them of it."""
        return Conversation("slack", self.team, self.channel, "" if self.to_asker else self.thread)


def slack_address(address: ReplyAddress) -> SlackAddress:
    """The address that `as_reply_address` made. Raises Rejected("reply_address_refused") for another kind."""
    if address.kind != MESSAGE:
        raise Rejected("reply_address_refused", kind=address.kind)
    known = {each.name for each in fields(SlackAddress)}
    given = {name: value for name, value in address.fields.items() if name in known}  # a newer version may write more
    return SlackAddress(**{name: value == _YES if name in _FLAGS else value for name, value in given.items()})  # type: ignore[arg-type]


_YES = "yes"
_FLAGS = frozenset({"to_asker", "edits"})


def _flag(value: bool) -> str:
    return _YES if value else ""
