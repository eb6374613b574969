"""What a search found, and what tells one thing found from another: rule numbers, copies, how special it is."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from rag_core.documents import Passage
from rag_core.regions import specificity

SYNONYM_WEIGHT = 0.8
"""Another word for it counts a little less than the word that was asked."""

HEADING_WEIGHT = 0.3
RULE_WEIGHT = 3.0

MAX_TERMS = 256
MAX_PHRASE = 8
"""Words of a wording that is looked for as a phrase; nobody has written a longer one just so."""

_POSSESSIVE = re.compile(r"(?<=\w)['’]s\b")


def encodable(text: str) -> str:
    """`text` without halves of characters, which no index takes."""
    return text.encode("utf-8", "replace").decode("utf-8")


def without_possessive(text: str) -> str:
    """Encodable text without the possessive, whose `s` would be a word."""
    return _POSSESSIVE.sub("", encodable(text))


def rule_key(number: str) -> str:
    """A rule number as it is compared: "4.2 ." is "4.2"."""
    return encodable(number).strip(" .").lower()


@dataclass(frozen=True, slots=True)
class Found:
    """A passage with its score in [0, 1], and the cosine of the vector leg where there was one."""

    passage: Passage
    score: float
    cosine: float | None = None


@dataclass(frozen=True, slots=True)
class SearchFound:
    """Results, best first. `degraded` names what did not answer ("embedder", "vector", "keyword")."""

    results: tuple[Found, ...]
    degraded: tuple[str, ...] = ()
    timings_ms: dict[str, float] = field(default_factory=dict)


def of_rule(results: Sequence[Found], number: str | None) -> list[Found]:
    """The results of the rule `number` and of the rules under it; all of them where no rule has that number."""
    return of_no_other_rule(results, number) or list(results)


def of_no_other_rule(results: Sequence[Found], number: str | None) -> list[Found]:
    """The same, but none of them where no rule has that number."""
    if number is None:
        return list(results)
    asked = rule_key(number)
    return [each for each in results if _is_within(each.passage.chunk.rule_number, asked)]


def _is_within(number: str | None, asked: str) -> bool:
    if number is None:
        return False
    key = rule_key(number)
    return key == asked or key.startswith((f"{asked}.", f"{asked}("))


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


CLOSE = 0.05
"""Scores in [0, 1] that differ by less tell nothing about which passage fits better."""


def specific_first(results: Sequence[Found]) -> list[Found]:
    """`results` (best first) with runs of close scores ordered by how special their place and section are."""
    ordered: list[Found] = []
    run: list[Found] = []
    for found in results:
        if run and run[0].score - found.score > CLOSE:
            ordered += sorted(run, key=_generality)
            run = []
        run.append(found)
    return ordered + sorted(run, key=_generality)


def _generality(found: Found) -> tuple[int, int, float, str]:
    chunk = found.passage.chunk
    place = max((specificity(region) for region in chunk.regions), default=0)
    return -place, -chunk.policy_section_level, -found.score, chunk.chunk_id
