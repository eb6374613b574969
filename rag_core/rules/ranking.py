"""Which of the rules found a reader reads first: retrieval's scores, rule by rule."""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from rag_core.ports import Vector
from rag_core.questions import Question
from rag_core.rules.rule import Rule
from rag_core.understanding.words import stem

MOST_READ = 40
"""Rules that a reader reads for one place at most."""

_WORD = re.compile(r"[^\W_]+")
_PASSAGE, _LIKENESS, _WORDS = 0.3, 0.45, 0.25


def ranked(
    rules: Sequence[Rule], passages: Mapping[str, float], question: Question, vector: Vector | None
) -> list[tuple[Rule, float]]:
    """The rules with a score in [0, 1], best first: of their passage's fused score (by chunk id), of their own vector's
    likeness to the question, and of the question's words that they say, the rare ones most (IDF over `rules`)."""
    if not rules:
        return []
    stems = [_stems(f"{rule.headings} {rule.text}") for rule in rules]
    asked = _stems(question.search_text)
    spread = Counter(each for said in stems for each in said & asked)
    weights = {each: math.log(1 + len(rules) / (1 + spread[each])) for each in asked}
    total = sum(weight for each, weight in weights.items() if spread[each]) or 1.0
    scored = []
    for rule, said in zip(rules, stems, strict=True):
        words = sum(weights[each] for each in said & asked) / total
        passage = passages[rule.passage.chunk.chunk_id]
        own = rule.kept.vector if rule.kept else None
        likeness = max(0.0, float(np.dot(own, vector))) if own is not None and vector is not None else passage
        scored.append((rule, _PASSAGE * passage + _LIKENESS * likeness + _WORDS * words))
    return sorted(scored, key=lambda each: (-round(each[1], 6), each[0].passage.chunk.chunk_id, each[0].body[0].start))


def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in _WORD.findall(text.lower()))
