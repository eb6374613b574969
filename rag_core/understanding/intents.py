"""What kind of answer a question wants, by its wording, and whether it speaks of advertising or of rules."""

import re
from collections.abc import Callable

from rag_core.questions import Intent
from rag_core.vocabulary import pattern

_FLAGS = re.IGNORECASE

ADVERTISING = pattern("questions", "advertising")
"""Words of advertising: what is advertised, and how."""

RULES = pattern("questions", "rules")
"""Words of rules: somebody wants to know what is laid down."""

_EVERYDAY = pattern("questions", "everyday")
"""Words of rules that are words of everything else, too."""


def speaks_of_ad_rules(text: str) -> bool:
    """Whether a word of advertising is in it, or one of rules that is hardly used of anything else."""
    if ADVERTISING.search(text):
        return True
    return any(not _EVERYDAY.fullmatch(match[0]) for match in RULES.finditer(text))


_DEFINITION = pattern("questions", "definition")
_PERMISSION = pattern("questions", "permission")
_REQUIREMENT = pattern("questions", "requirement")
_WHAT_IS = pattern("questions", "what_is")
_WH = re.compile(r"^\W*(who|when|why|where|which|what|how)\b", re.IGNORECASE)
_CHANGED = pattern("questions", "changed")
_COMPARED = pattern("questions", "compared")
_SOURCES = pattern("questions", "sources")
_SOURCES_OF_YOURS = re.compile(
    r"\b(?:you|your|known|covered|loaded|indexed|available)\b|^\W*(?:list|sources|documents|show)"
)
_HELP = pattern("questions", "help")
_SMALL_TALK = pattern("questions", "small_talk")
_ATTRIBUTION = pattern("questions", "attribution")
_NOT_OF_RULES: tuple[tuple[Intent, Callable[[str], object]], ...] = (
    (Intent.SMALL_TALK, _SMALL_TALK.match),
    (Intent.HELP, _HELP.match),
    (Intent.LIST_SOURCES, lambda text: _SOURCES.search(text) and _SOURCES_OF_YOURS.search(text.lower())),
)
_OF_RULES = (
    (Intent.WHAT_CHANGED, _CHANGED),
    (Intent.COMPARISON, _COMPARED),
    (Intent.ATTRIBUTION, _ATTRIBUTION),
)


def intent_of(text: str) -> Intent:
    """The intent; a bare topic ("alcohol UK?") asks for permission."""
    for intent, asks in _NOT_OF_RULES:
        if asks(text):
            return intent
    return next((intent for intent, pattern in _OF_RULES if pattern.search(text)), None) or _of_a_rule(text)


def _of_a_rule(text: str) -> Intent:
    if _DEFINITION.search(text):
        return Intent.DEFINITION
    if _WHAT_IS.match(text) and not _REQUIREMENT.search(text):
        return Intent.DEFINITION
    opens_with_wh = bool(_WH.search(text))
    if _REQUIREMENT.search(text) and (opens_with_wh or not _PERMISSION.search(text)):
        return Intent.REQUIREMENT
    if _PERMISSION.search(text) or not opens_with_wh:
        return Intent.PERMISSION
    return Intent.INFORMATION
