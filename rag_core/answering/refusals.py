"""The policies do not say: a refusal that shows what was looked for, where, and what is nearest."""

from collections.abc import Sequence
from dataclasses import replace

from rag_core.answering.coverage import covered
from rag_core.answering.notices import MOST_CHOICES, sample_notice
from rag_core.answers import Choice, Clarification, Nearest, Notice, Refusal, RefusalReason, WarningCode
from rag_core.documents import Passage, PolicySource
from rag_core.questions import Filters, Question
from rag_core.retrieval.found import Found
from rag_core.text.injections import speaks_to_machines
from rag_core.understanding.orders import as_asked

MOST_NEAREST = 3
ALIKE = 0.3
"""Cosine (of all-MiniLM-L6-v2) below which a section is not shown as the nearest, unless it has every word."""


def refuse(
    question: Question,
    reason: RefusalReason,
    results: Sequence[Found],
    sources: Sequence[PolicySource],
    degraded: tuple[str, ...],
) -> Refusal:
    """A refusal with the nearest sections; none for what is off topic, where they would only mislead."""
    nearest = [] if reason is RefusalReason.OFF_TOPIC else _nearest_sections(_near(question, results))
    searched = question.scope.policy_sources or tuple(source.slug for source in sources)
    return Refusal(
        scope=question.scope,
        reason=reason,
        looked_for=tuple(term.text for term in question.terms),
        searched=searched,
        nearest=tuple(section_of(passage) for passage in nearest),
        warnings=tuple(sample_notice(nearest)),
        degraded=degraded,
        rewritten_question=question.rewritten,
    )


def refuse_absent(
    question: Question, platforms: tuple[str, ...], sources: Sequence[PolicySource], degraded: tuple[str, ...]
) -> Refusal:
    """The refusal of a question about platforms that there are no documents of."""
    refused = refuse(question, RefusalReason.NOT_COVERED, (), sources, degraded)
    return replace(refused, warnings=(Notice(WarningCode.NO_DOCUMENTS, platforms),))


def clarify(question: Question, results: Sequence[Found], degraded: tuple[str, ...]) -> Clarification | None:
    """For a question without a topic: what is nearest, as next questions; None if there is nothing to choose from.

    Documents; where all is in one, its sections.
    """
    documents = {found.passage.version.document_id: found.passage for found in results}
    sections = {found.passage.chunk.policy_section: found.passage for found in results}
    several = len(documents) > 1
    named = [
        (each.version.title if several else each.chunk.policy_section, each)
        for each in (documents if several else sections).values()
    ]
    topics = [each for each in named if each[0] and not speaks_to_machines(each[0])][:MOST_CHOICES]
    if len(topics) < 2:
        return None
    choices = tuple(
        Choice(
            "topic",
            title,
            f"{title}: {as_asked(question.text)}",
            Filters((passage.chunk.policy_source,), question.scope.regions),
        )
        for title, passage in topics
    )
    return Clarification(question.scope, choices, tuple(sample_notice([each for _, each in topics])), degraded)


def _near(question: Question, results: Sequence[Found]) -> list[Found]:
    """Those that have something in common with the question, whatever came first among passages that have nothing."""
    best = max((found.score for found in results), default=0.0)
    return [
        found
        for found in results
        if found.score >= best / 2 and (found.cosine is None or found.cosine >= ALIKE or _says_all(question, found))
    ]


def _says_all(question: Question, found: Found) -> bool:
    terms = question.terms
    return bool(terms) and len(covered(found.passage.chunk.search_text, terms)) == len(terms)


def _nearest_sections(results: Sequence[Found]) -> list[Passage]:
    sections: dict[tuple[str, str], Passage] = {}
    for found in results:
        chunk = found.passage.chunk
        if speaks_to_machines(chunk.policy_path):
            continue
        sections.setdefault((chunk.doc_id, chunk.policy_path), found.passage)
    return list(sections.values())[:MOST_NEAREST]


def section_of(passage: Passage) -> Nearest:
    """The section that a passage stands in, as it is shown and linked."""
    chunk, version = passage.chunk, passage.version
    return Nearest(
        chunk_id=chunk.chunk_id,
        doc_id=chunk.doc_id,
        policy_source=chunk.policy_source,
        title=version.title,
        url=chunk.doc_url or version.url,
        anchor=chunk.anchor,
        section_path=chunk.policy_path,
        regions=chunk.regions,
        effective_from=version.effective_from,
        effective_to=version.effective_to,
        date_stated=version.date_stated,
    )
