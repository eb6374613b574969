"""How an answer came about, as it is recorded."""

from collections.abc import Mapping, Sequence

from rag_core.answering.compose import Composed
from rag_core.answers import AskTrace, Candidate
from rag_core.questions import Question
from rag_core.retrieval.found import Found
from rag_core.rules.judging import JudgedRule

_MOST_NOTED = 12


def trace_of(
    question: Question,
    found: Mapping[str, Found],
    composed: Composed,
    notes: Mapping[str, object],
    timings_ms: Mapping[str, float],
    *,
    is_nearest: bool = False,
) -> AskTrace:
    """`found`: all that was looked at, by chunk; `is_nearest`: see `AskTrace`."""
    candidates = tuple(
        Candidate(
            chunk_id=chunk_id,
            doc_id=each.passage.chunk.doc_id,
            content_hash=each.passage.chunk.content_hash,
            score=each.score,
            cosine=each.cosine,
            fate="cited" if chunk_id in composed.cited else "unused",
        )
        for chunk_id, each in found.items()
    )
    return AskTrace(question, candidates, composed.dropped, dict(notes), dict(timings_ms), is_nearest)


def noted_rules(rules: Sequence[JudgedRule], place: str | None) -> list[dict[str, object]]:
    """The likeliest rules with what they were judged by."""
    return [
        {
            "place": place,
            "chunk_id": each.rule.passage.chunk.chunk_id,
            "start": each.rule.body[0].start,
            "decides": round(each.decides, 3),
            "score": round(each.score, 3),
            "effect": each.effect.value,
            "certainty": round(each.effects[each.effect], 3),
            "standing": each.place.standing.value,
        }
        for each in rules[:_MOST_NOTED]
    ]
