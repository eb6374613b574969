"""The same rule found twice: in copies of a document, or in versions that hold side by side."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache

from rag_core.documents import Passage
from rag_core.retrieval.found import Found

ALIKE = 0.8
"""Share of words in common (Jaccard) from which two passages under one heading are drafts of one rule."""

_WORD = re.compile(r"\w+")
_Key = tuple[object, ...]


def without_copies(found: Sequence[Found]) -> list[Found]:
    """`found` with one of each set of copies, the newest, where the best of them stood.

    Copies have the same words under the same headings and title, and hold for the same place, platform, kind of
    material and labels. One word more or less can turn a rule round: then it is another rule.
    """
    best: dict[_Key, Found] = {}
    for each in found:
        key = (*_standing(each.passage), _words(each.passage.chunk.lead_in), _words(each.passage.chunk.chunk_text))
        first = best.setdefault(key, each)
        if kept_first(each, first):
            best[key] = replace(each, score=max(first.score, each.score))
    return list(best.values())


def are_alike(one: Found, other: Found) -> bool:
    """Whether both stand under the same headings for the same readers, and say nearly the same."""
    if one is other or _standing(one.passage) != _standing(other.passage):
        return False
    words, others = frozenset(_words_of(one)), frozenset(_words_of(other))
    return len(words & others) >= ALIKE * len(words | others)


def kept_first(one: Found, other: Found) -> bool:
    """Whether `one` is from the newer version."""
    return _age(one.passage) > _age(other.passage)


def _age(passage: Passage) -> tuple[object, ...]:
    version = passage.version
    return version.effective_from, version.checked_at


def _standing(passage: Passage) -> _Key:
    """What must be equal for two passages to be copies, beside the text."""
    chunk, version = passage.chunk, passage.version
    return (
        chunk.policy_source,
        _words(version.title),
        _words(chunk.policy_path),
        chunk.rule_number,
        chunk.content_type,
        frozenset(chunk.regions),
        frozenset(chunk.regions_excluded),
        frozenset(version.labels.items()),
    )


def _words_of(found: Found) -> Iterable[str]:
    return _words(found.passage.chunk.chunk_text)


@lru_cache(maxsize=20_000)
def _words(text: str) -> tuple[str, ...]:
    """The words of a text as they are compared: without case, punctuation and mark-up."""
    return tuple(_WORD.findall(text.casefold()))
