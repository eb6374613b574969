"""An approved answer as a reply, with the citations that were just looked up."""

from collections.abc import Mapping

from rag_core.answering.citing import cited
from rag_core.answering.notices import sample_labels
from rag_core.answers import (
    Answer,
    Approved,
    Candidate,
    Citation,
    PlaceVerdict,
    Quote,
    Statement,
    Verdict,
)
from rag_core.curated.kept import CuratedAnswer, CuratedCitation
from rag_core.documents import Passage
from rag_core.questions import Question


def shown(answer: CuratedAnswer, question: Question, passages: Mapping[str, Passage]) -> Answer:
    """`passages`: the cited chunks by id, of which all stand. The answer has an approval."""
    citations = tuple(
        _citation(number, each, passages[each.chunk_id]) for number, each in enumerate(answer.citations, start=1)
    )
    approval = answer.approval
    return Answer(
        scope=question.scope,
        statements=tuple(_statement(each.text, each.citations, citations, passages) for each in answer.statements),
        citations=citations,
        verdicts=_verdicts(answer.verdict, question, citations),
        warnings=tuple(sample_labels(each.version.labels for each in passages.values())),
        approved=Approved(approval.by, approval.at.date(), answer.curated_id, answer.revision) if approval else None,
    )


def candidates(answer: CuratedAnswer, passages: Mapping[str, Passage]) -> tuple[Candidate, ...]:
    """What it stands on, for the record."""
    return tuple(
        Candidate(each.chunk_id, each.doc_id, passages[each.chunk_id].chunk.content_hash, 1.0, None, "cited")
        for each in answer.citations
    )


def _verdicts(verdict: Verdict | None, question: Question, citations: tuple[Citation, ...]) -> tuple[PlaceVerdict, ...]:
    if verdict is None:
        return ()
    numbers = tuple(each.number for each in citations)
    slugs = question.scope.policy_sources or tuple(dict.fromkeys(each.policy_source for each in citations))
    places = question.scope.regions or (None,)
    return tuple(PlaceVerdict(place, slug, verdict, (), numbers) for place in places for slug in slugs)


def _statement(
    text: str, numbers: tuple[int, ...], citations: tuple[Citation, ...], passages: Mapping[str, Passage]
) -> Statement:
    """A person's words, with the quotes that they stand on."""
    used = [each for each in citations if each.number in numbers]
    return Statement(text, numbers, tuple(_quote(each, passages[each.chunk_id]) for each in used))


def _quote(citation: Citation, passage: Passage) -> Quote:
    start = citation.char_start - passage.chunk.char_start
    return Quote(citation.chunk_id, citation.quote, start, start + len(citation.quote))


def _citation(number: int, approved: CuratedCitation, passage: Passage) -> Citation:
    start = passage.chunk.chunk_text.index(approved.quote)
    return cited(number, passage, start, start + len(approved.quote))
