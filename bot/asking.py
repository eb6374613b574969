"""A question in, a recorded reply out: for callers that wait for it (REST, web page, terminal) and the service."""

from dataclasses import dataclass, field
from datetime import date

from bot.messages import Actor
from rag_core.answers import AskTrace, Reply
from rag_core.questions import Filters, Turn


@dataclass(frozen=True, slots=True)
class Asked:
    """Who asks what, from where ("slack", "rest", "web", "terminal"). `groups` are the asker's, for the audience."""

    text: str
    actor: Actor
    asked_from: str
    filters: Filters = field(default_factory=Filters)
    history: tuple[Turn, ...] = ()
    as_of: date | None = None
    top_k: int = 15
    groups: frozenset[str] = frozenset()
    answer_id: str | None = None


@dataclass(frozen=True, slots=True)
class Answered:
    """A reply with the id under which it is recorded."""

    answer_id: str
    reply: Reply
    trace: AskTrace
