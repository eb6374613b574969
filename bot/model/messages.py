"""One message of a conversation, whatever platform it came from."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime

from rag_core.questions import Filters, Turn


@dataclass(frozen=True, slots=True)
class Actor:
    """Who asks: the platform's own ids ("slack", "T1", "U1")."""

    platform: str
    workspace: str
    person: str


@dataclass(frozen=True, slots=True)
class Conversation:
    """Where it is asked: a channel and, within it, a thread ("" = none).

    Only what is said in a thread is remembered: in an open channel the question before is often somebody else's.
    """

    platform: str
    workspace: str
    channel: str
    thread: str = ""


def edit_key(claim_key: str, changed: str) -> str:
    """The claim key of a message's question as it was changed at `changed`, "" for never."""
    return f"{claim_key}{EDITED}{changed}" if changed else claim_key


EDITED = ":edit:"


@dataclass(frozen=True, slots=True)
class ReplyAddress:
    """How to answer: `kind` names who can read `fields` (a `response_url`, a conversation reference).

    It lets its holder post as the bot, so it is stored encrypted and never logged.
    """

    kind: str
    fields: Mapping[str, str] = field(repr=False)


@dataclass(frozen=True, slots=True)
class InboundQuestion:
    """A question as accepted. `claim_key` is equal for every delivery of the same message. `private`: nobody but the
    asker reads the reply; else it is shown what everybody who reads the conversation may see. `defaults`: what it
    means where it names no place or platform; set when it is accepted, so that asked again it means the same."""

    question_id: str
    claim_key: str
    actor: Actor
    conversation: Conversation
    text: str
    reply_address: ReplyAddress
    received_at: datetime
    filters: Filters = field(default_factory=Filters)
    as_of: date | None = None
    history: tuple[Turn, ...] = ()
    private: bool = False
    defaults: Filters = field(default_factory=Filters)
