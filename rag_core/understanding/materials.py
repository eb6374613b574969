"""The kind of material that a question is about: video, image, landing page, ad text."""

import re
from dataclasses import dataclass

from rag_core.documents import ContentType

_WORDS = {
    ContentType.VIDEO: r"videos?|video\s+(?:ads?|creatives?)|clips?|footage|reels?|pre-?rolls?|tv\s+(?:ads?|spots?)",
    ContentType.IMAGE: r"(?:banner\s+ad|image|picture|pic|photo|photograph|banner|thumbnail|gif|carousel)s?",
    ContentType.LANDING_PAGE: r"landing[\s-]?pages?|destination\s+(?:page|url|site)s?|click-?through\s+pages?",
    ContentType.AD_TEXT: r"ad\s?text|(?:ad\s+)?cop(?:y|ies)(?!\s*right)|(?:headline|caption|tagline|slogan)s?",
}
_PATTERN = re.compile(
    "|".join(rf"(?P<{kind.value}>(?<![\w-])(?:{words})(?![\w-]))" for kind, words in _WORDS.items()), re.IGNORECASE
)
_NOT_MATERIAL = re.compile(
    r"(?:video|photo)\s+(?:games?|editing|editors?|apps?|cameras?|poker|slots?|chat|dating|sharing)|cop(?:y|ies)\s+of",
    re.IGNORECASE,
)
"""Here the word says what is advertised, not how."""


@dataclass(frozen=True, slots=True)
class MaterialMention:
    """A kind of material named in a text, with the offsets of the words that name it."""

    content_type: ContentType
    start: int
    end: int


def find_materials(text: str) -> list[MaterialMention]:
    """Every kind of material that `text` names, in order."""
    return [
        MaterialMention(ContentType(str(match.lastgroup)), match.start(), match.end())
        for match in _PATTERN.finditer(text)
        if not _NOT_MATERIAL.match(text, match.start())
    ]
