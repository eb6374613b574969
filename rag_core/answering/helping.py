"""The question that no policy answers: what can be asked here."""

from collections.abc import Iterable

from rag_core.answering.notices import MOST_CHOICES
from rag_core.answers import Choice, Clarification, ClarificationReason
from rag_core.documents import DocumentVersion
from rag_core.questions import Filters, Question


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
