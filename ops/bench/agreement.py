"""How alike two indexes rank the same chunks, and how well each finds the documents that are expected."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from math import log2
from pathlib import Path
from statistics import mean
from typing import Any

from ops.evaluation.ranking import ndcg
from rag_core.questions import Filters
from rag_core.retrieval.search import PolicySearch

_TOP = 10
_TODAY = date(2026, 6, 1)


@dataclass(frozen=True, slots=True)
class Ranked:
    """The first results of one question: chunks, and each one's document."""

    chunk_ids: tuple[str, ...]
    document_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Agreement:
    """Means over questions. `expected`: nDCG@10 of first and second against the documents that a golden answer
    cites (None: no question says)."""

    questions: int
    overlap: float
    ndcg: float
    expected: tuple[float, float] | None


def golden_questions(path: Path) -> list[dict[str, Any]]:
    """The golden questions, as they are written."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]


async def rankings(search: PolicySearch, golden: Sequence[Mapping[str, Any]], sources: Sequence[str]) -> list[Ranked]:
    """The first ten results of each question within these policy sources."""
    found = []
    for each in golden:
        as_of = date.fromisoformat(each["as_of"]) if "as_of" in each else None
        results = (
            await search.search(
                each["question"],
                filters=Filters(policy_sources=tuple(sources)),
                today=_TODAY,
                as_of=as_of,
                groups=frozenset(),
                limit=_TOP,
            )
        ).results
        chunk_ids = tuple(result.passage.chunk.chunk_id for result in results)
        found.append(Ranked(chunk_ids, tuple(result.passage.version.document_id for result in results)))
    return found


def agreement(reference: Sequence[Ranked], other: Sequence[Ranked], expected: Sequence[frozenset[str]]) -> Agreement:
    """`other` held against `reference`; `expected` documents by question, empty where none are known."""
    pairs = list(zip(reference, other, strict=True))
    judged = [(pair, documents) for pair, documents in zip(pairs, expected, strict=True) if documents]
    return Agreement(
        len(pairs),
        mean(overlap(one.chunk_ids, two.chunk_ids) for one, two in pairs),
        mean(graded_ndcg(one.chunk_ids, two.chunk_ids) for one, two in pairs),
        (
            mean(_finds(pair[0], documents) for pair, documents in judged),
            mean(_finds(pair[1], documents) for pair, documents in judged),
        )
        if judged
        else None,
    )


def overlap(reference: Sequence[str], other: Sequence[str]) -> float:
    """The share of results that both have; 1 where neither has any."""
    longest = max(len(reference), len(other))
    return len(set(reference) & set(other)) / longest if longest else 1.0


def graded_ndcg(reference: Sequence[str], other: Sequence[str]) -> float:
    """nDCG of `other` where the first of `reference` is worth most and the last one 1 (linear gains)."""
    worth = {each: len(reference) - place for place, each in enumerate(reference)}
    best = _gained([*worth.values()])
    return _gained([worth.get(each, 0) for each in other]) / best if best else 1.0


def _gained(gains: Sequence[int]) -> float:
    return sum(gain / log2(rank + 1) for rank, gain in enumerate(gains, start=1))


def _finds(ranked: Ranked, documents: frozenset[str]) -> float:
    return ndcg(list(dict.fromkeys(ranked.document_ids)), documents, _TOP)
