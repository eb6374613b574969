"""Re-ranking as a question uses it: the weighed signals, and a model that reads question and passage together if there
is one."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace

from rag_core.deadlines import remaining, within
from rag_core.errors import Unavailable
from rag_core.ports import Reranker
from rag_core.questions import Intent, QueryTerm, Question
from rag_core.regions import GLOBAL, seen_from
from rag_core.retrieval.found import Found, are_alike, kept_first, of_rule, without_copies
from rag_core.understanding.terms import covered
from rag_core.vocabulary import pattern

_RULE = pattern("passages", "rule")
_EXPLAINS = pattern("passages", "explains")
_DEFINES = re.compile(
    r"\bmeans?\b|\brefers?\s+to\b|\bdefined\s+as\b|\bincludes?\b|\b(?:is|are)\s+any\b|^[^.:\n]{2,60}:\s",
    re.IGNORECASE | re.MULTILINE,
)
_SAID_BESIDE = 0.5


@dataclass(frozen=True, slots=True)
class Asked:
    """What passages are ranked for: the question's content words, what it wants, and the place (None: none asked).

    `text`: the question as it was understood.
    """

    text: str
    terms: tuple[QueryTerm, ...]
    intent: Intent
    place: str | None
    rule_number: str | None = None


def asked_of(question: Question, place: str | None) -> Asked:
    """What passages are ranked for, of a question in one of its places."""
    text, terms = question.search_text, question.terms
    return Asked(text, terms, question.intent, place, question.rule_number)


Signal = Callable[[Sequence[Found], Asked], list[float]]


def relevance(found: Sequence[Found], asked: Asked) -> list[float]:
    """The fused score of words and meaning."""
    return [each.score for each in found]


def likeness(found: Sequence[Found], asked: Asked) -> list[float]:
    """The cosine. Fusion stretches scores over [0, 1], however alike or unlike all passages are; this does not."""
    return [max(0.0, each.cosine or 0.0) for each in found]


def wording(found: Sequence[Found], asked: Asked) -> list[float]:
    """The share of the question's content words that the text itself speaks of: every passage of a document has the
    words of its headings, which tell none of them from the others."""
    if not asked.terms:
        return [0.0] * len(found)
    return [len(covered(each.passage.chunk.chunk_text, asked.terms)) / len(asked.terms) for each in found]


def place(found: Sequence[Found], asked: Asked) -> list[float]:
    """A rule for the place asked, or that names it, before a general one, before those for other places. As far as it
    is relevant: a place has rules on other things, too."""
    own = seen_from(asked.place) - {GLOBAL} if asked.place else frozenset()
    return [each.score * _nearness(each, own) for each in found]


def _nearness(found: Found, own: frozenset[str]) -> float:
    chunk = found.passage.chunk
    if own & {*chunk.regions, *chunk.regions_mentioned}:
        return 1.0
    return _SAID_BESIDE if GLOBAL in chunk.regions else 0.0


def hierarchy(found: Sequence[Found], asked: Asked) -> list[float]:
    """What kind of passage answers such a question: what explains, for a definition; else what states a rule."""
    if asked.intent is Intent.DEFINITION:
        return [_explains(each) for each in found]
    return [1.0 if _RULE.search(each.passage.chunk.chunk_text) else 0.0 for each in found]


def _explains(found: Found) -> float:
    chunk = found.passage.chunk
    if _EXPLAINS.search(chunk.policy_section):
        return 1.0
    return _SAID_BESIDE if _DEFINES.search(chunk.chunk_text) else 0.0


def adjacency(found: Sequence[Found], asked: Asked) -> list[float]:
    """The score of the better neighbour in the same version: where two stand together, the text is on it."""
    scores = {(each.passage.chunk.doc_id, each.passage.chunk.chunk_index): each.score for each in found}
    places = [(each.passage.chunk.doc_id, each.passage.chunk.chunk_index) for each in found]
    return [max(scores.get((doc_id, index + step), 0.0) for step in (-1, 1)) for doc_id, index in places]


def recency(found: Sequence[Found], asked: Asked) -> list[float]:
    """0 for a passage of which a newer version says nearly the same, else 1.

    The search found only what holds on the day asked, and among such rules age says nothing: one of 2019 holds as much
    as one of last week.
    """
    return [
        0.0 if any(kept_first(other, each) and are_alike(other, each) for other in found) else 1.0 for each in found
    ]


def own_rules(found: Sequence[Found], place: str | None) -> list[Found]:
    """Those that hold in `place`, or in what it belongs to, and not everywhere."""
    own = seen_from(place) - {GLOBAL} if place else frozenset()
    return [each for each in found if own & set(each.passage.chunk.regions)]


@dataclass(frozen=True, slots=True)
class RankWeights:
    """How much each signal counts, relative to the others; 0 leaves it out. None is negative, not all are 0."""

    relevance: float
    likeness: float = 0.0
    wording: float = 0.0
    place: float = 0.0
    recency: float = 0.0
    hierarchy: float = 0.0
    adjacency: float = 0.0


SIGNALS: Mapping[str, Signal] = {
    "relevance": relevance,
    "likeness": likeness,
    "wording": wording,
    "place": place,
    "recency": recency,
    "hierarchy": hierarchy,
    "adjacency": adjacency,
}

FUSION_ALONE = RankWeights(relevance=1.0)
PUBLISHED = RankWeights(relevance=0.5, recency=0.2, hierarchy=0.2, adjacency=0.1)
"""The starting point in the literature on retrieval for policies and regulations."""

TUNED = RankWeights(relevance=0.32, likeness=0.28, wording=0.27, place=0.08, recency=0.02, hierarchy=0.03)
"""Adjacency gained nothing and is left out; recency decides between drafts of one rule only, which no data set here
has."""


def rerank(
    found: Sequence[Found], asked: Asked, weights: RankWeights = TUNED, steps: Mapping[str, Signal] = SIGNALS
) -> list[Found]:
    """`found` without copies, best first, ties by chunk id; a rule that was asked for by its number first of all."""
    ranked = without_copies(weighed(found, asked, weights, steps))
    named = of_rule(ranked, asked.rule_number) if asked.rule_number else []
    if not named or len(named) == len(ranked):
        return ranked
    return [replace(each, score=1.0) for each in named] + [each for each in ranked if each not in named]


def weighed(
    found: Sequence[Found], asked: Asked, weights: RankWeights, steps: Mapping[str, Signal] = SIGNALS
) -> list[Found]:
    """`found` by the weighed sum of its signals, with new scores in [0, 1]."""
    shares = {name: weight for name, weight in asdict(weights).items() if weight > 0}
    columns = [(weight, steps[name](found, asked)) for name, weight in shares.items()]
    sums = [sum(weight * column[row] for weight, column in columns) for row in range(len(found))]
    scores = _stretched(sums, [each.score for each in found])
    scored = [replace(each, score=score) for each, score in zip(found, scores, strict=True)]
    return sorted(scored, key=lambda each: (-each.score, each.passage.chunk.chunk_id))


def _stretched(sums: Sequence[float], scores: Sequence[float]) -> list[float]:
    """`sums` over the range of `scores`: who reads a score further on finds it where fusion put it."""
    if not sums or max(sums) == min(sums):
        return list(scores)
    low, high = min(scores), max(scores)
    return [low + (each - min(sums)) / (max(sums) - min(sums)) * (high - low) for each in sums]


RERANKER = "reranker"
"""The part that is named as degraded."""

RERANK_SECONDS = 3.0
"""Thirty passages take a small model half a second on two cores; half of the time that is left at most."""

MODEL_SHARE = 0.5
"""What the model's opinion counts beside the signals: it knows neither places nor headings that only order."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """Results, best first. `degraded` is ("reranker",) where the model did not answer in time."""

    results: list[Found]
    degraded: tuple[str, ...] = ()


class Ranking:
    """Puts what was found in the order in which it helps. Without `model`, or while it does not answer, by"""

    def __init__(
        self, model: Reranker | None = None, weights: RankWeights = TUNED, seconds: float = RERANK_SECONDS
    ) -> None:
        self._model = model
        self._weights = weights
        self._seconds = seconds

    async def rank(self, found: Sequence[Found], asked: Asked) -> Ranked:
        """Copies taken out; every score in [0, 1]."""
        ranked = rerank(found, asked, self._weights)
        if self._model is None or len(ranked) < 2:
            return Ranked(ranked)
        try:
            async with within(min(self._seconds, remaining(self._seconds * 2) / 2)):
                opinions = await self._model.score(asked.text, [each.passage.chunk.search_text for each in ranked])
        except (Unavailable, TimeoutError):
            return Ranked(ranked, (RERANKER,))
        mixed = [
            replace(each, score=(1 - MODEL_SHARE) * each.score + MODEL_SHARE * opinion)
            for each, opinion in zip(ranked, opinions, strict=True)
        ]
        return Ranked(sorted(mixed, key=lambda each: (-each.score, each.passage.chunk.chunk_id)))
