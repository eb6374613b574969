"""Which documents there are: by platform and title, with the days of their versions."""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from rag_core.answering.coverage import covered
from rag_core.documents import DocumentVersion
from rag_core.listings import DocumentList, ListedDocument, ListedVersion
from rag_core.questions import Question

MOST_DOCUMENTS = 20
MOST_VERSIONS = 4

_OF_LISTING = re.compile(
    r"documents?|docs?|sources?|lists?|listed|listing|names?|titles?|titled|files?|pages?|versions?|publishers?|loaded"
    r"|indexed|available|mention(?:s|ed)?|speaks?|contains?|exists?|there|cover(?:s|ed)?|known",
    re.IGNORECASE,
)
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
