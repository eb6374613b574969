"""A question as it was understood."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum

from rag_core.documents import ContentType


class Intent(StrEnum):
    """What kind of answer the question wants."""

    PERMISSION = "permission"
    REQUIREMENT = "requirement"
    DEFINITION = "definition"
    INFORMATION = "information"
    COMPARISON = "comparison"
    WHAT_CHANGED = "what_changed"
    LIST_SOURCES = "list_sources"
    HELP = "help"
    SMALL_TALK = "small_talk"


@dataclass(frozen=True, slots=True)
class Turn:
    """An earlier message of the conversation: context, never evidence. `role`: "user" or "assistant"."""

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class Filters:
    """What the asker fixed explicitly; each: any of. Regions are places asked about, matched by membership."""

    policy_sources: tuple[str, ...] = ()
    regions: tuple[str, ...] = ()
    content_types: tuple[str, ...] = ()
    sections: tuple[str, ...] = ()
    labels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AskRequest:
    """A question with all that decides its answer. `today` is the caller's clock (UTC), `groups` the asker's."""

    text: str
    today: date
    groups: frozenset[str] = frozenset()
    filters: Filters = field(default_factory=Filters)
    history: tuple[Turn, ...] = ()
    as_of: date | None = None
    top_k: int = 15


@dataclass(frozen=True, slots=True)
class Scope:
    """What an answer holds for. Empty tuples mean: not restricted.

    `since`: the first day of those that a question for changes is about; `as_of` is the last.
    `inferred` names the fields that were read out of the question's words, `assumed` those that nobody said.
    """

    as_of: date
    policy_sources: tuple[str, ...] = ()
    regions: tuple[str, ...] = ()
    content_types: tuple[ContentType, ...] = ()
    sections: tuple[str, ...] = ()
    labels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    inferred: tuple[str, ...] = ()
    assumed: tuple[str, ...] = ()
    since: date | None = None


@dataclass(frozen=True, slots=True)
class QueryTerm:
    """A word or phrase to look for, other words for the same thing, and wider things of which it is one.

    A rule on a wider thing covers it: who asks for beer is answered by a rule on alcohol.
    """

    text: str
    synonyms: tuple[str, ...] = ()
    broader: tuple[str, ...] = ()

    @property
    def wordings(self) -> tuple[str, ...]:
        """Everything to look for: the term's own words first."""
        return (self.text, *self.synonyms, *self.broader)


@dataclass(frozen=True, slots=True)
class Question:
    """`text` is the question cleaned of control characters; `terms` are its content words: what it is about,
    without place, day, platform and filler. `rewritten`: a follow-up completed from the conversation."""

    text: str
    scope: Scope
    intent: Intent
    terms: tuple[QueryTerm, ...]
    about_advertising: bool = False
    rewritten: str | None = None

    @property
    def search_text(self) -> str:
        """What is embedded: the question, completed if it was a follow-up."""
        return self.rewritten or self.text
