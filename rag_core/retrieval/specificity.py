"""More specific sections before general ones, where their scores say about the same."""

from collections.abc import Sequence

from rag_core.regions import specificity
from rag_core.retrieval.found import Found

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
