"""How an answer came about, as it is recorded."""

from collections.abc import Mapping

from rag_core.answering.compose import Composed
from rag_core.answers import AskTrace, Candidate
from rag_core.questions import Question
from rag_core.retrieval.found import Found


def trace_of(
    question: Question,
    found: Mapping[str, Found],
    composed: Composed,
    notes: Mapping[str, object],
    timings_ms: Mapping[str, float],
) -> AskTrace:
    """`found`: all that was looked at, by chunk."""
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
    return AskTrace(question, candidates, composed.dropped, dict(notes), dict(timings_ms))
