"""Search pipelines: how OpenSearch fuses the two legs. The name carries the parameters, so that two never differ."""

from typing import Any

from rag_core.retrieval.fusion import Fusion, FusionMethod

_PARTS = 1_000_000
"""Weights are told in millionths."""


def pipeline_name(prefix: str, fusion: Fusion) -> str:
    """Equal for fusions that do the same."""
    weights = "-".join(str(round(weight * _PARTS)) for weight in _weights(fusion))
    method = f"rrf{fusion.rrf_k}" if fusion.method is FusionMethod.RRF else fusion.method.value
    return f"{prefix}-{method}-{weights}"


def pipeline_body(fusion: Fusion) -> dict[str, Any]:
    """The legs are words and vector, in this order."""
    parameters = {"weights": _weights(fusion)}
    if fusion.method is FusionMethod.RRF:
        combination = {"technique": "rrf", "rank_constant": max(1, fusion.rrf_k), "parameters": parameters}
        processor = {"score-ranker-processor": {"combination": combination}}
    else:
        processor = {
            "normalization-processor": {
                "normalization": {"technique": "min_max"},
                "combination": {"technique": "arithmetic_mean", "parameters": parameters},
            }
        }
    return {"phase_results_processors": [processor]}


def in_bounds(score: float, fusion: Fusion) -> float:
    """A fused score in [0, 1]. Reciprocal ranks are small: the first of both legs would get 1 / (k + 1)."""
    if fusion.method is FusionMethod.RRF:
        score *= max(1, fusion.rrf_k) + 1
    return min(max(score, 0.0), 1.0)


def _weights(fusion: Fusion) -> list[float]:
    total = fusion.keyword_weight + fusion.vector_weight
    keyword = round(fusion.keyword_weight / total, 6)
    return [keyword, round(1.0 - keyword, 6)]
