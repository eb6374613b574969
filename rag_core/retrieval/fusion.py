"""Two ranked lists, one by words and one by meaning, made into one.

Reciprocal rank fusion: Cormack, Clarke and Buettcher, SIGIR 2009. Min-max: each leg's scores are stretched over
[0, 1] and added by weight. On SciFact min-max at equal weights measured better, so it is the default.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from rag_core.errors import Misconfigured

Scored = tuple[str, float]
"""A chunk id and its score in one leg; a leg is a list of these, best first, each id once."""


class FusionMethod(StrEnum):
    MINMAX = "minmax"
    RRF = "rrf"


@dataclass(frozen=True, slots=True)
class Fusion:
    """How to fuse. Weights count relative to each other; `rrf_k` dampens the lead of the first ranks.

    Raises Misconfigured("fusion_weights", keyword, vector, rrf_k) for a negative number or two weights of 0.
    """

    method: FusionMethod = FusionMethod.MINMAX
    keyword_weight: float = 0.5
    vector_weight: float = 0.5
    rrf_k: int = 60

    def __post_init__(self) -> None:
        weights = (self.keyword_weight, self.vector_weight)
        if min(weights) < 0 or sum(weights) <= 0 or self.rrf_k < 0:
            raise Misconfigured("fusion_weights", keyword=weights[0], vector=weights[1], rrf_k=self.rrf_k)


def fuse(keyword: Sequence[Scored] | None, vector: Sequence[Scored] | None, fusion: Fusion) -> list[Scored]:
    """Both legs as one list, best first, ties by id; every score in [0, 1].

    An id that is missing in a leg counts 0 there. A leg that is None was not searched: the other decides alone.
    """
    legs = [
        (leg, weight)
        for leg, weight in ((keyword, fusion.keyword_weight), (vector, fusion.vector_weight))
        if leg is not None
    ]
    if len(legs) == 1:
        legs = [(legs[0][0], 1.0)]
    total = sum(weight for _, weight in legs)
    scores: dict[str, float] = {}
    for leg, weight in legs:
        for chunk_id, part in _parts(leg, fusion).items():
            scores[chunk_id] = scores.get(chunk_id, 0.0) + part * weight / total
    # The weights' shares need not add up to exactly 1 in floating point
    bounded = [(chunk_id, min(score, 1.0)) for chunk_id, score in scores.items()]
    return sorted(bounded, key=lambda scored: (-scored[1], scored[0]))


def _parts(leg: Sequence[Scored], fusion: Fusion) -> Mapping[str, float]:
    """What each id of a leg gets out of it, in [0, 1]."""
    if fusion.method is FusionMethod.RRF:
        return {chunk_id: (fusion.rrf_k + 1) / (fusion.rrf_k + rank) for rank, (chunk_id, _) in enumerate(leg, start=1)}
    if not leg:
        return {}
    low = min(score for _, score in leg)
    high = max(score for _, score in leg)
    # One hit, or all alike: nothing to tell them apart, and each is the best there is
    spread = high - low
    return {chunk_id: (score - low) / spread if spread > 0 else 1.0 for chunk_id, score in leg}
