"""What speaks for a passage, one signal at a time: each a pure step from what was found to numbers in [0, 1].

`reranking` weighs them. A signal looks at nothing but the question and the passages, and leaves their order alone.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from rag_core.questions import Intent, QueryTerm, Question
from rag_core.regions import GLOBAL, seen_from
from rag_core.retrieval.duplicates import are_alike, kept_first
from rag_core.retrieval.found import Found

_RULE = re.compile(
    r"\b(?:must|may|can|cannot|can['’]t|don['’]t|do\s+not|not\s+allowed|allow(?:ed|s)?|prohibit(?:ed|s)?|permitted"
    r"|restrict(?:ed|ions?)?|requires?|required|needs?|needed|banned|forbidden|only)\b",
    re.IGNORECASE,
)
_EXPLAINS = re.compile(
    r"\b(?:definitions?|glossary|scope|overview|what\s+counts|terms|principles?|summary|policy|at\s+a\s+glance)\b",
    re.IGNORECASE,
)
_DEFINES = re.compile(
    r"\bmeans?\b|\brefers?\s+to\b|\bdefined\s+as\b|\bincludes?\b|\b(?:is|are)\s+any\b|^[^.:\n]{2,60}:\s",
    re.IGNORECASE | re.MULTILINE,
)
_SAID_BESIDE = 0.5


@dataclass(frozen=True, slots=True)
class Asked:
    """What passages are ranked for: the question's content words, what it wants, and the place (None: none asked).

    `text`: the question as it was understood. `covered`: which of the words a text speaks of, as who judges reads
    it.
    """

    text: str
    terms: tuple[QueryTerm, ...]
    intent: Intent
    place: str | None
    covered: Callable[[str, Iterable[QueryTerm]], Sequence[QueryTerm]]
    rule_number: str | None = None


def asked_of(
    question: Question, place: str | None, covered: Callable[[str, Iterable[QueryTerm]], Sequence[QueryTerm]]
) -> Asked:
    """What passages are ranked for, of a question in one of its places."""
    text, terms = question.search_text, question.terms
    return Asked(text, terms, question.intent, place, covered, question.rule_number)


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
    return [len(asked.covered(each.passage.chunk.chunk_text, asked.terms)) / len(asked.terms) for each in found]


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
