"""What may tell a question that the passages found answer from one that they do not: one number each.

Higher speaks for an answer. Those that the judge in `rag_core.answering.evidence` goes by are among them.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import log

from rag_core.answering.coverage import covered, stem_line
from rag_core.answering.evidence import Evidence, judge
from rag_core.answering.units import units_of
from rag_core.documents import Passage
from rag_core.questions import QueryTerm, Question
from rag_core.retrieval.found import Found

_READ = 5
_NUMBER = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|hundred|thousand|million)\b", re.I
)
_NAME = re.compile(r"(?<=[a-z,;] )[A-Z]\w+")
_TYPES = (
    (
        re.compile(r"\bhow\s+(?:many|much|old|long|often|large|big|high|far|soon)\b|\bage\b|\bwhat\s+percent", re.I),
        _NUMBER,
    ),
    (re.compile(r"\bwhen\b|\bwhat\s+(?:year|day|date|month|time)\b|\bwhich\s+year\b", re.I), _NUMBER),
    (re.compile(r"\bwho(?:se|m)?\b|\bwhere\b|\bwhich\s+(?:country|city|person)\b", re.I), _NAME),
)
_UNTOLD = 0.5


class Rarity:
    """How much a word tells: log(documents / documents with its rarest stem), over the passages given."""

    def __init__(self, passages: Iterable[Passage]) -> None:
        stems = [set(stem_line(each.chunk.search_text).split()) for each in passages]
        self._count = max(len(stems), 1)
        self._seen = Counter(stem for each in stems for stem in each)

    def of(self, term: QueryTerm) -> float:
        """At least log 2, for a word of no passage the most."""
        counts = [self._seen[stem] for stem in stem_line(term.text).split()]
        return log(1 + self._count / (1 + min(counts, default=0)))


@dataclass(frozen=True)
class Case:
    """A question in one place (None: none asked), and what was found for it, best first."""

    question: Question
    place: str | None
    found: Sequence[Found]
    rarity: Rarity

    @cached_property
    def evidence(self) -> Evidence:
        return judge(self.question, self.place, self.found)

    @cached_property
    def texts(self) -> list[str]:
        return [f"{each.passage.version.title}\n{each.passage.chunk.search_text}" for each in self.found[:_READ]]

    @cached_property
    def sentences(self) -> list[str]:
        return [unit.text for each in self.found[:_READ] for unit in units_of(each.passage)]

    def share(self, texts: Iterable[str]) -> float:
        """The most that one of `texts` covers of the question's words, by what they tell."""
        total = sum(self.rarity.of(term) for term in self.question.terms)
        best = max((sum(map(self.rarity.of, covered(text, self.question.terms))) for text in texts), default=0.0)
        return best / total if total else 0.0

    @cached_property
    def best_sentence(self) -> str:
        return max(self.sentences, key=lambda text: len(covered(text, self.question.terms)), default="")


def _cosines(case: Case) -> list[float]:
    return sorted((each.cosine or 0.0 for each in case.found), reverse=True)


def _margin(case: Case) -> float:
    cosines = _cosines(case)
    return cosines[0] - cosines[1] if len(cosines) > 1 else 0.0


def _phrases(case: Case) -> float:
    """The share of neighbouring pairs of the question's stems that stand side by side in a passage."""
    stems = stem_line(case.question.text).split()
    pairs = [f" {one} {other} " for one, other in pairwise(stems)]
    lines = [stem_line(text) for text in case.texts]
    return sum(any(pair in line for line in lines) for pair in pairs) / len(pairs) if pairs else 0.0


def _answer_type(case: Case) -> float:
    """Whether the sentence that covers most holds what the question asks for: a number, a name."""
    for asks, holds in _TYPES:
        if asks.search(case.question.text):
            return 1.0 if holds.search(case.best_sentence) else 0.0
    return _UNTOLD


def _own_coverage(case: Case) -> float:
    return max((rule.own_coverage for rule in case.evidence.around), default=0.0)


def _coverage(case: Case) -> float:
    return max((rule.coverage for rule in case.evidence.around), default=0.0)


SIGNALS: Mapping[str, Callable[[Case], float]] = {
    "similarity": lambda case: max(_cosines(case), default=0.0),
    "margin of similarity": _margin,
    "similarity of the first five": lambda case: sum(_cosines(case)[:_READ]) / _READ,
    "margin of scores": lambda case: case.found[0].score - case.found[1].score if len(case.found) > 1 else 0.0,
    "rare words in a passage": lambda case: case.share(case.texts),
    "rare words in a sentence": lambda case: case.share(case.sentences),
    "neighbouring words": _phrases,
    "answer type": _answer_type,
    "coverage (judge)": _coverage,
    "own coverage (judge)": _own_coverage,
    "words missing (judge)": lambda case: -float(len(case.evidence.not_stated)),
    "complete (judge)": lambda case: float(case.evidence.is_complete),
}
