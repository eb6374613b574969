"""A question as it was understood."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum

from rag_core.documents import ContentType


class Intent(StrEnum):
    """What kind of answer the question wants. `ATTRIBUTION`: who said what, and where; `OUT_OF_SCOPE`: plainly about
    something else; the last three are not about policies at all."""

    PERMISSION = "permission"
    REQUIREMENT = "requirement"
    DEFINITION = "definition"
    INFORMATION = "information"
    ATTRIBUTION = "attribution"
    COMPARISON = "comparison"
    WHAT_CHANGED = "what_changed"
    LIST_SOURCES = "list_sources"
    HELP = "help"
    SMALL_TALK = "small_talk"
    OUT_OF_SCOPE = "out_of_scope"


class NoteKind(StrEnum):
    """Why a word of the question was read as something else.

    Places: `CITY` (Munich -> de), `PLACE_GROUP` (Benelux -> be nl lu), `MISSPELT_PLACE`, `UNCLEAR_PLACE` (misspelt, and
    near to several: none is taken), `PLACES_LEFT_OUT` (more than are answered for at once). Platforms: `OTHER_NAME` (a
    former or everyday name), `MISSPELT_PLATFORM`. Labels: `LABEL_WORD` (the word that names the value),
    `LABEL_DEFAULT` (nobody named one). `CARRIED`: from what was said before; `meant` are fields of the scope.
    """

    CITY = "city"
    PLACE_GROUP = "place_group"
    MISSPELT_PLACE = "misspelt_place"
    UNCLEAR_PLACE = "unclear_place"
    PLACES_LEFT_OUT = "places_left_out"
    OTHER_NAME = "other_name"
    MISSPELT_PLATFORM = "misspelt_platform"
    LABEL_WORD = "label_word"
    LABEL_DEFAULT = "label_default"
    CARRIED = "carried"


@dataclass(frozen=True, slots=True)
class ScopeNote:
    """`said`: the words of the question ("" for a default); `meant`: region codes, a slug, or "key=value"."""

    kind: NoteKind
    said: str
    meant: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DeclaredLabel:
    """A label with variants that are never mixed, as the catalogue declares it: `words` by value, in small letters.

    `default`: the value that a question means which names none; None: then all are looked through.
    """

    key: str
    words: Mapping[str, tuple[str, ...]]
    default: str | None = None


@dataclass(frozen=True, slots=True)
class Turn:
    """An earlier message of the conversation: context, never evidence. `role`: "user" or "assistant"."""

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class Background:
    """What a long conversation was about before its last turns: bounded, newest first. Context, never evidence."""

    topics: tuple[str, ...] = ()
    regions: tuple[str, ...] = ()
    policy_sources: tuple[str, ...] = ()
    document_ids: tuple[str, ...] = ()


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
    """A question with all that decides its answer. `today` is the caller's clock (UTC), `groups` the asker's.
    `defaults`: places and platforms that it means where neither it, nor the conversation, nor `filters` name any."""

    text: str
    today: date
    groups: frozenset[str] = frozenset()
    filters: Filters = field(default_factory=Filters)
    history: tuple[Turn, ...] = ()
    background: Background = field(default_factory=Background)
    as_of: date | None = None
    top_k: int = 15
    defaults: Filters = field(default_factory=Filters)


@dataclass(frozen=True, slots=True)
class Scope:
    """What an answer holds for. Empty tuples mean: not restricted.

    `inferred` names the fields that were read out of the question's words, `assumed` those that nobody said (the day,
    or defaults of where it was asked); `notes` say how. `since`: the first day that a question on changes asks about;
    it ends with `as_of`. `labels_excluded`: values of declared labels that must not be shown, where documents without
    the label may be.
    """

    as_of: date
    policy_sources: tuple[str, ...] = ()
    regions: tuple[str, ...] = ()
    content_types: tuple[ContentType, ...] = ()
    sections: tuple[str, ...] = ()
    labels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    inferred: tuple[str, ...] = ()
    assumed: tuple[str, ...] = ()
    notes: tuple[ScopeNote, ...] = ()
    since: date | None = None
    labels_excluded: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class QueryTerm:
    """A word or phrase to look for, other words for the same thing, and wider things of which it is one.

    A rule on a wider thing covers it: who asks for beer is answered by a rule on alcohol. `akin`: phrases of the rules
    found that a model takes for near to it; what only they cover is covered, and not named.
    """

    text: str
    synonyms: tuple[str, ...] = ()
    broader: tuple[str, ...] = ()
    akin: tuple[str, ...] = ()

    @property
    def wordings(self) -> tuple[str, ...]:
        """Everything to look for: the term's own words first."""
        return (self.text, *self.synonyms, *self.broader, *self.akin)


@dataclass(frozen=True, slots=True)
class Question:
    """`text` is the question cleaned of control characters; `terms` are its content words: what it is about,
    without place, day, platform and filler. `rewritten`: a follow-up completed from the conversation.
    `rule_number`: the rule or section that is asked for by its number, which is a term as well. `is_broad`: about
    policies, but about which is not said. `language`: ISO 639-1 of the one it is written in, "und" for a script whose
    language is not told. `speaks_of_rules`: it has a word of advertising, of rules or of the trade, or a platform; what
    has none is answered only if the documents state all of it."""

    text: str
    scope: Scope
    intent: Intent
    terms: tuple[QueryTerm, ...]
    about_advertising: bool = False
    rewritten: str | None = None
    rule_number: str | None = None
    is_broad: bool = False
    language: str = "en"
    speaks_of_rules: bool = True

    @property
    def search_text(self) -> str:
        """What is embedded: the question, completed if it was a follow-up."""
        return self.rewritten or self.text
