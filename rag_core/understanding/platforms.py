"""The publishers that a question names."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from rag_core.documents import PolicySource


@dataclass(frozen=True, slots=True)
class SourceMention:
    """A policy source named in a text, with the offsets of the words that name it."""

    slug: str
    start: int
    end: int


def find_sources(text: str, sources: Iterable[PolicySource]) -> list[SourceMention]:
    """Every known policy source that `text` names by slug, display name or alias; the longest name wins.

    Names of one or two letters ("X") count only as written: "X" is a platform, "x" mostly is not.
    """
    found: list[SourceMention] = []
    for name, slug in _names(sources):
        flags = re.NOFLAG if len(name) <= 2 else re.IGNORECASE
        for match in re.finditer(rf"(?<![\w-]){re.escape(name)}(?:['’]s)?(?![\w-])", text, flags):
            if not any(match.start() < other.end and other.start < match.end() for other in found):
                found.append(SourceMention(slug, match.start(), match.end()))
    return sorted(found, key=lambda mention: mention.start)


def _names(sources: Iterable[PolicySource]) -> list[tuple[str, str]]:
    pairs = {
        (name.strip(), source.slug)
        for source in sources
        for name in (*_slugs(source.slug), source.display_name, *source.aliases)
        if name.strip()
    }
    return sorted(pairs, key=lambda pair: (-len(pair[0]), pair))


def _slugs(slug: str) -> tuple[str, ...]:
    return (slug, slug.replace("-", " ")) if len(slug) > 2 else ()
