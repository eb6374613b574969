"""Where a question came from in Teams and how its answer gets there, as it is kept in the inbox."""

import hashlib
from dataclasses import dataclass, fields, replace
from enum import StrEnum

from bot.model.messages import Conversation, ReplyAddress
from rag_core.errors import Rejected

MESSAGE = "teams.message"
"""`ReplyAddress.kind`; fields as in `TeamsAddress`."""

PLATFORM = "teams"
_THREAD = ";messageid="
_CHAT = "chat"


class TeamsPlace(StrEnum):
    """`conversation.conversationType` of an activity."""

    PERSONAL = "personal"
    GROUP = "groupChat"
    CHANNEL = "channel"


@dataclass(frozen=True, slots=True)
class TeamsReference:
    """Where something is sent. `conversation`: with `;messageid=` for a thread. `bot`: the bot's own id there (`28:`).
    Its holder can make the bot speak there, so it is kept encrypted and never logged."""

    service_url: str
    tenant: str
    conversation: str
    bot: str

    @property
    def signed_for(self) -> str:
        """What the signatures of its cards hold for (`bot.access.signing`): a tenant's channel or chat, any thread of
        it."""
        return f"{self.tenant}/{channel_of(self.conversation)}"


@dataclass(frozen=True, slots=True)
class TeamsAddress:
    """`team`: the team's group id in Entra, of a channel. `person`: object id, "" for who has none; `user`: his `29:`
    id. `asked_in`: the activity that asks, "" for a click. `edits`: the question was edited, and the answer to
    `asked_in` is replaced. `working`: an activity of ours that says that it is worked on, and becomes the answer.
    `shared_by`: a private answer is shared by this person; `shared_chunks`: ids of the chunks that it quotes, with
    spaces between them. `outside`: what the activity said of people of other organisations."""

    service_url: str
    tenant: str
    conversation_id: str
    place: TeamsPlace
    bot: str
    user: str
    person: str = ""
    team: str = ""
    asked_in: str = ""
    edits: bool = False
    working: str = ""
    shared_by: str = ""
    shared_chunks: str = ""
    outside: str = ""

    @property
    def reference(self) -> TeamsReference:
        return TeamsReference(self.service_url, self.tenant, self.conversation_id, self.bot)

    @property
    def conversation(self) -> Conversation:
        """A channel's thread is one conversation; so is all of a personal chat. Group chats have no threads: there each
        person's questions are one, by a hash: a thread is kept as it is, and names nobody."""
        return Conversation(PLATFORM, self.tenant, channel_of(self.conversation_id, self.team), self._thread)

    @property
    def _thread(self) -> str:
        if self.place is TeamsPlace.PERSONAL:
            return _CHAT
        if self.place is TeamsPlace.GROUP:
            return hashlib.sha256(f"{self.tenant}/{self.person or self.user}".encode()).hexdigest()
        return thread_of(self.conversation_id) or self.asked_in

    def as_reply_address(self) -> ReplyAddress:
        said = {each.name: getattr(self, each.name) for each in fields(self)}
        said["edits"] = "yes" if self.edits else ""
        return ReplyAddress(MESSAGE, {name: str(value) for name, value in said.items() if value or name in _NEEDED})


_NEEDED = frozenset({"service_url", "tenant", "conversation_id", "place", "bot", "user"})


def teams_address(address: ReplyAddress) -> TeamsAddress:
    """The address that `as_reply_address` made. Raises Rejected("reply_address_refused") for anything else."""
    if address.kind != MESSAGE or not address.fields.keys() >= _NEEDED or address.fields["place"] not in [*TeamsPlace]:
        raise Rejected("reply_address_refused", kind=address.kind)
    known = {each.name for each in fields(TeamsAddress)}
    given = {name: value for name, value in address.fields.items() if name in known}  # a newer version may write more
    found = TeamsAddress(**given)  # type: ignore[arg-type]
    return replace(found, edits=bool(found.edits), place=TeamsPlace(found.place))


def channel_of(conversation_id: str, team: str = "") -> str:
    """How a conversation is named everywhere else: without its thread; a channel's with its team in front, which Graph
    asks for: `TEAM/19:...@thread.tacv2`."""
    plain = conversation_id.partition(";")[0]
    return f"{team}/{plain}" if team else plain


def conversation_of(channel: str, thread: str = "") -> str:
    """The conversation id of a channel that `channel_of` named, in one of its threads."""
    plain = channel.rpartition("/")[2]
    return f"{plain}{_THREAD}{thread}" if thread else plain


def thread_of(conversation_id: str) -> str:
    """The message that its thread begins with; "" for none."""
    return conversation_id.partition(_THREAD)[2].partition(";")[0]
