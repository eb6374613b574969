"""Re-ranking as a question uses it: the weighed signals, and a model that reads question and passage together if there
is one."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from rag_core.deadlines import remaining, within
from rag_core.errors import Unavailable
from rag_core.ports import Reranker
from rag_core.retrieval.found import Found
from rag_core.retrieval.reranking import TUNED, RankWeights, rerank
from rag_core.retrieval.signals import Asked

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
    """Puts what was found in the order in which it helps. Without `model`, or while it does not answer, by signals."""

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
