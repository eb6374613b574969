"""How much each word of a question counts when a rule is held against it."""

from collections.abc import Iterable, Mapping, Sequence

from rag_core.answering.coverage import covers
from rag_core.questions import QueryTerm
from rag_core.retrieval.found import Found
from rag_core.understanding.phrases import Role

Weights = dict[QueryTerm, float]

_UNKNOWN_WORD = 2.0
_TRADE_WORD = 2.0
"""A word of the thesaurus says what the question is about; others say which side of it."""

_LIGHT = {Role.MODIFIER: 0.25, Role.FORM: 0.25, Role.CIRCUMSTANCE: 0.1}
"""A rule on insurance bears on car insurance; one that names the shop and not what it sells bears on nothing."""


def weights_of(roles: Mapping[QueryTerm, Role], results: Sequence[Found]) -> Weights:
    """How much each word of a question counts. One that none of the passages has is what the question is about and
    they are not, unless it only narrows what follows."""
    texts = [f"{found.passage.version.title}\n{found.passage.chunk.search_text}" for found in results]
    return {
        term: _LIGHT.get(role)
        or (_TRADE_WORD if term.synonyms or term.broader else 1.0)
        * (1.0 if any(covers(text, term) for text in texts) else _UNKNOWN_WORD)
        for term, role in roles.items()
    }


def share(found: Iterable[QueryTerm], weights: Weights) -> float:
    """The weighted share of the words that are `found`, in [0, 1]."""
    total = sum(weights.values())
    return sum(weights[term] for term in found) / total if total else 0.0
