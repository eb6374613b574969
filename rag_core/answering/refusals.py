"""Replies without a rule: refusals with what is nearest, questions back, help, lists of documents."""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from rag_core.answering.notices import MOST_CHOICES, sample_notice
from rag_core.answers import (
    Choice,
    Clarification,
    ClarificationReason,
    DocumentList,
    ListedDocument,
    ListedVersion,
    Nearest,
    Notice,
    Refusal,
    RefusalReason,
    WarningCode,
)
from rag_core.documents import DocumentVersion, Passage, PolicySource
from rag_core.questions import Filters, NoteKind, Question
from rag_core.regions import spoken_name
from rag_core.retrieval.found import Found
from rag_core.text.injections import speaks_to_machines
from rag_core.understanding.cleaning import as_asked
from rag_core.understanding.terms import covered
from rag_core.vocabulary import pattern


def which_place(question: Question) -> Clarification | None:
    """The places that a misspelt name may be, as next questions; None where every place is known."""
    unclear = next((note for note in question.scope.notes if note.kind is NoteKind.UNCLEAR_PLACE), None)
    if unclear is None:
        return None
    said = re.compile(rf"(?:\bthe\s+)?{re.escape(unclear.said)}", re.IGNORECASE)
    text = as_asked(question.search_text)
    choices = tuple(
        Choice(
            "place", code, said.sub(spoken_name(code), text, count=1), Filters(question.scope.policy_sources, (code,))
        )
        for code in unclear.meant[:MOST_CHOICES]
    )
    return Clarification(question.scope, choices, rewritten_question=question.rewritten)


def offer_help(question: Question, versions: Iterable[DocumentVersion]) -> Clarification:
    """What there is to ask about: titles of documents that the asker may see, as next questions; one of each platform
    before the second of any."""
    titles: dict[str, list[str]] = {}
    for version in versions:
        known = titles.setdefault(version.policy_source, [])
        if version.title not in known:
            known.append(version.title)
    ranked = sorted((place, slug, title) for slug, known in titles.items() for place, title in enumerate(known))
    choices = tuple(Choice("topic", title, title, Filters((slug,))) for _, slug, title in ranked[:MOST_CHOICES])
    return Clarification(
        question.scope, choices, rewritten_question=question.rewritten, reason=ClarificationReason.HELP
    )


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


MOST_DOCUMENTS = 20
MOST_VERSIONS = 4

_OF_LISTING = pattern("answers", "of_listing")
"""Words of asking for documents: whatever they are about, they tell nothing apart."""


def about_documents(question: Question) -> Question:
    """The question without the words that only ask for documents."""
    kept = tuple(term for term in question.terms if not _OF_LISTING.fullmatch(term.text))
    return replace(question, terms=kept)


def list_documents(
    question: Question, versions: Iterable[DocumentVersion], speaking: Collection[str] = ()
) -> DocumentList:
    """The documents of the platforms asked about; where the question has a topic, those whose title names it and
    `speaking`, the documents that speak of it. `versions` are those that the asker may see."""
    histories: dict[str, list[DocumentVersion]] = {}
    for version in versions:
        if not question.scope.policy_sources or version.policy_source in question.scope.policy_sources:
            histories.setdefault(version.document_id, []).append(version)
    found = [_listed(history) for history in histories.values()]
    if question.terms:
        found = [each for each in found if each.document_id in speaking or _is_on(each, question)]
    found.sort(key=lambda each: (each.policy_source, each.title.casefold(), each.document_id))
    return DocumentList(tuple(found[:MOST_DOCUMENTS]), max(0, len(found) - MOST_DOCUMENTS))


def _listed(history: Sequence[DocumentVersion]) -> ListedDocument:
    newest = sorted(history, key=lambda each: (each.effective_from, each.seen_at, each.doc_id), reverse=True)
    last = newest[0]
    days = tuple(
        ListedVersion(each.doc_id, each.effective_from, each.effective_to, each.date_stated) for each in newest
    )
    return ListedDocument(
        document_id=last.document_id,
        policy_source=last.policy_source,
        title=last.title,
        url=last.url,
        versions=days[:MOST_VERSIONS],
        checked_at=max(each.checked_at for each in history),
        more_versions=max(0, len(days) - MOST_VERSIONS),
    )


def _is_on(document: ListedDocument, question: Question) -> bool:
    return len(covered(document.title, question.terms)) == len(question.terms)
