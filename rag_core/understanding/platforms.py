"""The publishers that a question names, by their names of today, former ones, and misspelt ones."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rapidfuzz.distance import OSA, Levenshtein

from rag_core.documents import PolicySource
from rag_core.questions import NoteKind, ScopeNote
from rag_core.understanding.thesaurus import entry_of, stems_of_phrase
from rag_core.understanding.words import is_filler

_WORD = re.compile(r"[^\W\d_]+")
_SHORTEST = 6
"""Letters of a name that may be misspelt; among shorter ones one letter makes another word."""
_LONG = 8
"""Letters from which one letter may stand for another: below, a letter is missing, doubled or out of place."""


@dataclass(frozen=True, slots=True)
class SourceMention:
    """A policy source named in a text, with the offsets of the words that name it; `kind` where it was not by its
    display name or slug."""

    slug: str
    start: int
    end: int
    kind: NoteKind | None = None

    def note(self, text: str) -> ScopeNote | None:
        """What is said of how the words were read."""
        return ScopeNote(self.kind, text[self.start : self.end], (self.slug,)) if self.kind else None


def find_sources(text: str, sources: Iterable[PolicySource]) -> list[SourceMention]:
    """Every known policy source that `text` names by slug, display name or alias; the longest name wins.

    Names of one or two letters ("X") count only as written: "X" is a platform, "x" mostly is not.
    """
    known = list(sources)
    current = {name.lower() for source in known for name in (*_slugs(source.slug), source.slug, source.display_name)}
    found: list[SourceMention] = []
    for name, slug in _names(known):
        if name.lower() not in text.lower():
            continue
        flags = re.NOFLAG if len(name) <= 2 else re.IGNORECASE
        kind = None if name.lower() in current else NoteKind.OTHER_NAME
        for match in re.finditer(rf"(?<![\w-]){re.escape(name)}(?:['’]s)?(?![\w-])", text, flags):
            if not any(match.start() < other.end and other.start < match.end() for other in found):
                found.append(SourceMention(slug, match.start(), match.end(), kind))
    return sorted([*found, *_misspelt(text, known, found)], key=lambda mention: mention.start)


def _misspelt(text: str, sources: Sequence[PolicySource], taken: Sequence[SourceMention]) -> Iterable[SourceMention]:
    """Words that can only be one platform's name with one mistake in it."""
    names = [(name.lower(), slug) for name, slug in _names(sources) if len(name) >= _SHORTEST and name.isalpha()]
    for match in _WORD.finditer(text):
        word = match[0].lower()
        if len(word) < _SHORTEST - 1 or any(match.start() < each.end and each.start < match.end() for each in taken):
            continue
        meant = {slug for name, slug in names if _is_slip(word, name)}
        if len(meant) == 1 and not is_filler(word) and entry_of(stems_of_phrase(word)) is None:
            yield SourceMention(meant.pop(), *match.span(), NoteKind.MISSPELT_PLATFORM)


def _is_slip(word: str, name: str) -> bool:
    """Whether one slip of the finger makes `word` of `name`; "goggle" and the plural are words of their own."""
    if word[0] != name[0] or word == f"{name}s" or OSA.distance(word, name, score_cutoff=1) != 1:
        return False
    return len(word) != len(name) or len(name) >= _LONG or Levenshtein.distance(word, name) == 2


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
